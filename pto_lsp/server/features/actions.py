"""Code actions: fixes of findings, all safe fixes at once, silencing, and the compiler's canonical form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import cast

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from pto_analysis.findings import Applicability, Edit, Finding, Fix
from pto_analysis.ide.edits import minimal_edits
from pto_analysis.ide.suppress import suppress_here
from pto_analysis.source.span import Span
from pto_lsp.server.analyses import Analysed
from pto_lsp.server.app import PtoServer
from pto_lsp.server.convert import Converter, diagnostic, uri_of, workspace_edit
from pto_lsp.server.documents import Document

QUICKFIX = lsp.CodeActionKind.QuickFix
FIX_ALL = "source.fixAll.pto"
REWRITE = "refactor.rewrite.pto"

_OPTIONS = lsp.CodeActionOptions(
    code_action_kinds=[QUICKFIX, FIX_ALL, REWRITE],
    resolve_provider=True,
)


def register(server: PtoServer, params: lsp.InitializeParams) -> None:
    lazily = _resolves_edits(params.capabilities)

    @server.feature(lsp.TEXT_DOCUMENT_CODE_ACTION, _OPTIONS)
    async def code_action(request: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        document = server.document(request.text_document.uri)
        if document is None:
            return []
        offered = _Offered(server, request, lazily=lazily)
        found = [*await offered.fixes(document), *await offered.rewriting(document), *await offered.all(document)]
        return found if _has_literals(params.capabilities) else []

    @server.feature(lsp.CODE_ACTION_RESOLVE)
    async def resolve(action: lsp.CodeAction) -> lsp.CodeAction:
        data = cast("dict[str, object]", action.data) if isinstance(action.data, dict) else {}
        document = server.document(str(data.get("uri", "")))
        if action.edit is not None or document is None:
            return action
        if document.version != data.get("version"):
            raise JsonRpcException("the document has changed", code=lsp.LSPErrorCodes.ContentModified)
        action.edit = await _resolved(server, document, data)
        return action

    _ = (code_action, resolve)


async def _resolved(server: PtoServer, document: Document, data: dict[str, object]) -> lsp.WorkspaceEdit | None:
    if data.get("kind") == FIX_ALL:
        return await _fix_all_edit(server, document)
    line = data.get("line")
    return await _canonical_edit(server, document, lsp.Position(line if isinstance(line, int) else 0, 0))


class _Offered:
    """The actions for one request."""

    def __init__(self, server: PtoServer, request: lsp.CodeActionParams, *, lazily: bool) -> None:
        self._server = server
        self._request = request
        self._lazily = lazily

    def _wants(self, kind: str) -> bool:
        """Whether the client asked for this kind, or for a kind above it, or for none in particular."""
        only = self._request.context.only
        return not only or any(kind == each or kind.startswith(f"{each}.") for each in map(_text, only))

    async def fixes(self, document: Document) -> list[lsp.CodeAction]:
        """For each finding in the range: its fix, and the comment that silences it."""
        if not self._wants(_text(QUICKFIX)):
            return []
        analysed = await self._server.analyses.of(document)
        at = self._server.converter(analysed.document.text)
        wanted = at.span(self._request.range)
        found: list[lsp.CodeAction] = []
        silencing: list[lsp.CodeAction] = []
        for finding in analysed.report.findings:
            if _touch(wanted, finding.span) and not finding.data.get("stale"):
                found += self._fix(analysed, at, finding)
                silencing += self._silence(analysed, at, finding)
        return found + silencing

    def _fix(self, analysed: Analysed, at: Converter, finding: Finding) -> Iterator[lsp.CodeAction]:
        fix = finding.fix
        if fix is None or fix.applicability is Applicability.DISPLAY or not fix.edits:
            return
        yield lsp.CodeAction(
            fix.title,
            kind=QUICKFIX,
            diagnostics=[self._diagnostic(analysed, at, finding)],
            is_preferred=fix.applicability is Applicability.SAFE,
            edit=edit_of(self._server, analysed.document, fix.edits),
        )

    def _silence(self, analysed: Analysed, at: Converter, finding: Finding) -> Iterator[lsp.CodeAction]:
        silenced_by_comments = analysed.document.path.endswith(".py")
        edit = suppress_here(analysed.document.text, finding) if silenced_by_comments else None
        if edit is not None:
            yield lsp.CodeAction(
                f"Silence {finding.code} here",
                kind=QUICKFIX,
                diagnostics=[self._diagnostic(analysed, at, finding)],
                edit=edit_of(self._server, analysed.document, [edit]),
            )

    def _diagnostic(self, analysed: Analysed, at: Converter, finding: Finding) -> lsp.Diagnostic:
        return diagnostic(finding, analysed.document.path, at, {}, self._server.manners)

    async def rewriting(self, document: Document) -> list[lsp.CodeAction]:
        if not self._wants(REWRITE):
            return []
        fix = await _canonical_fix(self._server, document, self._request.range.start)
        if fix is None:
            return []
        data = {**_identity(document), "kind": REWRITE, "line": self._request.range.start.line}
        edit = None if self._lazily else edit_of(self._server, document, fix.edits)
        return [lsp.CodeAction(fix.title, kind=REWRITE, edit=edit, data=data if self._lazily else None)]

    async def all(self, document: Document) -> list[lsp.CodeAction]:
        """All safe fixes of the document, offered only where there are any."""
        if not self._wants(FIX_ALL):
            return []
        analysed = await self._server.analyses.of(document)
        safe = [each for each in analysed.report.findings if is_safe(each)]
        if not safe:
            return []
        edit = None if self._lazily else await _fix_all_edit(self._server, document)
        data = {**_identity(document), "kind": FIX_ALL} if self._lazily else None
        return [lsp.CodeAction("Fix all that is safe to fix (PTO)", kind=FIX_ALL, edit=edit, data=data)]


def _touch(one: Span, other: Span) -> bool:
    """Whether two ranges share a place, a cursor at the end of one included."""
    starts = max((one.line, one.column), (other.line, other.column))
    return starts <= min((one.end_line, one.end_column), (other.end_line, other.end_column))


def is_safe(finding: Finding) -> bool:
    return finding.fix is not None and finding.fix.applicability is Applicability.SAFE


async def _fix_all_edit(server: PtoServer, document: Document) -> lsp.WorkspaceEdit | None:
    text = await server.analyses.fixed_text(document)
    return edit_of(server, document, minimal_edits(document.text, text))


async def _canonical_fix(server: PtoServer, document: Document, position: lsp.Position) -> Fix | None:
    line, _ = server.converter(document.text).place(position)
    return await server.analyses.canonical_fix(document, line)


async def _canonical_edit(server: PtoServer, document: Document, position: lsp.Position) -> lsp.WorkspaceEdit | None:
    fix = await _canonical_fix(server, document, position)
    return edit_of(server, document, fix.edits) if fix is not None else None


def edit_of(server: PtoServer, document: Document, edits: Sequence[Edit]) -> lsp.WorkspaceEdit:
    """Edits in client terms; those of other files are tied to the versions that are open."""
    by_uri: dict[str, list[lsp.TextEdit]] = {}
    versions: dict[str, int | None] = {document.uri: document.version}
    for edit in edits:
        uri = document.uri if edit.path in (None, document.path) else uri_of(str(edit.path))
        other = document if uri == document.uri else server.document(uri)
        if other is not None:
            versions[other.uri] = other.version
            by_uri.setdefault(other.uri, []).append(server.converter(other.text).edit(edit))
    return workspace_edit(versions, by_uri, versioned=_versioned(server.client_capabilities))


def _identity(document: Document) -> dict[str, object]:
    return {"uri": document.uri, "version": document.version}


def _text(kind: lsp.CodeActionKind | str) -> str:
    return kind.value if isinstance(kind, lsp.CodeActionKind) else kind


def _versioned(capabilities: lsp.ClientCapabilities) -> bool:
    workspace = capabilities.workspace
    return bool(workspace and workspace.workspace_edit and workspace.workspace_edit.document_changes)


def _actions(capabilities: lsp.ClientCapabilities) -> lsp.CodeActionClientCapabilities | None:
    return capabilities.text_document.code_action if capabilities.text_document else None


def _has_literals(capabilities: lsp.ClientCapabilities) -> bool:
    """Clients without literals understand commands only, and none of ours edits text."""
    actions = _actions(capabilities)
    return actions is None or actions.code_action_literal_support is not None


def _resolves_edits(capabilities: lsp.ClientCapabilities) -> bool:
    actions = _actions(capabilities)
    support = actions.resolve_support if actions else None
    return support is not None and "edit" in support.properties and bool(actions and actions.data_support)
