"""How full the on-chip buffers are: at a kernel's worst point, and where one statement stands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pto_analysis.ide.variables import made_of
from pto_analysis.ir.stmt import Assign
from pto_analysis.ir.types import Space, UnknownType
from pto_analysis.ir.walk import statements
from pto_analysis.report import InternalError
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.guard import guarded
from pto_analysis.rules.usage import Budget, budgets, budgets_at, buffer_name, buffer_text, is_known_in_full, is_split

MAX_NAMED = 8
"""Buffers that a hover names; the budget preview lists all."""

_KIB = 1024


def capacity_title(kernels: Sequence[KernelFacts], kernel: KernelFacts) -> str:
    """`Vec 48 of 184 KiB, Acc 16 of 128 KiB`: each buffer at the worst point of all that a kernel is made into.

    Tiles of symbolic size are counted, those that are not understood make it a lower bound.
    """
    cores = [made for made in made_of(kernels, kernel) if made.is_core]
    fullest = sorted(_fullest(cores).values(), key=lambda budget: -_share(budget))
    if not fullest:
        return "tiles not known" if any(map(_is_lower_bound, cores)) else "no tiles"
    shown = ", ".join(_title(budget, is_split=any(map(is_split, cores))) for budget in fullest)
    return f"at least {shown}" if any(map(_is_lower_bound, cores)) else shown


def _is_lower_bound(core: KernelFacts) -> bool:
    """Whether there may be more tiles than are counted: something was refused, or has no type."""
    written = core.written or core
    values = (stmt.var.type for stmt in statements(core.function.body) if isinstance(stmt, Assign))
    return bool(written.issues) or not is_known_in_full(core) or any(isinstance(each, UnknownType) for each in values)


def _fullest(cores: Sequence[KernelFacts]) -> dict[Space, Budget]:
    found: dict[Space, Budget] = {}
    for budget in (budget for core in cores for budget in _guarded(core, None)):
        space = budget.usage.space
        if (budget.usage.needed or budget.usage.unsized) and (
            space not in found or _share(found[space]) < _share(budget)
        ):
            found[space] = budget
    return found


def _guarded(core: KernelFacts, statement: int | None) -> tuple[Budget, ...]:
    errors: list[InternalError] = []
    if statement is None:
        return guarded(lambda: budgets(core), f"the budget of {core.qualname}", errors) or ()
    return guarded(lambda: budgets_at(core, statement), f"the budget of {core.qualname}", errors) or ()


def _share(budget: Budget) -> float:
    return budget.usage.needed / budget.limit


def _title(budget: Budget, *, is_split: bool) -> str:
    halved = is_split and budget.usage.space is Space.VEC
    verdict = " on two cores" if halved else ": too much" if budget.is_over else ""
    usage = budget.usage
    unsized = f"{_tiles(usage.unsized)} of unknown size" if usage.unsized else ""
    sized = f"{kib(usage.needed)} of {kib(budget.limit)} KiB{verdict}" if usage.needed or not unsized else ""
    return f"{usage.space.value} {' and '.join(filter(None, (sized, unsized)))}"


def _tiles(count: int) -> str:
    return "1 tile" if count == 1 else f"{count} tiles"


def kib(count: int) -> str:
    """A number of bytes in KiB; a part of one with up to two digits."""
    return f"{count / _KIB:.2f}".rstrip("0").rstrip(".")


def capacity_facts(
    kernels: Sequence[KernelFacts], kernel: KernelFacts, statement: int, name: str, space: Space | None
) -> list[str]:
    """What else is live in the buffer of a tile at the fullest point of a statement, and how full that makes it.

    `name` is the tile's in the source; `space` where it lives, None if only placement decides that.
    """
    facts: list[str] = []
    for core in (made for made in made_of(kernels, kernel) if made.is_core):
        for here in _guarded(core, statement):
            names = {buffer_name(buffer) for buffer in here.usage.live}
            if here.usage.space is space or (space is None and name in names):
                facts += _facts(core, here)
    return facts


def _facts(core: KernelFacts, here: Budget) -> Iterable[str]:
    usage = here.usage
    if usage.unsized:
        yield f"not counted: {_tiles(usage.unsized)} of unknown size in {usage.space.value}"
    if not usage.needed:
        return
    live = ", ".join(f"{buffer_text(buffer)} {_bytes(buffer.size)}" for buffer in usage.live[:MAX_NAMED])
    more = f" and {len(usage.live) - MAX_NAMED} more" if len(usage.live) > MAX_NAMED else ""
    yield f"live in {usage.space.value} here: {live}{more}"
    least = "at least " if _is_lower_bound(core) else ""
    yield f"together {least}{usage.needed:,} of {here.limit:,} bytes ({_share(here):.0%}){_worst(core, here)}"


def _worst(core: KernelFacts, here: Budget) -> str:
    """How full the buffer gets elsewhere in the kernel."""
    worst = next((each for each in _guarded(core, None) if each.usage.space is here.usage.space), None)
    if worst is None or worst.usage.needed <= here.usage.needed:
        return ", the most that this kernel needs"
    return f"; at most {worst.usage.needed:,} ({_share(worst):.0%}) in this kernel"


def _bytes(size: int | None) -> str:
    return "?" if size is None else f"{size:,}"
