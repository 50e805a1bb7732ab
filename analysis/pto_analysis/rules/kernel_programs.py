"""The sync programs of a kernel's facts, from the form in which every tile has a memory."""

from __future__ import annotations

from functools import lru_cache

from pto_analysis.frontend.typed import constant_int
from pto_analysis.frozen import evolve, frozen
from pto_analysis.ir.expr import Call, Const, Tuple
from pto_analysis.ir.function import Function
from pto_analysis.ir.stmt import Assign, Block, Eval, For, Stmt
from pto_analysis.ir.types import MemRef, TileType
from pto_analysis.ir.walk import statements
from pto_analysis.passes.kernel import KernelAnalysis
from pto_analysis.passes.lowering.flatten_calls import flatten_calls
from pto_analysis.passes.lowering.pipeline import lower_core
from pto_analysis.passes.lowering.simplify import simplify
from pto_analysis.passes.lowering.unroll import unroll
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.understanding import unknown_in
from pto_analysis.sync.kernel import Kernel, programs_of
from pto_analysis.sync.policies import Policies
from pto_analysis.sync.program import SyncProgram, operations


def programs_of_facts(kernel: KernelFacts, first_line: int = 0) -> tuple[SyncProgram, ...]:
    """One program for each core; none for functions that run on no core. Lines are the unit's plus `first_line`."""
    if not kernel.is_core:
        return ()
    located = Kernel(_placed(_Moved(kernel)), kernel.qualname, lambda origin: kernel.locate(origin).shifted(first_line))
    programs = programs_of(located, kernel.toolchain.target)
    gaps = _gaps(kernel, programs, first_line)
    return tuple(evolve(program, notes=(*program.notes, *gaps)) for program in programs) if gaps else programs


def _gaps(kernel: KernelFacts, programs: tuple[SyncProgram, ...], first_line: int) -> tuple[str, ...]:
    """What the programs say of lines that were not understood: those that they have operations for, and the others."""
    unknown = {first_line + one.line for one in unknown_in(kernel)}
    refused = {first_line + kernel.span(issue.origin).line for issue in kernel.issues}
    if not unknown and not refused:
        return ()
    shown = {op.where.span.line for program in programs for op in operations(program)}
    told = (((unknown | refused) - shown, "not understood, left out"), (unknown & shown, "not understood in full"))
    return tuple(f"{_lines(lines)}: {what}; the preview may miss waits" for lines, what in told if lines)


def _lines(lines: set[int]) -> str:
    numbers = ", ".join(str(line + 1) for line in sorted(lines))
    return f"line{'s' if len(lines) > 1 else ''} {numbers}"


@lru_cache(maxsize=16)
def policies_of(kernel: KernelFacts) -> tuple[Policies, ...]:
    """The plans of its programs, whose lines are the unit's: one for all that is asked about a kernel in a row."""
    return tuple(map(Policies, programs_of_facts(kernel)))


def plans_of(kernel: KernelFacts) -> tuple[Policies, ...]:
    """The same where only the plans count, which name no lines: those of the kernel before comments and blank lines
    moved it will do."""
    return _plans_of(_Moved(kernel))


@frozen(eq=False)
class _Moved:
    """A kernel, whatever lines its statements stand at."""

    kernel: KernelFacts

    def _key(self) -> tuple[object, ...]:
        return self.kernel.function, self.kernel.lowered, self.kernel.toolchain

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Moved) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self.kernel.function)


@lru_cache(maxsize=16)
def _plans_of(moved: _Moved) -> tuple[Policies, ...]:
    return policies_of(moved.kernel)


MAX_WRITTEN_OUT = 1000
"""Statements that the turns of `pl.unroll` loops may come to; beyond that they stay loops, which is no less true."""


@lru_cache(maxsize=16)
def _placed(moved: _Moved) -> Function:
    """Every tile with its memory, after all stages that the compiler takes a kernel through.

    `pl.unroll` loops are written out before anything else, loops of one round and decided branches after that.
    """
    kernel = moved.kernel
    if kernel.lowered is not None:
        return kernel.lowered.placed
    written_out = _written_out(kernel.function)
    ssa = kernel.analysis.ssa if written_out is kernel.function else KernelAnalysis(written_out).ssa
    return lower_core(flatten_calls(simplify(ssa.function)), kernel.toolchain).placed


def _written_out(function: Function) -> Function:
    loops = [stmt for stmt in statements(function.body) if isinstance(stmt, For) and stmt.kind == "unroll"]
    if not loops or _turns(function.body) > MAX_WRITTEN_OUT:
        return function
    unrolled = unroll(function)
    return function if unrolled.notes else unrolled.function


def _turns(block: Block) -> int:
    """How many statements a block comes to once its `pl.unroll` loops are written out."""
    count = 0
    for stmt in block:
        inner = sum(map(_turns, stmt.blocks))
        bounds = [constant_int(bound) for bound in (stmt.start, stmt.stop, stmt.step)] if isinstance(stmt, For) else []
        if isinstance(stmt, For) and stmt.kind == "unroll" and None not in bounds and bounds[2]:
            start, stop, step = (bound or 0 for bound in bounds)
            inner *= len(range(start, stop, step))
        count += 1 + inner
    return count


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
