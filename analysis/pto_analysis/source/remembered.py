"""Results by text, forgotten when the texts get too many: what is remembered is bounded by size, not by number.

A keystroke makes a new text of a whole function or file, so a bound on the number of results would be none on memory.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

FEW = 8
"""Kernels of which is remembered what only one look at them needs: rules come to one after the other."""

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Store(Generic[K, V]):
    """Values by key, the least recently used forgotten first. `room` is the sum of sizes that is kept. Thread-safe."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._used = 0
        self._values: OrderedDict[K, tuple[int, V]] = OrderedDict()
        self._lock = Lock()

    def get(self, key: K) -> V | None:
        with self._lock:
            known = self._values.get(key)
            if known is None:
                return None
            self._values.move_to_end(key)
            return known[1]

    def peek(self, key: K) -> V | None:
        """`get` without counting as a use."""
        known = self._values.get(key)
        return None if known is None else known[1]

    def put(self, key: K, value: V, size: int) -> None:
        """The newest value is kept whatever its size."""
        with self._lock:
            before = self._values.pop(key, None)
            self._used += size - (0 if before is None else before[0])
            self._values[key] = (size, value)
            while self._used > self._room and len(self._values) > 1:
                _, (gone, _) = self._values.popitem(last=False)
                self._used -= gone

    def drop(self, key: K) -> None:
        with self._lock:
            gone = self._values.pop(key, None)
            self._used -= 0 if gone is None else gone[0]

    def clear(self) -> None:
        with self._lock:
            self._values.clear()
            self._used = 0

    def __len__(self) -> int:
        return len(self._values)


class Remembered(Generic[V]):
    """A function of a text that remembers its results for so many characters of texts."""

    def __init__(self, function: Callable[[str], V], characters: int) -> None:
        self._function = function
        self._store: Store[str, tuple[V]] = Store(characters)

    def __call__(self, text: str) -> V:
        known = self._store.get(text)
        if known is None:
            known = (self._function(text),)
            self._store.put(text, known, len(text) + 1)
        return known[0]

    def known(self, text: str) -> V | None:
        """What is remembered of a text; None when nothing is."""
        found = self._store.get(text)
        return None if found is None else found[0]

    def forget(self, text: str) -> None:
        self._store.drop(text)

    def __len__(self) -> int:
        return len(self._store)

    def cache_clear(self) -> None:
        self._store.clear()


def remembered(characters: int) -> Callable[[Callable[[str], V]], Remembered[V]]:
    """Decorates a function of one text."""
    return lambda function: Remembered(function, characters)
