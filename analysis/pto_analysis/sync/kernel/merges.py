"""Which merged tiles the second arm of a branch copies: where the arms' values end up in different memory.

The compiler keeps a merged value where the first arm has it. The second arm's value is copied there (`tmov`) unless
both lie in one buffer, or memory reuse has given their buffers one place. Origin: hw-native-sys/pypto 2026-08-21,
`memory_reuse_pass.cpp` (YieldFixupMutator).
"""

from __future__ import annotations

from collections.abc import Callable, Set

from pto_analysis.ir import walk
from pto_analysis.ir.expr import Call, Expr, Var
from pto_analysis.ir.function import Function
from pto_analysis.ir.stmt import Assign, For, If, Stmt, While
from pto_analysis.ir.types import Space, TileType
from pto_analysis.ops import get
from pto_analysis.sync.kernel.carries import carried, merged
from pto_analysis.sync.kernel.packing import pack


def copied_merges(function: Function, home: Callable[[Var], Var], copied: Set[Var]) -> frozenset[Var]:
    """The results of branches whose second arm ends with a copy.

    `home` names the buffer of a value before loops and branches share any; `copied` are the iter args that rounds
    copy back into.
    """
    buffers = _Buffers(function, home)
    buffers.settle(copied)
    apart = {
        result: (then, otherwise)
        for stmt in buffers.branches
        for result, then, otherwise in merged(stmt)
        if isinstance(then, Var) and isinstance(otherwise, Var) and buffers.differ(result, then, otherwise)
    }
    if not apart:
        return frozenset()
    places = pack(function, buffers.base)
    return frozenset(
        result
        for result, (then, otherwise) in apart.items()
        if (place := places.get(buffers.base(then))) is None or place != places.get(buffers.base(otherwise))
    )


class _Buffers:
    """The buffer of every value once loops have their producers write into what they carry, but none shares memory."""

    def __init__(self, function: Function, home: Callable[[Var], Var]) -> None:
        self.branches: list[If] = []
        self._home = home
        self._loops: list[For] = []
        self._makers: dict[Var, Stmt] = {}
        self._links: dict[Var, Var] = {}
        self._carries: set[Var] = set()
        self._declared: dict[str, Var] = {}
        for stmt in walk.statements(function.body):
            self._makers.update((var, stmt) for var in stmt.definitions)
            self._note(stmt)

    def base(self, var: Var) -> Var:
        """The value that stands for the buffer."""
        var = self._home(var)
        while var in self._links:
            var = self._home(self._links[var])
        memref = var.type.memref if isinstance(var.type, TileType) else None
        return var if memref is None or memref.base is None else self._declared.setdefault(memref.base, var)

    def settle(self, copied: Set[Var]) -> None:
        """The producers of what rounds yield write where the loop started, unless the value is copied there."""
        for loop in self._loops:
            for var, init, value, _ in carried(loop):
                if var not in copied and isinstance(init, Var) and isinstance(var.type, TileType):
                    self._settle(value, self.base(init), set())

    def differ(self, result: Var, then: Var, otherwise: Var) -> bool:
        """Whether a copy may be needed: never for what a loop carries, nor in L0C, which cannot be copied."""
        if not isinstance(result.type, TileType) or result.type.space is Space.ACC or {then, otherwise} & self._carries:
            return False
        return self.base(then) is not self.base(otherwise)

    def _note(self, stmt: Stmt) -> None:
        if isinstance(stmt, Assign) and isinstance(stmt.value, Call):
            source = _viewed(stmt.value)
            if source is not None:
                self._links[stmt.var] = source
        elif isinstance(stmt, (For, While)):
            self._loops += [stmt] if isinstance(stmt, For) else []
            for var, init, _, result in carried(stmt):
                self._carries.add(var)
                if isinstance(init, Var) and isinstance(var.type, TileType):
                    self._links.update({each: init for each in (var, result) if each is not None})
        elif isinstance(stmt, If):
            self.branches.append(stmt)
            for result, *values in merged(stmt):
                made = [value for value in values if isinstance(value, Var) and value not in self._carries]
                if made and isinstance(result.type, TileType):
                    self._links[result] = made[0]

    def _settle(self, value: Expr | None, target: Var, seen: set[Var]) -> None:
        if not isinstance(value, Var) or value in seen:
            return
        seen.add(value)
        maker = self._makers.get(value)
        if isinstance(maker, If):
            for result, *arms in merged(maker):
                for arm in arms if result is value else ():
                    self._settle(arm, target, seen)
        elif isinstance(maker, For):
            for var, init, following, result in carried(maker):
                if value in (var, result):
                    self._settle(following if value is result else None, target, seen)
                    self._settle(init, target, seen)
        elif isinstance(maker, Assign):
            self._settle(_passed_on(maker), target, seen)
            root, end = self.base(value), self.base(target)
            if root is not end:
                self._links[root] = end


def _viewed(call: Call) -> Var | None:
    spec = get(call.op)
    index = spec.viewed_operand if spec is not None else None
    source = call.args[index] if index is not None and index < len(call.args) else None
    return source if isinstance(source, Var) else None


def _passed_on(stmt: Assign) -> Expr | None:
    """The operand whose buffer the result of a statement is in, if any."""
    if not isinstance(stmt.value, Call):
        return stmt.value
    spec = get(stmt.value.op)
    index = spec.reused_operand if spec is not None else None
    return stmt.value.args[index] if index is not None and index < len(stmt.value.args) else _viewed(stmt.value)
