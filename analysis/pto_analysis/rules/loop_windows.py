"""Windows of global memory that the loops around a region push past the end of their tensor.

The region's own function sees the loop variables as parameters, so this looks at the function as it is written. A
window counts only where it is read in the first and in the last round of every loop that moves it: no branch and no
`while` between them, literal bounds, at least one round.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pto_analysis.frozen import frozen
from pto_analysis.ir.expr import Call, Expr, Tuple, Var, is_expression
from pto_analysis.ir.stmt import Assign, Block, Eval, For, If, Scope, While
from pto_analysis.ir.types import Dim, TensorType
from pto_analysis.passes.bounds import OutsideWindow, Round
from pto_analysis.rules.block_loops import OFFSETS_AND_EXTENTS, Affine, Scalars, Window, scalars_of, window_of
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.written_names import calls_of

_BLOCK_INDEX = frozenset({"tile.get_block_idx", "tensor.get_block_idx"})


@frozen
class _Loops:
    """The loops around a statement whose first and last round reach it, and those outside of the region around it.

    `cores` is how many blocks run the `with pl.spmd(…)` around it, each with its index.
    """

    ends: Mapping[Var, tuple[int, int]]
    outer: frozenset[Var]
    cores: int | None = None

    def inside(self, loop: For, scalars: Scalars, *, outer: bool) -> _Loops | None:
        """Also with this loop; None when it has no round."""
        bounds = [scalars.number(bound) for bound in (loop.start, loop.stop, loop.step)]
        start, stop, step = bounds
        if start is None or stop is None or step is None or step <= 0:
            return self
        if start >= stop:
            return None
        ends = {**self.ends, loop.var: (start, start + (stop - start - 1) // step * step)}
        return _Loops(ends, self.outer | {loop.var} if outer else self.outer, self.cores)

    def on_cores(self, scope: Scope, scalars: Scalars) -> _Loops:
        """Also in this scope; a predicate may leave it out."""
        if "predicate" in scope.attrs:
            return _NONE
        count = scope.attrs.get("core_num") if scope.kind == "spmd" else None
        cores = scalars.number(count) if is_expression(count) else count if isinstance(count, int) else self.cores
        return _Loops(self.ends, self.outer, cores)

    def with_index(self, stmt: Assign | Eval) -> _Loops:
        """Also with the block index, behind the statement that asks for it."""
        if not isinstance(stmt, Assign) or not self.cores or not isinstance(stmt.value, Call):
            return self
        if stmt.value.op not in _BLOCK_INDEX:
            return self
        return _Loops({**self.ends, stmt.var: (0, self.cores - 1)}, self.outer | {stmt.var}, self.cores)


_NONE = _Loops({}, frozenset())


def outside_of_loops(kernel: KernelFacts) -> Iterator[OutsideWindow]:
    """The windows of a function as it is written that a loop outside of their region pushes past their tensor."""
    function = kernel.function
    if kernel.written is None and not function.kind.is_incore:
        yield from _in_block(function.body, _NONE, scalars_of(function), in_region=False)


def _in_block(block: Block, loops: _Loops, scalars: Scalars, *, in_region: bool) -> Iterator[OutsideWindow]:
    for stmt in block:
        if isinstance(stmt, (Assign, Eval)):
            loops = loops.with_index(stmt)
            for call in calls_of(stmt) if loops.outer else ():
                window = window_of(call, scalars) if isinstance(call, Call) else None
                if window is not None and not window.clamped:
                    yield from _outside(window, loops, scalars)
        elif isinstance(stmt, For):
            inner = loops.inside(stmt, scalars, outer=not in_region)
            if inner is not None:
                yield from _in_block(stmt.body, inner, scalars, in_region=in_region or stmt.kind == "spmd")
        elif isinstance(stmt, Scope):
            yield from _in_block(stmt.body, loops.on_cores(stmt, scalars), scalars, in_region=True)
        elif isinstance(stmt, (While, If)):
            for inner_block in (stmt.body,) if isinstance(stmt, While) else (stmt.then, stmt.orelse):
                yield from _in_block(inner_block, _NONE, scalars, in_region=in_region)


def _outside(window: Window, loops: _Loops, scalars: Scalars) -> Iterator[OutsideWindow]:
    """Only what is asked for must be there: the valid shape, or the whole window without one."""
    shape = window.source.type.shape if isinstance(window.source.type, TensorType) else ()
    reach = tuple(_extent(extent, scalars) for extent in window.valid) or window.extents
    for axis, (offset, extent, size) in enumerate(zip(window.offsets, reach, shape, strict=False)):
        if offset is None or extent is None or not _is_moved(offset, loops):
            continue
        least, most = _ends(offset, loops)
        fault: tuple[Round, int] | None = None
        if least < 0:
            fault = ("first", least)
        elif _exceeds(most, extent, size):
            fault = ("last", most)
        if fault is not None:
            written = _offset(window.call, axis)
            yield OutsideWindow(
                window.call.op, window.source, axis, written, fault[1], extent, size, fault[0], window.call.origin
            )
            return


def _extent(extent: Expr, scalars: Scalars) -> int | Expr:
    number = scalars.number(extent)
    return scalars.resolved(extent) if number is None else number


def _exceeds(offset: int, extent: int | Expr, size: Dim) -> bool:
    """Whether so much from there on is more than there is: all of it is, from anywhere but the start."""
    if isinstance(extent, int) and isinstance(size, int):
        return offset + extent > size
    return extent is size and offset > 0


def _is_moved(offset: Affine, loops: _Loops) -> bool:
    variables = [var for var, _ in offset.factors]
    return all(var in loops.ends for var in variables) and any(var in loops.outer for var in variables)


def _ends(offset: Affine, loops: _Loops) -> tuple[int, int]:
    """The least and the greatest offset; both happen, as every combination of rounds does."""
    least = most = offset.constant
    for var, factor in offset.factors:
        values = [factor * end for end in loops.ends[var]]
        least, most = least + min(values), most + max(values)
    return least, most


def _offset(call: Call, axis: int) -> Expr:
    offsets = call.args[OFFSETS_AND_EXTENTS[call.op][0]]
    assert isinstance(offsets, Tuple)
    return offsets.items[axis]
