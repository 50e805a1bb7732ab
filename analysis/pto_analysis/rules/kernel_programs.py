"""The sync programs of a kernel's facts, from the form in which every tile has a memory."""

from __future__ import annotations

from pto_analysis.ir.expr import Call, Const, Tuple
from pto_analysis.ir.stmt import Assign, Eval, Stmt
from pto_analysis.ir.types import MemRef, TileType
from pto_analysis.ir.walk import statements
from pto_analysis.passes.lowering.placement import place
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.sync.kernel import Kernel, programs_of
from pto_analysis.sync.program import SyncProgram


def programs_of_facts(kernel: KernelFacts, first_line: int = 0) -> tuple[SyncProgram, ...]:
    """One program for each core; none for functions that run on no core. Lines are the unit's plus `first_line`."""
    if not kernel.is_core:
        return ()
    placed = kernel.lowered.placed if kernel.lowered is not None else place(kernel.canonicalized.function)
    located = Kernel(placed, kernel.qualname, lambda origin: kernel.locate(origin).shifted(first_line))
    return programs_of(located, kernel.toolchain.target)


_MANUAL = ("system.sync_src", "system.sync_dst", "system.bar_v", "system.bar_m", "system.bar_all")


def is_worth_planning(kernel: KernelFacts) -> bool:
    """Whether rules about synchronisation can have something to say: planning costs more than all other rules.

    A kernel qualifies by flags of its author, by a slot of a declared ring, or by a window that run time chooses.
    """
    return kernel.is_core and any(_qualifies(stmt) for stmt in statements(kernel.function.body))


def _qualifies(stmt: Stmt) -> bool:
    if not isinstance(stmt, (Assign, Eval)) or not isinstance(stmt.value, Call):
        return False
    call = stmt.value
    if call.op in _MANUAL:
        return True
    if isinstance(stmt, Assign) and isinstance(stmt.var.type, TileType) and _is_slot(stmt.var.type.memref):
        return True
    return call.op == "tile.slice" and any(isinstance(arg, Tuple) and not _is_literal(arg) for arg in call.args[2:3])


def _is_slot(memref: MemRef | None) -> bool:
    return memref is not None and memref.slot is not None and not isinstance(memref.slot, int)


def _is_literal(offsets: Tuple) -> bool:
    return all(isinstance(item, Const) for item in offsets.items)
