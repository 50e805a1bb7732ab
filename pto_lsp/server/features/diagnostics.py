"""Diagnostics: pulled by clients that can, pushed to the others, never both."""

from __future__ import annotations

import asyncio
import json
import os
from hashlib import blake2b

from lsprotocol import types as lsp
from lsprotocol.converters import get_converter

from pto_lsp.server.analyses import Analysed
from pto_lsp.server.app import PtoServer
from pto_lsp.server.convert import diagnostic
from pto_lsp.server.documents import Document
from pto_lsp.server.progress import shown_when_slow

DEBOUNCE_SECONDS = 0.12
IDENTIFIER = "pto"

_to_json = get_converter()


def register(server: PtoServer, params: lsp.InitializeParams) -> None:
    if pulls(params):
        _pull(server)
    else:
        _Push(server)


def pulls(params: lsp.InitializeParams) -> bool:
    """Whether the client asks for diagnostics; the others are sent them."""
    document = params.capabilities.text_document
    return document is not None and document.diagnostic is not None


async def diagnostics_of(server: PtoServer, document: Document) -> tuple[Analysed, list[lsp.Diagnostic]]:
    """The diagnostics of the newest text of a document; none while the server is switched off."""
    title = f"Checking {os.path.basename(document.path)}"
    analysed = await shown_when_slow(server, title, server.analyses.of(document))
    if not server.documents.editor.enabled:
        return analysed, []
    at = server.converter(analysed.document.text)
    found = analysed.report.findings
    return analysed, [diagnostic(finding, analysed.document.path, at, {}, server.manners) for finding in found]


def result_id(diagnostics: list[lsp.Diagnostic]) -> str:
    """From the content, not the version: a document may be closed and opened again under an old version."""
    body = json.dumps(_to_json.unstructure(diagnostics), sort_keys=True, default=str)
    return blake2b(body.encode(), digest_size=12).hexdigest()


def _pull(server: PtoServer) -> None:
    options = lsp.DiagnosticOptions(inter_file_dependencies=True, workspace_diagnostics=True, identifier=IDENTIFIER)

    @server.feature(lsp.TEXT_DOCUMENT_DIAGNOSTIC, options)
    async def document_diagnostic(request: lsp.DocumentDiagnosticParams) -> lsp.DocumentDiagnosticReport:
        document = server.document(request.text_document.uri)
        if document is None:
            return lsp.RelatedFullDocumentDiagnosticReport([])
        _, items = await diagnostics_of(server, document)
        identity = result_id(items)
        if identity == request.previous_result_id:
            return lsp.RelatedUnchangedDocumentDiagnosticReport(identity)
        return lsp.RelatedFullDocumentDiagnosticReport(items, result_id=identity)

    _ = document_diagnostic


class _Push:
    """Publishes the diagnostics of every open document a moment after the last change."""

    def __init__(self, server: PtoServer) -> None:
        self._server = server
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None
        self._published: dict[str, str] = {}
        server.listeners.append(self._later)

    def _later(self, _path: str | None = None) -> None:
        """The first change starts the clock and later ones do not put it back, so fast typing is no silence."""
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(DEBOUNCE_SECONDS, self._start)

    def _start(self) -> None:
        self._timer = None
        previous = self._task
        self._task = asyncio.get_running_loop().create_task(self._publish(previous))

    async def _publish(self, previous: asyncio.Task[None] | None) -> None:
        if previous is not None:
            await asyncio.wait([previous])
        opened = {document.uri: document for document in self._server.documents.opened}
        for uri in [uri for uri in self._published if uri not in opened]:
            del self._published[uri]
            self._server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))
        for uri, document in opened.items():
            analysed, items = await diagnostics_of(self._server, document)
            version = analysed.document.version
            newest = self._server.documents.get(document.path)
            if newest is None or newest.version != version:
                self._later()
                continue
            identity = f"{version}:{result_id(items)}"
            if self._published.get(uri) != identity:
                self._published[uri] = identity
                self._server.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, items, version))
