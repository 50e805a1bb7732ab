"""Progress of long work, in a client's bar."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Awaitable
from typing import TypeVar

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

SLOW_SECONDS = 1.0
"""Work that takes longer is shown."""

T = TypeVar("T")


class Progress:
    """Between begin and end of `with`; says nothing without a token."""

    def __init__(self, server: LanguageServer, token: lsp.ProgressToken | None, title: str) -> None:
        self._server = server
        self._token = token
        self._title = title

    def __enter__(self) -> None:
        self._notify(lsp.WorkDoneProgressBegin(self._title, percentage=0))

    def __exit__(self, *_: object) -> None:
        self._notify(lsp.WorkDoneProgressEnd())

    def report(self, done: int, total: int, message: str) -> None:
        self._notify(lsp.WorkDoneProgressReport(message=message, percentage=100 * done // max(total, 1)))

    def _notify(self, value: lsp.WorkDoneProgressBegin | lsp.WorkDoneProgressReport | lsp.WorkDoneProgressEnd) -> None:
        if self._token is not None:
            self._server.protocol.notify(lsp.PROGRESS, lsp.ProgressParams(self._token, value))


async def shown_when_slow(server: LanguageServer, title: str, work: Awaitable[T]) -> T:
    """The result of `work`; a client that shows a server's progress gets a bar once it takes long."""
    task = asyncio.ensure_future(work)
    try:
        done, _ = await asyncio.wait([task], timeout=SLOW_SECONDS)
        if done or not _can_show(server):
            return await task
        token = str(uuid.uuid4())
        await server.window_work_done_progress_create_async(lsp.WorkDoneProgressCreateParams(token))
        with Progress(server, token, title):
            return await task
    except asyncio.CancelledError:
        task.cancel()
        raise


def _can_show(server: LanguageServer) -> bool:
    window = server.client_capabilities.window
    return bool(window and window.work_done_progress)
