"""The workspace from inside of one module, which may have assigned names of other modules (`config.TP = 4`)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from pto_analysis.frozen import frozen
from pto_analysis.source.constants import World
from pto_analysis.source.values import Instance, ModuleRef, Unknown, Value


class Assignments(World, Protocol):
    def after_assignments(self, path: str, before: int | None) -> World | None: ...


@frozen(eq=False)
class ModuleView:
    """The world as a module sees it, up to its binding of order `before`.

    Other users of an assigned name may see what it was before, so what an assignment changes is not known.
    """

    workspace: Assignments
    path: str
    before: int | None

    def attribute(self, owner: Value, name: str) -> Value:
        value = self.workspace.attribute(owner, name)
        if not isinstance(owner, ModuleRef):
            return value
        changed = self.workspace.after_assignments(self.path, self.before)
        return value if changed is None else _agreed(value, changed.attribute(owner, name))

    def call(self, function: Value, args: tuple[Value, ...], keywords: Mapping[str, Value]) -> Value:
        return self.workspace.call(function, args, keywords)


def _agreed(old: Value, new: Value) -> Value:
    """What two values have in common."""
    if old == new:
        return old
    if isinstance(old, Instance) and isinstance(new, Instance) and old.cls == new.cls:
        fields = {name: _agreed(value, new.fields.get(name)) for name, value in old.fields.items()}
        return Instance(old.cls, fields)
    return Unknown("assigned from outside of its module")
