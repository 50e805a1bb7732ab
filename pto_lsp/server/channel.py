"""What stands at the other end: headers as clients write them, and whether the client's process is still there."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import Callable
from typing import BinaryIO, cast

LOOK_EVERY_SECONDS = 2.0

_LENGTH = re.compile(rb"content-length[ \t]*:[ \t]*(\d+)[ \t]*\r?\n", re.IGNORECASE)


class Headers:
    """A stream whose headers are spelled as pygls expects them; by the protocol their names have no case."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def readline(self) -> bytes:
        return put_right(self._stream.readline())

    def read(self, count: int) -> bytes:
        return self._stream.read(count)


class StreamHeaders:
    """The same for a connection."""

    def __init__(self, stream: asyncio.StreamReader) -> None:
        self._stream = stream

    async def readline(self) -> bytes:
        return put_right(await self._stream.readline())

    async def readexactly(self, n: int) -> bytes:
        return await self._stream.readexactly(n)


def put_right(line: bytes) -> bytes:
    """A header as pygls spells it; anything else as it is."""
    match = _LENGTH.fullmatch(line)
    return line if match is None else b"Content-Length: %b\r\n" % match[1]


def standard_input() -> BinaryIO:
    """Standard input with its headers put right; of a stream it has what the server uses."""
    return cast("BinaryIO", Headers(sys.stdin.buffer))


async def watch_process(number: int, gone: Callable[[], None]) -> None:
    """Calls `gone` when a process has ended: the client, which may leave the pipe open to others."""
    while is_alive(number):
        await asyncio.sleep(LOOK_EVERY_SECONDS)
    gone()


def is_alive(number: int) -> bool:
    """Whether there is a process of this number. True where the system does not tell."""
    if sys.platform == "win32":
        return _is_alive_on_windows(number)
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def _is_alive_on_windows(number: int) -> bool:
    """There, signal 0 would end the process."""
    import ctypes

    synchronize, timed_out = 0x00100000, 0x102
    kernel = getattr(ctypes, "windll").kernel32  # noqa: B009  # other systems have no such attribute
    handle = kernel.OpenProcess(synchronize, False, number)
    if not handle:
        return False
    alive = kernel.WaitForSingleObject(handle, 0) == timed_out
    kernel.CloseHandle(handle)
    return bool(alive)
