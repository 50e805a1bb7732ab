"""Python's garbage collector, kept out of the way of a keystroke.

A full collection looks at everything that is remembered and takes longer than most analyses, so it waits until the
user pauses. In between only what is new is looked at, and only after an answer was given.
"""

from __future__ import annotations

import asyncio
import gc

SOON_SECONDS = 0.05
QUIET_SECONDS = 2.0

WORTH_COLLECTING = 20_000
"""Objects made since the last collection, and still there, that are worth one in a pause."""

TOO_MANY = 100_000
"""So many do not wait for a pause: about 10 MB."""

MOST_IN_A_ROW = 50
"""Collections of what is new, before everything is looked at even without a pause."""


class Collector:
    """Takes the place of the automatic collector of this process. For the event loop's thread."""

    def __init__(self) -> None:
        self._soon: asyncio.TimerHandle | None = None
        self._pause: asyncio.TimerHandle | None = None

    def take_over(self) -> None:
        """What is loaded by now stays for ever, and need not be looked at again."""
        gc.collect()
        gc.freeze()
        gc.disable()

    def note_work(self) -> None:
        """Something was worked out."""
        loop = asyncio.get_running_loop()
        if self._soon is None and gc.get_count()[0] > TOO_MANY:
            self._soon = loop.call_later(SOON_SECONDS, self._collect_new)
        if self._pause is not None:
            self._pause.cancel()
        self._pause = loop.call_later(QUIET_SECONDS, self._collect_all)

    def _collect_new(self) -> None:
        self._soon = None
        gc.collect(0 if gc.get_count()[1] < MOST_IN_A_ROW else 2)

    def _collect_all(self) -> None:
        self._pause = None
        new, rounds, _ = gc.get_count()
        if rounds or new > WORTH_COLLECTING:
            gc.collect()
