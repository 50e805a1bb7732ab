"""Which regions a handle may name: for showing, not for proofs (those are `accesses`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pto_analysis.sync.program import Bind, Branch, Choice, Loop, SyncProgram, Whole, statements


def touched_regions(program: SyncProgram) -> Mapping[str, tuple[str, ...]]:
    """Every handle of the program with the ids of the regions that it may name, sorted."""
    sources: dict[str, set[str]] = {}
    found: dict[str, set[str]] = {}
    for handle, regions, handles in _edges(program):
        found.setdefault(handle, set()).update(regions)
        sources.setdefault(handle, set()).update(handles)
    _close(sources, found)
    return {handle: tuple(sorted(regions)) for handle, regions in found.items()}


def _edges(program: SyncProgram) -> Iterator[tuple[str, set[str], set[str]]]:
    """(handle, regions it names itself, handles it is made of)."""
    for statement in statements(program.body):
        if isinstance(statement, Bind):
            view = statement.view
            if isinstance(view, Whole):
                yield statement.handle, {view.region}, set()
            elif isinstance(view, Choice):
                yield statement.handle, set(), {view.then, view.otherwise}
            else:
                yield statement.handle, set(), {view.source}
        elif isinstance(statement, Loop):
            for carry in statement.handles:
                for name in (carry.handle, carry.result):
                    if name is not None:
                        yield name, set(), {carry.initial, carry.next}
        elif isinstance(statement, Branch):
            for merge in statement.handles:
                yield merge.result, set(), {merge.then, merge.otherwise}


def _close(sources: dict[str, set[str]], found: dict[str, set[str]]) -> None:
    """Push regions along the edges until nothing changes; a handle is looked at again when a source grew."""
    users: dict[str, set[str]] = {}
    for handle, handles in sources.items():
        for source in handles:
            users.setdefault(source, set()).add(handle)
    pending = list(found)
    while pending:
        source = pending.pop()
        for user in users.get(source, ()):
            if not found[source] <= found[user]:
                found[user] |= found[source]
                pending.append(user)
