"""The waits that the queues of a kernel need, by the lines they stand at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from pto_analysis.frozen import frozen
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.guard import guarded
from pto_analysis.rules.kernel_programs import plans_of, programs_of_facts
from pto_analysis.source.remembered import FEW
from pto_analysis.sync.plan import Plan
from pto_analysis.sync.program import Branch, Loop, Op, SyncProgram, statements


@frozen(order=True)
class Wait:
    """A wait of one queue for another, at a line and column of the kernel's unit."""

    line: int
    column: int
    label: str
    why: str


@lru_cache(maxsize=FEW)
def plans(kernel: KernelFacts) -> tuple[tuple[SyncProgram, Plan], ...]:
    """The sync programs of a kernel with their waits, one for each core it runs on; lines are the unit's."""
    found = guarded(lambda: _plans(kernel), f"the waits of {kernel.qualname}", [])
    return found or ()


def _plans(kernel: KernelFacts) -> tuple[tuple[SyncProgram, Plan], ...]:
    programs = programs_of_facts(kernel)
    return tuple((one, policies.precise) for one, policies in zip(programs, plans_of(kernel), strict=True))


def waits(kernels: Sequence[KernelFacts]) -> tuple[Wait, ...]:
    """Every wait and barrier that is provably needed, in order."""
    found = (wait for kernel in kernels for program, plan in plans(kernel) for wait in waits_in(program, plan))
    return tuple(sorted(found))


def waits_in(program: SyncProgram, plan: Plan) -> Iterator[Wait]:
    """Every wait and barrier of one plan."""
    places = {each.id: each.where.span for each in statements(program.body) if isinstance(each, (Op, Loop, Branch))}
    for item in plan.items:
        place = places.get(item.anchor.node.partition("/")[0], program.where.span)
        if item.kind == "wait":
            yield Wait(place.line, place.column, f"{item.target.value} waits for {item.source.value}", item.reason)
        elif item.kind == "barrier":
            yield Wait(place.line, place.column, f"barrier {item.source.value}", item.reason)


def wait_hints(waits: Iterable[Wait]) -> Iterator[tuple[int, int, str, str]]:
    """One mark for all that an operation waits for: line, column, label, reasons."""
    by_place: dict[tuple[int, int], list[Wait]] = {}
    for wait in waits:
        by_place.setdefault((wait.line, wait.column), []).append(wait)
    for (line, column), found in by_place.items():
        labels = dict.fromkeys(wait.label for wait in found)
        reasons = dict.fromkeys(wait.why for wait in found if wait.why)
        yield line, column, ", ".join(labels), "\n".join(reasons)
