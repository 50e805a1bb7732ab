"""Completion and signature help."""

from __future__ import annotations

from functools import partial

from lsprotocol import types as lsp

from pto_analysis.ide.completion import Completion, Completions, completions_at
from pto_analysis.ide.pto.completion import completions_at as pto_completions_at
from pto_analysis.ide.signatures import SignatureHelp, signature_help
from pto_analysis.ide.spot import statement_at
from pto_analysis.source.unit import split_units
from pto_lsp.server.app import PtoServer
from pto_lsp.server.convert import Converter
from pto_lsp.server.documents import Document
from pto_lsp.server.located import aliases, locate, locate_pto

_KINDS = {
    "function": lsp.CompletionItemKind.Function,
    "module": lsp.CompletionItemKind.Module,
    "enum-member": lsp.CompletionItemKind.EnumMember,
    "keyword": lsp.CompletionItemKind.Property,
    "variable": lsp.CompletionItemKind.Variable,
    "class": lsp.CompletionItemKind.Class,
    "type": lsp.CompletionItemKind.Enum,
}


_PYTHON_TRIGGERS = (".", "(", ",", "=")
_PTO_TRIGGERS = ("%", "@", "!", "#", "<")
"""In Python these begin a comment, a decorator or an operand: nothing to offer unasked."""


def register(server: PtoServer, _params: lsp.InitializeParams) -> None:
    @server.feature(
        lsp.TEXT_DOCUMENT_COMPLETION,
        lsp.CompletionOptions(trigger_characters=[*_PYTHON_TRIGGERS, *_PTO_TRIGGERS]),
    )
    async def completion(params: lsp.CompletionParams) -> lsp.CompletionList:
        ir = locate_pto(server, params.text_document.uri, params.position)
        if ir is not None:
            before = ir.converter.text.line(ir.line)[: ir.column]
            found = await server.analyses.run(partial(pto_completions_at, ir.ir, before, ir.line, ir.column))
            return _list(found, ir.converter, ir.line, ir.column)
        document = server.document(params.text_document.uri)
        typed = params.context.trigger_character if params.context is not None else None
        if document is None or not document.path.endswith(".py") or typed in _PTO_TRIGGERS:
            return lsp.CompletionList(is_incomplete=False, items=[])
        line, column = server.converter(document.text).place(params.position)
        at = await locate(server, params.text_document.uri, params.position)
        kernels = at.kernels if at is not None else ()
        statement = statement_at(at.unit, at.line, at.column) if at is not None else None
        found = completions_at(text_before(document, line, column), aliases(document), kernels, statement)
        return _list(found, server.converter(document.text), line, column)

    options = lsp.SignatureHelpOptions(trigger_characters=["(", ","], retrigger_characters=["="])

    @server.feature(lsp.TEXT_DOCUMENT_SIGNATURE_HELP, options)
    async def signature(params: lsp.SignatureHelpParams) -> lsp.SignatureHelp | None:
        document = server.document(params.text_document.uri)
        if document is None or not document.path.endswith(".py"):
            return None
        line, column = server.converter(document.text).place(params.position)
        found = signature_help(text_before(document, line, column), aliases(document))
        return lsp.SignatureHelp([_signature(each) for each in found], 0, found[0].active) if found else None

    _ = (completion, signature)


def text_before(document: Document, line: int, column: int) -> str:
    """The text of the logical line up to a place; of the physical line between statements."""
    source = split_units(document.text)
    lines = [*source.statements]
    unit = source.unit_at(line)
    offset = unit.first_line if unit is not None else 0
    lines = list(unit.lines) if unit is not None else lines
    start = (line, 0)
    for each in lines:
        if each.line + offset <= line <= each.end_line + offset:
            start = min(start, (each.line + offset, each.column))
    text = source.source
    begin, end = text.offset(*start), text.offset(line, column)
    return text.text[min(begin, end) : end]


def _list(found: Completions, at: Converter, line: int, column: int) -> lsp.CompletionList:
    replaced = lsp.Range(at.position(line, column - found.replaced), at.position(line, column))
    return lsp.CompletionList(is_incomplete=False, items=[_item(item, replaced) for item in found.items])


def _item(item: Completion, replaced: lsp.Range) -> lsp.CompletionItem:
    return lsp.CompletionItem(
        item.label,
        kind=_KINDS[item.kind],
        detail=item.detail or None,
        documentation=lsp.MarkupContent(lsp.MarkupKind.Markdown, item.documentation) if item.documentation else None,
        sort_text=f"{item.sort}{item.label}",
        text_edit=lsp.TextEdit(replaced, item.insert),
    )


def _signature(found: SignatureHelp) -> lsp.SignatureInformation:
    shown = [lsp.ParameterInformation(label, text or None) for label, text in found.parameters]
    return lsp.SignatureInformation(found.label, found.documentation, shown, found.active)
