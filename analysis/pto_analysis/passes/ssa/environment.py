"""The current version of every source variable, with frames that can be taken back."""

from __future__ import annotations

from pto_analysis.ir.expr import Var


class Environment:
    """Versions by source variable. `enter` opens a frame; `leave` undoes it and tells what it had set."""

    def __init__(self) -> None:
        self._current: dict[Var, Var] = {}
        self._frames: list[dict[Var, Var | None]] = []

    def get(self, var: Var) -> Var | None:
        return self._current.get(var)

    def without_version(self, variables: frozenset[Var]) -> frozenset[Var]:
        """Those of some source variables that have no version here."""
        return variables.difference(self._current)

    def set(self, var: Var, version: Var) -> None:
        if self._frames:
            self._frames[-1].setdefault(var, self._current.get(var))
        self._current[var] = version

    def enter(self) -> None:
        self._frames.append({})

    def leave(self) -> dict[Var, Var]:
        """Undo the last frame. Returns the versions that it left behind, by source variable."""
        undone = self._frames.pop()
        left = {var: self._current[var] for var in undone}
        for var, version in undone.items():
            if version is None:
                del self._current[var]
            else:
                self._current[var] = version
        return left

    def candidates(self) -> list[Var]:
        """Every current version, in the order in which the variables were first set."""
        return list(self._current.values())
