"""Which variables of a kernel are one buffer: aliases, in-place results, and the values that loops and branches carry.

The compiler gives a loop's init and iter arg one buffer and lets the producer of the yielded value write into it
(reference: DSL section i2), or copies the value there (`retarget`). Where the init lives on, the carry stays a choice
between buffers.
"""

from __future__ import annotations

from collections import Counter

from pto_analysis.ir import walk
from pto_analysis.ir.expr import Call, Expr, Var
from pto_analysis.ir.function import Function
from pto_analysis.ir.stmt import Assign, For, If, Stmt, While
from pto_analysis.ir.types import TensorType, TileType
from pto_analysis.ops import get
from pto_analysis.sync.kernel.carries import carried, merged
from pto_analysis.sync.kernel.merges import copied_merges
from pto_analysis.sync.kernel.retarget import Retargeting


class Storage:
    """The buffers of one function in SSA form."""

    def __init__(self, function: Function) -> None:
        self._parent: dict[Var, Var] = {}
        self._values: dict[Var, Expr] = {}
        self._uses: Counter[Var] = Counter()
        for stmt in walk.statements(function.body):
            self._note(stmt)
        copied = Retargeting(function, self.home).copied(function.body)
        self._copied = copied | copied_merges(function, self.home, copied)
        for stmt in reversed(list(walk.statements(function.body))):
            self._carry(stmt)

    def home(self, var: Var) -> Var:
        """The variable that stands for the buffer of `var`."""
        found = var
        while found in self._parent:
            found = self._parent[found]
        while var is not found:
            # The way is taken once: a tensor that is stored to again and again has a new name each time.
            self._parent[var], var = found, self._parent[var]
        return found

    def same(self, left: Expr, right: Expr) -> bool:
        return isinstance(left, Var) and isinstance(right, Var) and self.home(left) is self.home(right)

    def is_copied(self, var: Var) -> bool:
        """Whether what is yielded for an iter arg, or by the second arm for a merge, is copied into its buffer."""
        return var in self._copied

    def is_view(self, var: Var) -> bool:
        """Whether the value is a part or a renaming of another buffer."""
        value = self._values.get(var)
        spec = get(value.op) if isinstance(value, Call) else None
        return spec is not None and spec.viewed_operand is not None

    def _note(self, stmt: Stmt) -> None:
        for operand in stmt.operands:
            self._uses.update(operand.variables)
        if not isinstance(stmt, Assign):
            return
        self._values[stmt.var] = stmt.value
        if isinstance(stmt.value, Var):
            self._join(stmt.var, stmt.value)
        elif isinstance(stmt.value, Call):
            spec = get(stmt.value.op)
            reused = spec.reused_operand if spec is not None else None
            if reused is not None and reused < len(stmt.value.args):
                self._join(stmt.var, stmt.value.args[reused])

    def _carry(self, stmt: Stmt) -> None:
        if isinstance(stmt, (For, While)):
            for group in carried(stmt):
                self._carry_group(*group)
        elif isinstance(stmt, If):
            for result, then, otherwise in merged(stmt):
                if result in self._copied:
                    self._join(result, then)
                elif isinstance(result.type, TensorType) or (self._movable(then) and self._movable(otherwise)):
                    self._join(result, then)
                    self._join(result, otherwise)

    def _carry_group(self, var: Var, init: Expr, value: Expr | None, result: Var | None) -> None:
        if var in self._copied:
            self._join(var, init)
            self._join(result or var, var)
            return
        if result is not None and isinstance(var.type, (TileType, TensorType)) and value is not None:
            self._join(result, value)
        if isinstance(var.type, TensorType) or self.same(value or var, var):
            self._join(var, init)
            self._join(var, value or var)
        elif isinstance(var.type, TileType) and value is not None and self._free(init) and self._movable(value):
            self._join(var, init)
            self._join(var, value)

    def _free(self, init: Expr) -> bool:
        """Whether nothing but the loop uses the buffer that the carry starts in."""
        return isinstance(init, Var) and self._uses[init] == 1 and not self.is_view(init)

    def _movable(self, value: Expr) -> bool:
        """Whether the producer of a value may be told to write somewhere else."""
        made = self._values.get(value) if isinstance(value, Var) else None
        spec = get(made.op) if isinstance(made, Call) else None
        return spec is not None and spec.storage.relation == "fresh"

    def _join(self, left: Var, right: Expr) -> None:
        if not isinstance(right, Var):
            return
        a, b = self.home(left), self.home(right)
        if a is not b:
            self._parent[a] = b
