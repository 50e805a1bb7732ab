"""Which carried tiles a loop copies back: the producer of the yielded value cannot write into the carry's buffer.

A loop's carry lives in the buffer of its init. The compiler makes the producer of the yielded value write there; where
it may not, every round ends with a `tmov` into that buffer. Origin: hw-native-sys/pypto 2026-08-21,
`memory_reuse_pass.cpp` (TopDownRetargeter, YieldFixupMutator) and `resolve_backend_op_layouts_pass.cpp`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pto_analysis.frontend.typed import constant_int
from pto_analysis.frozen import frozen
from pto_analysis.ir import walk
from pto_analysis.ir.expr import Call, Expr, Var
from pto_analysis.ir.function import Function
from pto_analysis.ir.stmt import Assign, Block, For, If, Stmt, While
from pto_analysis.ir.types import Layout, TileType
from pto_analysis.ops import get
from pto_analysis.ops.views import effective_view
from pto_analysis.sync.kernel.carries import carried, merged

_ROW_BY_ROW = """
add and div fmod maximum minimum mul or part_add part_max part_min part_mul rem sel shl shr sub xor
abs cast exp log not prelu recip relu rsqrt sqrt
adds addsc cmps divs fmods lrelu maximums muls sels subs subsc
full gatherb mrgsort_format1 mrgsort_format2 random sort32 tri
"""

ROW_BY_ROW = frozenset(f"tile.{name}" for name in _ROW_BY_ROW.split())
"""Ops whose results lie row by row: a column vector is made as a row, and what is yielded is a view of that."""


@frozen
class _Place:
    """Where a statement stands: its block, its index there, and what the block is part of."""

    block: Block
    index: int
    parent: Stmt | None


class Retargeting:
    """Answers for the loops of one function in SSA form.

    `home` names the buffer of a variable before loops share any.
    """

    def __init__(self, function: Function, home: Callable[[Var], Var]) -> None:
        self._home = home
        self._places: dict[Stmt, _Place] = {}
        self._makers: dict[Var, Stmt] = {}
        self._shared: dict[Var, Var] = {}
        self._carries: set[Var] = set()
        self._visit(function.body, None)

    def copied(self, body: Block) -> frozenset[Var]:
        """The iter args of loops in `body` that a round copies its value back into."""
        return frozenset(
            var
            for stmt in walk.statements(body)
            if isinstance(stmt, For)
            for var, init, value, _ in carried(stmt)
            if not _is_written_out(stmt) and self._is_copied(stmt, var, init, value)
        )

    def _is_copied(self, loop: For, var: Var, init: Expr, value: Expr | None) -> bool:
        if not isinstance(var.type, TileType) or not isinstance(init, Var) or not isinstance(value, Var):
            return False
        if init in self._carries or value in self._carries:
            return False
        target = self._buffer(init)
        if loop.kind != "pipeline":
            return not self._writes_to(value, target, frozenset())
        # Only the first copy of the body reads the iter arg, and it is the last one that must write to its buffer.
        self._shared.pop(var)
        copied = not self._writes_to(value, target, frozenset())
        self._shared[var] = init
        return copied

    def _visit(self, block: Block, parent: Stmt | None) -> None:
        for index, stmt in enumerate(block):
            self._places[stmt] = _Place(block, index, parent)
            self._makers.update((var, stmt) for var in stmt.definitions)
            if isinstance(stmt, (For, While)):
                self._share(stmt)
            elif isinstance(stmt, Assign) and isinstance(stmt.value, Call):
                self._share_view(stmt.var, stmt.value)
            for inner in stmt.blocks:
                self._visit(inner, stmt)

    def _share(self, loop: For | While) -> None:
        """An iter arg is in the buffer of its init, a loop's result in that of the yielded value."""
        for var, init, value, result in carried(loop):
            self._carries.add(var)
            if isinstance(init, Var):
                self._shared[var] = init
            if result is not None and isinstance(value, Var):
                self._shared[result] = value

    def _share_view(self, var: Var, call: Call) -> None:
        spec = get(call.op)
        viewed = spec.viewed_operand if spec is not None else None
        source = call.args[viewed] if viewed is not None and viewed < len(call.args) else None
        if isinstance(source, Var):
            self._shared[var] = source

    def _buffer(self, var: Var) -> Var:
        home = self._home(var)
        while home in self._shared:
            home = self._home(self._shared[home])
        return home

    def _writes_to(self, value: Expr, target: Var, seen: frozenset[Var]) -> bool:
        """Whether the producer of `value` writes into the buffer of `target`, or may be made to."""
        if not isinstance(value, Var) or value in seen:
            return False
        if self._buffer(value) is target:
            return True
        maker, seen = self._makers.get(value), seen | {value}
        if isinstance(maker, Assign):
            return isinstance(maker.value, Call) and self._call_writes_to(maker, maker.value, target, seen)
        if isinstance(maker, If):
            arms = next(((then, other) for result, then, other in merged(maker) if result is value), ())
            return bool(arms) and all(self._writes_to(arm, target, seen) for arm in arms)
        return isinstance(maker, For) and self._loop_writes_to(maker, value, target, seen)

    def _loop_writes_to(self, loop: For, value: Var, target: Var, seen: frozenset[Var]) -> bool:
        for var, init, following, result in carried(loop):
            if var is value:
                return self._writes_to(init, target, seen)
            if result is value and following is not None:
                return self._writes_to(following, target, seen) and self._writes_to(init, target, seen)
        return False

    def _call_writes_to(self, stmt: Assign, call: Call, target: Var, seen: frozenset[Var]) -> bool:
        spec = get(call.op)
        if spec is None:
            return False
        shared = spec.reused_operand if call.op != "tile.set_validshape" else 0
        if shared is not None:
            return shared < len(call.args) and self._writes_to(call.args[shared], target, seen)
        if spec.storage.relation != "fresh" or _is_made_as_a_row(call, stmt.var):
            return False
        if not spec.inplace_safe and any(self._is_at(arg, target) for arg in call.args):
            return False
        return not any(self._touches(later, target) for later in self._afterwards(stmt))

    def _is_at(self, value: Expr, target: Var) -> bool:
        return isinstance(value, Var) and self._buffer(value) is target

    def _afterwards(self, stmt: Stmt) -> Iterator[Stmt]:
        """What runs after a statement in the round that it is part of."""
        place: _Place | None = self._places[stmt]
        while place is not None:
            yield from place.block[place.index + 1 :]
            parent = place.parent
            place = None if parent is None or isinstance(parent, For) else self._places[parent]

    def _touches(self, stmt: Stmt, target: Var) -> bool:
        for inner in walk.statements((stmt,)):
            read = (var for operand in inner.operands for var in operand.variables)
            if any(self._buffer(var) is target for var in (*read, *inner.definitions)):
                return True
        return False


def _is_written_out(loop: For) -> bool:
    """Whether a pipeline has fewer rounds than stages, so that no loop is left of it."""
    bounds = [constant_int(bound) for bound in (loop.start, loop.stop, loop.step)]
    start, stop, step = bounds
    stages = loop.attrs.get("stage")
    if loop.kind != "pipeline" or not isinstance(stages, int) or start is None or stop is None or not step:
        return False
    return len(range(start, stop, step)) < stages


def _is_made_as_a_row(call: Call, result: Var) -> bool:
    """Whether the result is a column vector of an op that works row by row."""
    kind = result.type
    if call.op not in ROW_BY_ROW or not isinstance(kind, TileType) or len(kind.shape) != 2 or kind.shape[1] != 1:
        return False
    return effective_view(kind).blayout is not Layout.ROW_MAJOR
