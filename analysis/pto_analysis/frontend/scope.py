"""The names that kernel code has defined so far: a variable each, or a literal where the DSL inlines one.

Python's closure around the kernel is `closure.py`."""

from __future__ import annotations

from attrs import define, field

from pto_analysis.ir.expr import Expr

_Undo = dict[str, "Expr | None"]


@define(eq=False)
class Scope:
    """DSL variables by name, with nested blocks.

    A block that carries its values explicitly (`init_values`, `pl.yield_`) hides what it defined when it is
    left; every other block leaks, as Python does.
    """

    _names: dict[str, Expr] = field(factory=dict[str, Expr])
    _undo: list[_Undo] = field(factory=list[_Undo])

    def lookup(self, name: str) -> Expr | None:
        return self._names.get(name)

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def names(self) -> tuple[str, ...]:
        return tuple(self._names)

    def define(self, name: str, value: Expr) -> None:
        if self._undo:
            self._undo[-1].setdefault(name, self._names.get(name))
        self._names[name] = value

    def enter(self) -> None:
        self._undo.append({})

    def leave_hiding(self) -> None:
        """Leave the innermost block; what it defined is forgotten."""
        for name, previous in self._undo.pop().items():
            if previous is None:
                del self._names[name]
            else:
                self._names[name] = previous

    def leave_leaking(self) -> None:
        """Leave the innermost block; what it defined belongs to the block around it."""
        undo = self._undo.pop()
        if not self._undo:
            return
        outer = self._undo[-1]
        for name, previous in undo.items():
            outer.setdefault(name, previous)
