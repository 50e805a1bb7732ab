"""Python's garbage collector, kept out of the way of a keystroke.

A full collection looks at everything that is remembered and takes longer than most analyses, so it waits until the
user pauses, unless so much has been left behind that memory would suffer.
"""

from __future__ import annotations

import asyncio
import gc

QUIET_SECONDS = 2.0
WORTH_COLLECTING = 20_000
"""Objects made since the last collection, and still there, that are worth one in a pause."""

TOO_MANY = 600_000
"""So many do not wait for a pause: about 60 MB."""


class Collector:
    """Takes the place of the automatic collector of this process. For the event loop's thread."""

    def __init__(self) -> None:
        self._timer: asyncio.TimerHandle | None = None

    def take_over(self) -> None:
        """What is loaded by now stays for ever, and need not be looked at again."""
        gc.collect()
        gc.freeze()
        gc.disable()

    def note_work(self) -> None:
        """Something was worked out. Collects now, later, or not at all."""
        if gc.get_count()[0] > TOO_MANY:
            gc.collect()
        if self._timer is not None:
            self._timer.cancel()
        self._timer = asyncio.get_running_loop().call_later(QUIET_SECONDS, self._pause)

    def _pause(self) -> None:
        self._timer = None
        if gc.get_count()[0] > WORTH_COLLECTING:
            gc.collect()
