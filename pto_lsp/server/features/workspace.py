"""Diagnostics of the whole workspace, for clients that pull them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from lsprotocol import types as lsp

from pto_lsp.server.app import PtoServer
from pto_lsp.server.convert import diagnostic, uri_of
from pto_lsp.server.documents import Document
from pto_lsp.server.features.diagnostics import diagnostics_of, pulls, result_id
from pto_lsp.server.progress import Progress
from pto_lsp.workspace.discovery import discover
from pto_lsp.workspace.reading import is_relevant

BATCH = 20
"""Reports that are sent at once to a client that takes partial results."""


def register(server: PtoServer, params: lsp.InitializeParams) -> None:
    if not pulls(params):
        return

    @server.feature(lsp.WORKSPACE_DIAGNOSTIC)
    async def workspace_diagnostic(request: lsp.WorkspaceDiagnosticParams) -> lsp.WorkspaceDiagnosticReport:
        previous = {known.uri: known.value for known in request.previous_result_ids}
        progress = Progress(server, request.work_done_token, "Checking the workspace")
        documents = await server.analyses.run(lambda: list(workspace_documents(server)))
        reports: list[lsp.WorkspaceDocumentDiagnosticReport] = []
        with progress:
            for number, document in enumerate(documents):
                progress.report(number, len(documents), Path(document.path).name)
                reports.append(await _report(server, document, previous.pop(document.uri, None)))
                if request.partial_result_token is not None and len(reports) >= BATCH:
                    _send(server, request.partial_result_token, reports)
                    reports = []
        gone = [lsp.WorkspaceFullDocumentDiagnosticReport(uri, []) for uri in previous]
        return lsp.WorkspaceDiagnosticReport([*reports, *gone])

    _ = workspace_diagnostic


def workspace_documents(server: PtoServer) -> Iterator[Document]:
    """Every document that is open, and every file of the folders that may hold a kernel."""
    seen: set[str] = set()
    for document in server.documents.opened:
        seen.add(document.path)
        yield document
    for path in discover([Path(folder) for folder in server.documents.folders]).files:
        if str(path) not in seen:
            document = server.document(uri_of(str(path)))
            if document is not None and is_relevant(document.path, document.text):
                yield document


async def _report(server: PtoServer, document: Document, previous: str | None) -> lsp.WorkspaceDocumentDiagnosticReport:
    version, items = await _diagnostics(server, document)
    identity = result_id(items)
    if identity == previous:
        return lsp.WorkspaceUnchangedDocumentDiagnosticReport(document.uri, identity, version)
    return lsp.WorkspaceFullDocumentDiagnosticReport(document.uri, items, version, result_id=identity)


async def _diagnostics(server: PtoServer, document: Document) -> tuple[int | None, list[lsp.Diagnostic]]:
    if document.version is not None:
        analysed, items = await diagnostics_of(server, document)
        return analysed.document.version, items
    if not server.documents.editor.enabled:
        return None, []
    analysed = await server.analyses.of_closed(document)
    at = server.converter(document.text)
    found = analysed.report.findings
    return None, [diagnostic(finding, document.path, at, {}, server.manners) for finding in found]


def _send(
    server: PtoServer, token: lsp.ProgressToken, reports: Sequence[lsp.WorkspaceDocumentDiagnosticReport]
) -> None:
    value = lsp.WorkspaceDiagnosticReportPartialResult(reports)
    server.protocol.notify(lsp.PROGRESS, lsp.ProgressParams(token, value))
