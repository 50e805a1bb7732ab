"""Definition, references, highlights, symbols and folding."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types as lsp

from pto_analysis.ide import occurrences, outline
from pto_analysis.ide.outline import Symbol
from pto_analysis.source.unit import split_units
from pto_lsp.server.app import PtoServer
from pto_lsp.server.convert import uri_of
from pto_lsp.server.located import Located, every_unit, locate
from pto_lsp.workspace.discovery import discover


def register(server: PtoServer, _params: lsp.InitializeParams) -> None:
    _register_places(server)
    _register_outline(server)


def _register_places(server: PtoServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    async def definition(params: lsp.DefinitionParams) -> list[lsp.Location]:
        at = await locate(server, params.text_document.uri, params.position)
        if at is None:
            return []
        modules = await server.analyses.modules(at.document)
        found = occurrences.definition_at(at.document.path, at.unit, modules, at.line, at.column)
        return [_location(server, target) for target in found]

    @server.feature(lsp.TEXT_DOCUMENT_REFERENCES)
    async def references(params: lsp.ReferenceParams) -> list[lsp.Location]:
        at = await locate(server, params.text_document.uri, params.position)
        if at is None:
            return []
        local = occurrences.occurrences_at(at.unit, at.line, at.column)
        if local:
            declared = params.context.include_declaration
            return [lsp.Location(at.document.uri, at.range(each.span)) for each in local if declared or not each.writes]
        return await _kernel_references(server, at)

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    async def highlight(params: lsp.DocumentHighlightParams) -> list[lsp.DocumentHighlight]:
        at = await locate(server, params.text_document.uri, params.position)
        if at is None:
            return []
        found = occurrences.window_aliases(at.unit, at.kernels, at.line, at.column)
        kinds = {True: lsp.DocumentHighlightKind.Write, False: lsp.DocumentHighlightKind.Read}
        return [lsp.DocumentHighlight(at.range(each.span), kinds[each.writes]) for each in found]

    _ = (definition, references, highlight)


def _register_outline(server: PtoServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    async def symbols(params: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
        units = await every_unit(server, params.text_document.uri)
        return [_symbol(symbol, at) for at in units for symbol in outline.symbols(at.unit, at.kernels)]

    @server.feature(lsp.TEXT_DOCUMENT_FOLDING_RANGE)
    async def folding(params: lsp.FoldingRangeParams) -> list[lsp.FoldingRange]:
        document = server.document(params.text_document.uri)
        units = split_units(document.text).units if document is not None else ()
        return [
            lsp.FoldingRange(first + unit.first_line, last + unit.first_line)
            for unit in units
            for first, last in outline.folds(unit)
        ]

    _ = (symbols, folding)


async def _kernel_references(server: PtoServer, at: Located) -> list[lsp.Location]:
    """Where a kernel is called: in its file, in open documents, and in the files of the workspace that mention it."""
    modules = await server.analyses.modules(at.document)
    target = occurrences.definition_at(at.document.path, at.unit, modules, at.line, at.column)
    name = occurrences.kernel_name_at(at.unit, at.line, at.column)
    if not target and name is None:
        return []
    name = name or ""
    paths = {at.document.path, *(document.path for document in server.documents.opened)}
    paths |= {str(path) for path in discover([Path(folder) for folder in server.documents.folders]).files}
    found: list[lsp.Location] = []
    for path in sorted(paths):
        document = server.document(uri_of(path))
        if document is None or name not in document.text:
            continue
        converter = server.converter(document.text)
        for unit in split_units(document.text).units:
            spans = occurrences.kernel_calls(unit, name) if name in unit.text else ()
            found += [lsp.Location(document.uri, converter.range(span.shifted(unit.first_line))) for span in spans]
    return found


def _location(server: PtoServer, target: occurrences.Target) -> lsp.Location:
    uri = uri_of(target.path)
    document = server.document(uri)
    converter = server.converter(document.text if document is not None else "")
    return lsp.Location(document.uri if document is not None else uri, converter.range(target.span))


def _symbol(symbol: Symbol, at: Located) -> lsp.DocumentSymbol:
    return lsp.DocumentSymbol(
        symbol.name,
        lsp.SymbolKind.Function if symbol.is_kernel else lsp.SymbolKind.Variable,
        at.range(symbol.whole),
        at.range(symbol.name_span),
        symbol.detail or None,
        children=[_symbol(child, at) for child in symbol.children],
    )
