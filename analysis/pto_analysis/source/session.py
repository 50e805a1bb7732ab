"""What an analysis asked the workspace, and whether the answers are still the same."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import define, field

from pto_analysis.source import syntax
from pto_analysis.source.constants import Lookup, evaluate
from pto_analysis.source.unit import Unit
from pto_analysis.source.values import ClassRef, FunctionRef, Instance, ModuleRef, Value
from pto_analysis.source.workspace import Workspace


@define(eq=False)
class Session:
    """Questions about one file's surroundings, with the answers they got.

    A result that was computed through a session holds as long as `still_holds` says so of a later workspace.
    """

    workspace: Workspace
    path: str
    _names: dict[tuple[str, str], Value] = field(factory=dict[tuple[str, str], Value])
    _units: dict[FunctionRef | ClassRef, str | None] = field(factory=dict["FunctionRef | ClassRef", "str | None"])
    _definitions: dict[str, syntax.Expression | None] = field(factory=dict[str, "syntax.Expression | None"])
    _members: dict[tuple[ModuleRef | ClassRef, str], Value] = field(
        factory=dict[tuple["ModuleRef | ClassRef", str], Value]
    )
    _attributes: list[tuple[Value, str, Value]] = field(factory=list[tuple[Value, str, Value]])
    _calls: list[tuple[Value, tuple[Value, ...], Mapping[str, Value], Value]] = field(
        factory=list[tuple[Value, "tuple[Value, ...]", Mapping[str, Value], Value]]
    )

    @property
    def scope(self) -> Lookup:
        """Looks up the module-level names of the file."""
        return lambda name: self.lookup(self.path, name)

    def lookup(self, path: str, name: str) -> Value:
        key = (path, name)
        if key not in self._names:
            self._names[key] = self.workspace.lookup(path, name)
        return self._names[key]

    def evaluate(self, node: syntax.Expression, lookup: Lookup | None = None) -> Value:
        """The value of an expression of the file; `lookup` for names of the functions around it."""
        return evaluate(node, lookup or self.scope, self)

    def unit_of(self, ref: FunctionRef | ClassRef) -> Unit | None:
        """The unit of a function or class, in whatever file."""
        unit = self.workspace.unit_of(ref)
        self._units[ref] = None if unit is None else unit.text
        return unit

    def definition(self, name: str) -> syntax.Expression | None:
        """The expression that the file assigns to a name once (see `Workspace.definition`)."""
        if name not in self._definitions:
            self._definitions[name] = self.workspace.definition(self.path, name)
        return self._definitions[name]

    def attribute(self, owner: Value, name: str) -> Value:
        if isinstance(owner, Instance) and name in owner.fields:
            return owner.fields[name]
        view = self.workspace.view(self.path)
        if not isinstance(owner, (ModuleRef, ClassRef)):
            value = view.attribute(owner, name)
            self._attributes.append((owner, name, value))
            return value
        if (owner, name) not in self._members:
            self._members[owner, name] = view.attribute(owner, name)
        return self._members[owner, name]

    def call(self, function: Value, args: tuple[Value, ...], keywords: Mapping[str, Value]) -> Value:
        value = self.workspace.call(function, args, keywords)
        self._calls.append((function, args, keywords, value))
        return value

    @property
    def files(self) -> frozenset[str]:
        """The files that answers came from directly."""
        return frozenset(
            {
                self.path,
                *(path for path, _ in self._names),
                *(ref.path for ref in (*self._units, *(owner for owner, _ in self._members))),
            }
        )

    def still_holds(self, workspace: Workspace) -> bool:
        """Whether another state of the files gives the same answers."""
        view = workspace.view(self.path)
        return (
            all(workspace.lookup(path, name) == value for (path, name), value in self._names.items())
            and all(_text(workspace.unit_of(ref)) == text for ref, text in self._units.items())
            and all(workspace.definition(self.path, name) == node for name, node in self._definitions.items())
            and all(view.attribute(owner, name) == value for (owner, name), value in self._members.items())
            and all(view.attribute(owner, name) == value for owner, name, value in self._attributes)
            and all(workspace.call(func, args, words) == value for func, args, words, value in self._calls)
        )


def _text(unit: Unit | None) -> str | None:
    return None if unit is None else unit.text
