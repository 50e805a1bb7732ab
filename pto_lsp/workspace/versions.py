"""Values of the places of files, by what they were made from; what has been edited away is forgotten.

Of every place the last few values are kept, and of a file nothing that its last few texts had no use for: what is
remembered follows the files and not the edits.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Generic, TypeVar

from attrs import define, field

from pto_analysis.source.remembered import Store

P = TypeVar("P", bound=Hashable)
V = TypeVar("V")

KEPT = 3
"""Values of one place. Undoing the last edit is common, going back further is not."""


@define(eq=False)
class Stamp:
    """When something was last of use."""

    last: int


@define(eq=False)
class Uses:
    """What was of use when: the clock that stores share. `now` counts analyses."""

    now: int = 0
    _noted: list[Stamp] = field(factory=list[Stamp])

    def begin(self) -> None:
        """Another analysis."""
        self.now += 1
        self._noted.clear()

    def note(self, stamp: Stamp) -> None:
        stamp.last = self.now
        self._noted.append(stamp)

    def again(self, stamps: Iterable[Stamp]) -> None:
        """What was made of all these is of use, so that they are."""
        for stamp in stamps:
            stamp.last = self.now

    def taken(self) -> tuple[Stamp, ...]:
        """What was of use since this was last asked."""
        noted = tuple(dict.fromkeys(self._noted))
        self._noted.clear()
        return noted


@define(eq=False)
class _Version(Generic[V]):
    made_from: bytes
    value: V
    size: int
    stamp: Stamp


class Versions(Generic[P, V]):
    """The last few values of every place. `room` is the sum of sizes that is kept at most."""

    def __init__(self, room: int, uses: Uses) -> None:
        self._uses = uses
        self._store: Store[tuple[str, P], tuple[_Version[V], ...]] = Store(room)
        self._places: dict[str, set[P]] = {}

    def get(self, path: str, place: P, made_from: bytes) -> V | None:
        for version in self._store.get((path, place)) or ():
            if version.made_from == made_from:
                self._uses.note(version.stamp)
                return version.value
        return None

    def put(self, path: str, place: P, made_from: bytes, value: V, size: int) -> None:
        known = self._store.get((path, place)) or ()
        others = [each for each in known if each.made_from != made_from]
        others.sort(key=lambda each: -each.stamp.last)
        stamp = next((each.stamp for each in known if each.made_from == made_from), None) or Stamp(self._uses.now)
        self._uses.note(stamp)
        self._places.setdefault(path, set()).add(place)
        self._keep(path, place, (_Version(made_from, value, size, stamp), *others)[:KEPT])

    def of(self, path: str, place: P, made_from: bytes, make: Callable[[], V], size: Callable[[V], int]) -> V:
        """The value made from this, made now where it is not remembered."""
        known = self.get(path, place, made_from)
        if known is None:
            known = make()
            self.put(path, place, made_from, known, size(known))
        return known

    def sweep(self, path: str, since: int) -> None:
        """Forgets what of a file was of no use since then."""
        for place in tuple(self._places.get(path, ())):
            versions = self._store.get((path, place)) or ()
            used = tuple(each for each in versions if each.stamp.last >= since)
            if not used:
                self._places[path].discard(place)
                self._store.drop((path, place))
            elif len(used) < len(versions):
                self._keep(path, place, used)

    def _keep(self, path: str, place: P, versions: tuple[_Version[V], ...]) -> None:
        self._store.put((path, place), versions, sum(each.size for each in versions))

    def __len__(self) -> int:
        """The number of places."""
        return len(self._store)
