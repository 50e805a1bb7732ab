"""Work shared by several processes: each begins a stretch of its own, and helps another when it is through.

Neighbours share imports and statements, and what a process has read once it need not read again. Items that cost more
than their size says even out, since an idle process takes from the far end of the longest stretch.
"""

from __future__ import annotations

import contextlib
import gc
import signal
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from multiprocessing import get_all_start_methods, get_context
from multiprocessing.connection import Connection, wait
from typing import Generic, TypeVar, cast

from attrs import define

Item = TypeVar("Item")
Result = TypeVar("Result")


def forks() -> bool:
    """Whether new processes know what this one has loaded."""
    return "fork" in get_all_start_methods()


def run_in_processes(
    items: Sequence[Item], size: Callable[[Item], int], work: Callable[[Item], Result], processes: int
) -> Iterator[tuple[Item, Result | None]]:
    """Each item with what `work` makes of it, as they come; with None when the process died over it."""
    context = get_context("fork") if forks() else get_context("spawn")
    stretches = stretches_of(items, size, processes)
    workers: dict[Connection, _Worker[Item, Result]] = {}
    try:
        for stretch in stretches:
            ours, theirs = cast("tuple[Connection, Connection]", context.Pipe())
            process = context.Process(target=_serve, args=(theirs, work), daemon=True)
            process.start()
            theirs.close()
            workers[ours] = _Worker(ours, process.terminate, stretch)
        yield from _results(workers, stretches, size)
    finally:
        for worker in workers.values():
            worker.stop()


def stretches_of(items: Sequence[Item], size: Callable[[Item], int], number: int) -> list[deque[Item]]:
    """Items cut into so many runs of about the same size, each with its largest items first: a large one that is left
    to the end leaves the others idle."""
    stretches: list[deque[Item]] = [deque() for _ in range(number)]
    total = sum(map(size, items)) or 1
    before = 0
    for item in items:
        middle = before + size(item) / 2
        stretches[min(int(middle * number / total), number - 1)].append(item)
        before += size(item)
    return [deque(sorted(stretch, key=size, reverse=True)) for stretch in stretches]


def next_item(own: deque[Item], all_: Sequence[deque[Item]], size: Callable[[Item], int]) -> Item | None:
    """The first of the own stretch, else the last of the longest; None when nothing is left."""
    if own:
        return own.popleft()
    longest = max(all_, key=lambda stretch: sum(map(size, stretch)))
    return longest.pop() if longest else None


@define(eq=False)
class _Worker(Generic[Item, Result]):
    """One process from outside. `item` is what it is working at."""

    connection: Connection
    stop: Callable[[], None]
    stretch: deque[Item]
    item: Item | None = None

    def begin(self, item: Item) -> None:
        self.item = item
        with contextlib.suppress(OSError):  # of a process that died, which receiving will tell
            self.connection.send(item)

    def receive(self) -> Result | None:
        """What came of the item; None when the process is dead."""
        try:
            return self.connection.recv()
        except (EOFError, OSError):
            return None


def _results(
    workers: dict[Connection, _Worker[Item, Result]], stretches: Sequence[deque[Item]], size: Callable[[Item], int]
) -> Iterator[tuple[Item, Result | None]]:
    busy: list[Connection] = []

    def proceed(worker: _Worker[Item, Result]) -> None:
        item = next_item(worker.stretch, stretches, size)
        if item is not None:
            worker.begin(item)
            busy.append(worker.connection)

    for worker in workers.values():
        proceed(worker)
    while busy:
        for connection in [each for each in wait(busy) if isinstance(each, Connection)]:
            worker = workers[connection]
            busy.remove(connection)
            item, result = worker.item, worker.receive()
            if result is not None:
                proceed(worker)
            if item is not None:
                yield item, result
    yield from ((item, None) for stretch in stretches for item in stretch)


def _serve(connection: Connection, work: Callable[[Item], Result]) -> None:
    """The life of a process: it makes no cycles worth collecting, and leaves interrupts to the one that began it."""
    gc.disable()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        try:
            item = connection.recv()
        except EOFError:
            return
        connection.send(work(item))
