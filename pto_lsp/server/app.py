"""The server: its life cycle, what it was told about documents and settings, and the features on top."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from threading import Event
from typing import Any, cast

from lsprotocol import types as lsp
from pygls.io_ import run_async
from pygls.lsp.server import LanguageServer

from pto_analysis.source.encoding import PositionEncoding
from pto_analysis.source.text import SourceText
from pto_lsp import __version__
from pto_lsp.server.analyses import Analyses
from pto_lsp.server.channel import StreamHeaders, watch_process
from pto_lsp.server.collector import Collector
from pto_lsp.server.convert import Converter, Manners, path_of
from pto_lsp.server.documents import Document, Documents, editor_settings
from pto_lsp.server.protocol import PtoProtocol

log = logging.getLogger("pto.server")

Listener = Callable[["str | None"], None]
"""Takes the path of the document whose text changed; None when something else did."""

_ENCODINGS: dict[str, PositionEncoding] = {"utf-8": "utf-8", "utf-16": "utf-16", "utf-32": "utf-32"}


class PtoServer(LanguageServer):
    """The state of one connection."""

    def __init__(self) -> None:
        super().__init__("pto-lsp", __version__, protocol_cls=PtoProtocol)  # pyright: ignore[reportUnknownMemberType]
        self.documents = Documents()
        self.collector = Collector()
        self.analyses = Analyses(self.documents, self.collector.note_work)
        self.manners = Manners()
        self.listeners: list[Listener] = []
        """Called whenever what is reported about any document may have changed."""
        self.client_process: int | None = None
        self._was_shut_down = False
        self._watching: asyncio.Task[None] | None = None

    def start_tcp(self, host: str, port: int) -> None:
        """As in pygls, with headers put right."""
        stop = self._stop_event = Event()

        async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            self.protocol.set_writer(writer)  # pyright: ignore[reportArgumentType, reportUnknownMemberType]
            await run_async(
                stop_event=stop,
                reader=StreamHeaders(reader),
                protocol=self.protocol,
                error_handler=self.report_server_error,
            )
            self.shutdown()

        async def serve() -> None:
            self._server = server = await asyncio.start_server(connected, host, port)
            async with server:
                await server.serve_forever()

        with suppress(asyncio.CancelledError):
            asyncio.run(serve())

    def follow_client(self) -> None:
        """Ends this process when that of the client has ended, as the protocol asks for."""
        if self.client_process is not None and self._watching is None:
            watching = watch_process(self.client_process, self._client_is_gone)
            self._watching = asyncio.get_running_loop().create_task(watching)

    def _client_is_gone(self) -> None:
        """At once: a thread waits for input that may never come, and nobody is there for an orderly end."""
        log.warning("the client's process has ended")
        logging.shutdown()
        os._exit(self.exit_code)

    @property
    def exit_code(self) -> int:
        """0 after an orderly shutdown, 1 when the client went away without one (LSP, `exit`)."""
        return 0 if self._was_shut_down else 1

    def note_shutdown(self) -> None:
        self._was_shut_down = True
        self.analyses.close()

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Into the log: a popup for every fault would only be in the way."""
        log.error("%s: %s", getattr(source, "__name__", source), error, exc_info=error)

    @property
    def encoding(self) -> PositionEncoding:
        return _ENCODINGS.get(str(self.workspace.position_encoding or "utf-16"), "utf-16")

    def converter(self, text: str) -> Converter:
        return Converter(SourceText(text), self.encoding)

    def document(self, uri: str) -> Document | None:
        """The open document, or the file on disk; None when there is neither."""
        path = path_of(uri)
        if path is None:
            return None
        known = self.documents.get(path)
        if known is not None:
            return known
        text = self.documents.snapshot(path).read(path)
        return None if text is None else Document(uri, path, None, text)

    def restart(self) -> None:
        """As if the server had just started, with the documents that are open."""
        self.analyses.restart()
        self.documents.forget_configuration()
        self.changed()

    def changed(self, path: str | None = None) -> None:
        """Something that any report may depend on is different now: the text of `path`, or anything else."""
        for listener in self.listeners:
            listener(path)


def create_server() -> PtoServer:
    from pto_lsp.server import features

    server = PtoServer()
    _follow_life(server, features.register)
    _follow_documents(server)
    _follow_settings(server)
    return server


def _follow_life(server: PtoServer, register: Callable[[PtoServer, lsp.InitializeParams], None]) -> None:
    @server.feature(lsp.INITIALIZE)
    def initialize(params: lsp.InitializeParams) -> None:
        """Features are chosen here, before the capabilities are computed, since some depend on the client."""
        server.manners = _manners(params.capabilities)
        server.client_process = params.process_id
        folders = params.workspace_folders or ([_folder(params.root_uri)] if params.root_uri else [])
        server.documents.set_folders(path for folder in folders if (path := path_of(folder.uri)) is not None)
        server.documents.configure(editor_settings(_section(params.initialization_options)))
        register(server, params)

    @server.feature(lsp.INITIALIZED)
    async def initialized(_: lsp.InitializedParams) -> None:
        server.follow_client()
        await _watch(server)
        await _pull_settings(server)

    @server.feature(lsp.SHUTDOWN)
    def shutdown(_: None) -> None:
        server.note_shutdown()

    _ = (initialize, initialized, shutdown)


def _follow_documents(server: PtoServer) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        _take(server, params.text_document)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: lsp.DidChangeTextDocumentParams) -> None:
        _change(server, params)

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    def saved(_: lsp.DidSaveTextDocumentParams) -> None:
        server.documents.forget_configuration()
        server.changed()

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        path = path_of(params.text_document.uri)
        if path is not None:
            server.documents.close(path)
            server.analyses.forget(path)
            server.changed()

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def watched(_: lsp.DidChangeWatchedFilesParams) -> None:
        server.documents.forget_configuration()
        server.changed()

    @server.feature(lsp.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def folders(_: lsp.DidChangeWorkspaceFoldersParams) -> None:
        known = server.workspace.folders.values()
        server.documents.set_folders(path for folder in known if (path := path_of(folder.uri)) is not None)
        server.changed()

    _ = (opened, changed, saved, closed, watched, folders)


def _follow_settings(server: PtoServer) -> None:
    @server.feature(lsp.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def configured(params: lsp.DidChangeConfigurationParams) -> None:
        if not await _pull_settings(server):
            server.documents.configure(editor_settings(_section(params.settings)))
            server.changed()

    _ = configured


def _take(server: PtoServer, item: lsp.TextDocumentItem) -> None:
    path = path_of(item.uri)
    if path is not None:
        server.documents.open(Document(item.uri, path, item.version, item.text))
        server.changed(path)


def _change(server: PtoServer, params: lsp.DidChangeTextDocumentParams) -> None:
    path = path_of(params.text_document.uri)
    known = server.documents.get(path) if path is not None else None
    if known is None:
        return
    text = known.text
    for change in params.content_changes:
        text = _changed_text(server, text, change)
    server.documents.open(Document(known.uri, known.path, params.text_document.version, text))
    server.changed(known.path)


def _changed_text(server: PtoServer, text: str, change: lsp.TextDocumentContentChangeEvent) -> str:
    if not isinstance(change, lsp.TextDocumentContentChangePartial):
        return change.text
    at = server.converter(text)
    span = at.span(change.range)
    start, end = at.text.offset(span.line, span.column), at.text.offset(span.end_line, span.end_column)
    return text[:start] + change.text + text[max(start, end) :]


async def _pull_settings(server: PtoServer) -> bool:
    """Asks the client for its `pto` section; False when it does not answer such questions."""
    workspace = server.client_capabilities.workspace
    if workspace is None or not workspace.configuration:
        return False
    try:
        answer = await asyncio.wait_for(
            server.workspace_configuration_async(lsp.ConfigurationParams([lsp.ConfigurationItem(section="pto")])), 5
        )
    except Exception as error:  # a client that promises the request and fails it must not stop the server
        log.warning("the client did not give its settings: %s", error)
        return False
    server.documents.configure(editor_settings(answer[0] if answer else None))
    server.changed()
    return True


async def _watch(server: PtoServer) -> None:
    """Asks for news of files and settings, where the client lets a server ask."""
    workspace = server.client_capabilities.workspace
    wanted: list[lsp.Registration] = []
    if workspace and workspace.did_change_watched_files and workspace.did_change_watched_files.dynamic_registration:
        globs = ("**/*.py", "**/*.pto", "**/pyproject.toml", "**/pto-lint.toml")
        watchers = [lsp.FileSystemWatcher(glob) for glob in globs]
        options = lsp.DidChangeWatchedFilesRegistrationOptions(watchers)
        wanted.append(lsp.Registration("pto.files", lsp.WORKSPACE_DID_CHANGE_WATCHED_FILES, options))
    if workspace and workspace.did_change_configuration and workspace.did_change_configuration.dynamic_registration:
        section = lsp.DidChangeConfigurationRegistrationOptions(section="pto")
        wanted.append(lsp.Registration("pto.settings", lsp.WORKSPACE_DID_CHANGE_CONFIGURATION, section))
    if not wanted:
        return
    try:
        await asyncio.wait_for(server.client_register_capability_async(lsp.RegistrationParams(wanted)), 5)
    except Exception as error:
        log.warning("the client refused to watch files: %s", error)


def _section(options: object) -> object:
    """Clients send the section itself or a table that has it under `pto`."""
    if not isinstance(options, Mapping):
        return options
    table = cast("Mapping[str, object]", options)
    return table["pto"] if isinstance(table.get("pto"), Mapping) else table


def _folder(uri: str) -> lsp.WorkspaceFolder:
    return lsp.WorkspaceFolder(uri, uri)


def _manners(capabilities: lsp.ClientCapabilities) -> Manners:
    document = capabilities.text_document
    pull = document.diagnostic if document else None
    push = document.publish_diagnostics if document else None
    shown = [each for each in (push, pull) if each is not None]
    return Manners(
        related=any(bool(each.related_information) for each in shown),
        links=any(bool(each.code_description_support) for each in shown),
        tags=any(each.tag_support is not None for each in shown),
    )
