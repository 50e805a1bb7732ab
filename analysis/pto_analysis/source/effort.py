"""What answering a question about the values of names may cost."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from attrs import define

MAX_DEPTH = 24
"""Names of other modules, calls and class members inside one another."""

MAX_CALLS = 500
"""Calls that answering one question may take."""

TOO_DEEP = "defined through too many modules and calls"


@define
class Effort:
    """The levels below the question, and the calls for it."""

    depth: int = 0
    calls: int = 0

    @contextmanager
    def nested(self) -> Generator[bool]:
        """One level deeper; False when that is too deep."""
        if self.depth == 0:
            self.calls = 0
        self.depth += 1
        try:
            yield self.depth <= MAX_DEPTH
        finally:
            self.depth -= 1
