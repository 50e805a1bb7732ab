"""The on-chip buffers of a kernel against what the target has: shared by the rules on capacity and the budget."""

from __future__ import annotations

from functools import lru_cache
from typing import cast

from pto_analysis.frozen import frozen
from pto_analysis.ir.expr import Call
from pto_analysis.ir.function import Function
from pto_analysis.ir.stmt import Assign, Eval, For, Scope
from pto_analysis.ir.types import Space, TileType
from pto_analysis.ir.walk import statements
from pto_analysis.ops.sizes import allocation_bytes
from pto_analysis.ops.targets import TARGETS
from pto_analysis.passes.budget import Buffer, Usage, budget
from pto_analysis.passes.lowering import lower
from pto_analysis.passes.lowering.spaces import allowed_spaces
from pto_analysis.passes.ssa.names import source_name
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.understanding import unknown_in
from pto_analysis.source.remembered import FEW

PHYSICAL = {
    ("a2a3", Space.VEC): 196_608,
    ("a5", Space.VEC): 253_952,
}
"""Bytes that the chip has where the compiler hands out fewer (pypto-lib#858, pto-isa#170)."""


@frozen
class Budget:
    """One space of one kernel: what it needs, what the compiler hands out, what the chip has. All in bytes."""

    usage: Usage
    limit: int
    physical: int

    @property
    def is_over(self) -> bool:
        return self.usage.needed > self.limit


@lru_cache(maxsize=FEW)
def budgets(kernel: KernelFacts) -> tuple[Budget, ...]:
    """The spaces that a kernel uses and the target has; nothing for what does not run on a core."""
    return _budgets(kernel, None)


def budgets_at(kernel: KernelFacts, statement: int) -> tuple[Budget, ...]:
    """At the worst point of one statement of the unit; of the next one, where the compiler leaves nothing of it."""
    placed = _placed(kernel) if kernel.is_core else None
    left = (stmt.origin.statement for stmt in statements(placed.body) if stmt.origin is not None) if placed else ()
    following = min((number for number in left if number >= statement), default=None)
    return () if following is None else _budgets(kernel, following)


def _budgets(kernel: KernelFacts, statement: int | None) -> tuple[Budget, ...]:
    target = kernel.toolchain.target
    placed = _placed(kernel) if kernel.is_core else None
    if placed is None:
        return ()
    found: list[Budget] = []
    for usage in budget(placed, target, statement):
        limit = TARGETS[target].capacity(usage.space)
        if limit is not None:
            found.append(Budget(usage, limit, PHYSICAL.get((target, usage.space), limit)))
    return tuple(found)


def surely_fits(kernel: KernelFacts) -> bool:
    """Whether all tiles together fit, so that nobody has to ask what lives when: vector work on small tiles.

    No tile of such a kernel is wanted anywhere but in Vec, so that is where the compiler leaves all of them. It is
    told of what lowering made only: of other kernels the compiler may write loops out first.
    """
    if kernel.lowered is None:
        return False
    target = kernel.toolchain.target
    room = TARGETS[target].capacity(Space.VEC) or 0
    for stmt in statements(kernel.lowered.after.body):
        call = stmt.value if isinstance(stmt, (Assign, Eval)) else None
        if isinstance(call, Call) and not _stays_in_vec(call):
            return False
        for var in stmt.definitions:
            if isinstance(var.type, TileType):
                room -= allocation_bytes(var.type, target) or 0
                if room < 0 or var.type.space not in _VEC:
                    return False
    return True


_VEC = (None, Space.VEC)
"""Where tiles of vector work lie before and after spaces are decided."""


def _stays_in_vec(call: Call) -> bool:
    return call.attrs.get("target_memory") in _VEC and not any(
        Space.VEC not in allowed[:1]
        for position in range(len(call.args))
        if (allowed := allowed_spaces(call.op, position))
    )


@lru_cache(maxsize=FEW)
def _placed(kernel: KernelFacts) -> Function | None:
    if kernel.lowered is not None:
        return kernel.lowered.placed
    lowered = lower([kernel.function], kernel.toolchain)
    return lowered[0].placed if lowered else None


def is_split(kernel: KernelFacts) -> bool:
    """Whether two vector cores share the work: each then needs less Vec than the numbers here say."""
    hints = kernel.function.attrs.get("optimizations")
    if isinstance(hints, tuple) and any(_splits(hint) for hint in cast("tuple[object, ...]", hints)):
        return True
    return any(isinstance(stmt, (Scope, For)) and stmt.kind == "split_aiv" for stmt in statements(kernel.function.body))


def _splits(hint: object) -> bool:
    return isinstance(hint, Call) and hint.op == "pl.split" and "NONE" not in str(hint.attrs.get("mode"))


def is_known_in_full(kernel: KernelFacts) -> bool:
    """Whether nothing in the kernel, or in the function that it was made of, is unknown."""
    return not unknown_in(kernel) and (kernel.written is None or not unknown_in(kernel.written))


def buffer_name(buffer: Buffer) -> str:
    """The name in the source; "" for a tile that an operation hands straight to another one."""
    return source_name(buffer.var.name)


def buffer_text(buffer: Buffer) -> str:
    """How a text names a tile that is live: "`acc`", or that it has no name."""
    name = buffer_name(buffer)
    return f"`{name}`" if name else "an unnamed tile"
