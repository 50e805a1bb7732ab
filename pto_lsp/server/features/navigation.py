"""Definition, references, highlights, symbols and folding."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from lsprotocol import types as lsp

from pto_analysis.ide import occurrences, outline
from pto_analysis.ide.occurrences import Occurrence
from pto_analysis.ide.outline import Symbol
from pto_analysis.ide.pto import navigation as pto
from pto_analysis.ide.pto.outline import folds as pto_folds
from pto_analysis.ide.pto.outline import symbols as pto_symbols
from pto_analysis.source.span import Span
from pto_analysis.source.unit import split_units
from pto_lsp.server.app import PtoServer
from pto_lsp.server.convert import uri_of
from pto_lsp.server.located import Located, every_unit, locate, locate_pto
from pto_lsp.workspace.discovery import discover


def register(server: PtoServer, _params: lsp.InitializeParams) -> None:
    _register_places(server)
    _register_outline(server)


def _register_places(server: PtoServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    async def definition(params: lsp.DefinitionParams) -> list[lsp.Location]:
        ir = locate_pto(server, params.text_document.uri, params.position)
        if ir is not None:
            span = await server.analyses.run(partial(pto.definition_at, ir.ir, ir.line, ir.column))
            return [lsp.Location(ir.document.uri, ir.range(span))] if span is not None else []
        at = await locate(server, params.text_document.uri, params.position)
        if at is None:
            return []
        modules = await server.analyses.modules(at.document)
        found = occurrences.definition_at(at.document.path, at.unit, modules, at.line, at.column)
        return [_location(server, target) for target in found]

    @server.feature(lsp.TEXT_DOCUMENT_REFERENCES)
    async def references(params: lsp.ReferenceParams) -> list[lsp.Location]:
        ir = locate_pto(server, params.text_document.uri, params.position)
        if ir is not None:
            return [
                lsp.Location(ir.document.uri, ir.range(each.span))
                for each in await server.analyses.run(partial(pto.occurrences_at, ir.ir, ir.line, ir.column))
                if params.context.include_declaration or not each.writes
            ]
        at = await locate(server, params.text_document.uri, params.position)
        if at is None:
            return []
        local = occurrences.occurrences_at(at.unit, at.line, at.column)
        if local:
            declared = params.context.include_declaration
            return [lsp.Location(at.document.uri, at.range(each.span)) for each in local if declared or not each.writes]
        return await _kernel_references(server, at, declared=params.context.include_declaration)

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    async def highlight(params: lsp.DocumentHighlightParams) -> list[lsp.DocumentHighlight]:
        ir = locate_pto(server, params.text_document.uri, params.position)
        if ir is not None:
            named = await server.analyses.run(partial(pto.occurrences_at, ir.ir, ir.line, ir.column))
            return [_highlight(each, ir.range(each.span)) for each in named]
        at = await locate(server, params.text_document.uri, params.position)
        if at is None:
            return []
        found = occurrences.window_aliases(at.unit, at.kernels, at.line, at.column)
        return [_highlight(each, at.range(each.span)) for each in found]

    _ = (definition, references, highlight)


def _highlight(occurrence: Occurrence, range_: lsp.Range) -> lsp.DocumentHighlight:
    kind = lsp.DocumentHighlightKind.Write if occurrence.writes else lsp.DocumentHighlightKind.Read
    return lsp.DocumentHighlight(range_, kind)


def _register_outline(server: PtoServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    async def symbols(params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
        ir = locate_pto(server, params.text_document.uri)
        if ir is not None:
            return [_symbol(symbol, ir.range) for symbol in await server.analyses.run(partial(pto_symbols, ir.ir))]
        units = await every_unit(server, params.text_document.uri)
        return [_symbol(symbol, at.range) for at in units for symbol in outline.symbols(at.unit, at.kernels)]

    @server.feature(lsp.TEXT_DOCUMENT_FOLDING_RANGE)
    async def folding(params: lsp.FoldingRangeParams) -> list[lsp.FoldingRange]:
        ir = locate_pto(server, params.text_document.uri)
        if ir is not None:
            return [lsp.FoldingRange(*each) for each in await server.analyses.run(partial(pto_folds, ir.ir))]
        document = server.document(params.text_document.uri)
        units = split_units(document.text).units if document is not None else ()
        return [
            lsp.FoldingRange(first + unit.first_line, last + unit.first_line)
            for unit in units
            for first, last in outline.folds(unit)
        ]

    _ = (symbols, folding)


async def _kernel_references(server: PtoServer, at: Located, *, declared: bool) -> list[lsp.Location]:
    """Where a kernel is called: in its file, in open documents, and in the files of the workspace that mention it."""
    modules = await server.analyses.modules(at.document)
    place = (at.document.path, at.unit, modules, at.line, at.column)
    kernel = await server.analyses.run(partial(occurrences.kernel_at, *place))
    name = occurrences.kernel_name_at(at.unit, at.line, at.column)
    if name is None:
        return []
    paths = {at.document.path, *(document.path for document in server.documents.opened)}
    paths |= {str(path) for path in discover([Path(folder) for folder in server.documents.folders]).files}
    found = [_location(server, kernel)] if kernel is not None and declared else []
    for path in sorted(paths):
        document = server.document(uri_of(path))
        if document is None or name not in document.text:
            continue
        converter = server.converter(document.text)
        for unit in split_units(document.text).units:
            if name in unit.text:
                calls = partial(occurrences.calls_of_kernel, path, unit, modules, name, kernel)
                spans = await server.analyses.run(calls)
                found += [lsp.Location(document.uri, converter.range(each.shifted(unit.first_line))) for each in spans]
    return found


def _location(server: PtoServer, target: occurrences.Target) -> lsp.Location:
    uri = uri_of(target.path)
    document = server.document(uri)
    converter = server.converter(document.text if document is not None else "")
    return lsp.Location(document.uri if document is not None else uri, converter.range(target.span))


def _symbol(symbol: Symbol, range_of: Callable[[Span], lsp.Range]) -> lsp.DocumentSymbol:
    return lsp.DocumentSymbol(
        symbol.name,
        lsp.SymbolKind.Function if symbol.is_kernel else lsp.SymbolKind.Variable,
        range_of(symbol.whole),
        range_of(symbol.name_span),
        symbol.detail or None,
        children=[_symbol(child, range_of) for child in symbol.children],
    )
