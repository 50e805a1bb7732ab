"""What a module binds at its top level: an index made once for each text, with nothing evaluated yet.

A broken statement spoils its own names only. Names bound under a condition keep it; names that a loop, an
in-place change or a function's `global` makes uncertain are marked as rebound.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterable, Iterator
from typing import Union, cast

from pto_analysis.frozen import frozen
from pto_analysis.source import syntax
from pto_analysis.source.from_ast import operator_name, syntax_of
from pto_analysis.source.remembered import remembered
from pto_analysis.source.scanner import LogicalLine
from pto_analysis.source.unit import ModuleSource, Unit, split_units

_ASSIGNED_NAME = re.compile(r"[ \t]*(\w+)[ \t]*(?::[^=]*)?=(?!=)")
_GLOBAL = re.compile(r"^[ \t]+global[ \t]+([^#\n]+)", re.MULTILINE)
_IN_PLACE = frozenset(
    {
        "append",
        "extend",
        "insert",
        "pop",
        "remove",
        "clear",
        "update",
        "setdefault",
        "sort",
        "reverse",
        "add",
        "discard",
    }
)


@frozen(eq=False)
class Assigned:
    """`target = expression`; the target may be a tuple of names."""

    target: syntax.Expression
    expression: syntax.Expression
    names: tuple[str, ...]
    """The names that the expression mentions."""


@frozen(eq=False)
class Augmented:
    """`name op= expression`. `names` has the name itself and what the expression mentions."""

    op: str
    expression: syntax.Expression
    names: tuple[str, ...]


@frozen
class Imported:
    """`from module import name`, or the module itself when `name` is None. `level` counts leading dots."""

    module: str
    name: str | None
    level: int = 0


@frozen(eq=False)
class Defined:
    """A def or class, inside a unit of the module."""

    unit: Unit
    name: str
    is_class: bool


@frozen
class Rebound:
    """Something happens to the name that is not followed."""

    why: str


Meaning = Union[Assigned, Augmented, Imported, Defined, Rebound]

Condition = tuple[syntax.Expression, bool]
"""An `if` test, and which way it must go."""


@frozen(eq=False)
class Binding:
    """One binding of a name. `order` counts through the module, `line` is where it stands."""

    name: str
    order: int
    line: int
    meaning: Meaning
    conditions: tuple[Condition, ...] = ()


@frozen(eq=False)
class AttributeSet:
    """`owner.attribute = expression` on a module-level name."""

    owner: str
    attribute: str
    expression: syntax.Expression
    order: int


@frozen(eq=False)
class ModuleIndex:
    """The bindings of a module by name, its star imports, attribute assignments and asserts, each in order."""

    source: ModuleSource
    bindings: dict[str, tuple[Binding, ...]]
    stars: tuple[Binding, ...]
    attribute_sets: tuple[AttributeSet, ...]
    asserts: tuple[syntax.Expression, ...]


@remembered(characters=1_500_000)
def index_module(text: str) -> ModuleIndex:
    """The index of a module's text. Never raises."""
    collector = _Collector()
    source = split_units(text)
    for item in source.items:
        if isinstance(item, LogicalLine):
            collector.statement(item)
        else:
            collector.unit(item)
    return collector.finish(source)


@remembered(characters=500_000)
def parse_ast(text: str) -> ast.Module | None:
    """The `ast` of a piece of source; None when it does not parse."""
    return parsed_once(text)


def parsed_once(text: str) -> ast.Module | None:
    """The same without remembering it: a tree is many times larger than its text."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


class _Collector:
    def __init__(self) -> None:
        self._bindings: dict[str, list[Binding]] = {}
        self._stars: list[Binding] = []
        self._sets: list[AttributeSet] = []
        self._asserts: list[syntax.Expression] = []
        self._globals: set[str] = set()
        self._order = 0
        self._line = 0
        self._unit: Unit | None = None
        self._conditions: tuple[Condition, ...] = ()

    def statement(self, line: LogicalLine) -> None:
        self._line, self._unit = line.line, None
        tree = None if line.error else parse_ast(line.text)
        if tree is None:
            self._spoiled(line.text)
        else:
            self._body(tree.body)

    def unit(self, unit: Unit) -> None:
        self._line, self._unit = unit.first_line, unit
        if unit.name is not None:
            if "global " in unit.text:
                names = ",".join(match[1] for match in _GLOBAL.finditer(unit.text))
                self._globals.update(name.strip() for name in names.split(","))
            self._bind(unit.name, Defined(unit, unit.name, unit.keyword == "class"))
            return
        tree = None if any(line.error for line in unit.lines) else parse_ast(unit.text)
        if tree is not None:
            self._body(tree.body)
        elif not unit.text.startswith("if __name__"):
            for line in unit.lines:
                self._spoiled(line.text)

    def finish(self, source: ModuleSource) -> ModuleIndex:
        for name in self._globals & self._bindings.keys():
            self._bind(name, Rebound("a function assigns it"))
        bindings = {name: tuple(found) for name, found in self._bindings.items()}
        return ModuleIndex(source, bindings, tuple(self._stars), tuple(self._sets), tuple(self._asserts))

    def _bind(self, name: str, meaning: Meaning) -> None:
        binding = Binding(name, self._order, self._line, meaning, self._conditions)
        self._order += 1
        if name == "*":
            self._stars.append(binding)
        else:
            self._bindings.setdefault(name, []).append(binding)

    def _spoiled(self, text: str) -> None:
        match = _ASSIGNED_NAME.match(text)
        if match:
            self._bind(match[1], Rebound("its definition does not parse"))

    def _body(self, body: Iterable[ast.stmt]) -> None:
        for node in body:
            if self._unit:
                self._line = self._unit.first_line + node.lineno - 1
            self._statement(node)

    def _statement(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Assign):
            self._assign(node.targets, node.value)
        elif isinstance(node, ast.AnnAssign):
            if node.value is not None:
                self._assign([node.target], node.value)
        elif isinstance(node, ast.AugAssign):
            if isinstance(node.target, ast.Name):
                names = (node.target.id, *_mentioned_names(node.value))
                self._bind(node.target.id, Augmented(operator_name(node.op), syntax_of(node.value), names))
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            self._import(node)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            self._define(node)
        elif isinstance(node, ast.If):
            self._if(node)
        elif isinstance(node, ast.Assert):
            if not self._conditions:
                self._asserts.append(syntax_of(node.test))
        elif isinstance(node, ast.Expr):
            self._in_place(node.value)
        else:
            self._other(node)

    def _other(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Try):
            for handler in node.handlers:
                self._body(handler.body)
            self._body([*node.body, *node.orelse, *node.finalbody])
        elif isinstance(node, ast.With):
            for item in node.items:
                if item.optional_vars is not None:
                    self._rebind(item.optional_vars, "the target of a with statement")
            self._body(node.body)
        else:
            self._rebind(node, "assigned in a loop or another statement that is not followed")

    def _assign(self, targets: Iterable[ast.expr], value: ast.expr) -> None:
        expression = syntax_of(value)
        mentioned = _mentioned_names(value)
        for target in targets:
            if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
                self._set_attribute(target.value.id, target.attr, expression)
            elif isinstance(target, (ast.Subscript, ast.Attribute)):
                for name in _root_name(target):
                    self._bind(name, Rebound("changed in place"))
            else:
                assigned = Assigned(syntax_of(target), expression, mentioned)
                for name in _stored_names(target):
                    self._bind(name, assigned)

    def _set_attribute(self, owner: str, attribute: str, expression: syntax.Expression) -> None:
        known = self._bindings.get(owner)
        if known and isinstance(known[-1].meaning, Assigned):
            self._bind(owner, Rebound("changed in place"))
        self._sets.append(AttributeSet(owner, attribute, expression, self._order))
        self._order += 1

    def _import(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            if isinstance(node, ast.ImportFrom):
                self._bind(alias.asname or alias.name, Imported(node.module or "", alias.name, node.level))
            elif alias.asname:
                self._bind(alias.asname, Imported(alias.name, None))
            else:
                top = alias.name.partition(".")[0]
                self._bind(top, Imported(top, None))

    def _define(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        if self._unit:
            self._bind(node.name, Defined(self._unit, node.name, isinstance(node, ast.ClassDef)))

    def _if(self, node: ast.If) -> None:
        """An `if` with its `elif` branches, without recursion: there may be thousands."""
        outer = excluded = self._conditions
        branch: ast.If | None = node
        while branch is not None:
            test = syntax_of(branch.test)
            self._conditions = (*excluded, (test, True))
            self._body(branch.body)
            excluded = self._conditions = (*excluded, (test, False))
            following = branch.orelse[0] if len(branch.orelse) == 1 else None
            if not isinstance(following, ast.If):
                self._body(branch.orelse)
                following = None
            branch = following
        self._conditions = outer

    def _in_place(self, node: ast.expr) -> None:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _IN_PLACE:
            for name in _root_name(node.func.value):
                if name in self._bindings and not isinstance(self._bindings[name][-1].meaning, Imported):
                    self._bind(name, Rebound("changed in place"))

    def _rebind(self, node: ast.AST, why: str) -> None:
        for name in _stored_names(node):
            self._bind(name, Rebound(why))


def _mentioned_names(node: ast.expr) -> tuple[str, ...]:
    """Kept in the node: the trees of statements outlive the texts that they stand in."""
    known = node.__dict__.get(_KEPT)
    if known is None:
        names = dict.fromkeys(each.id for each in ast.walk(node) if isinstance(each, ast.Name))
        known = node.__dict__[_KEPT] = tuple(names)
    return cast("tuple[str, ...]", known)


_KEPT = "pto names"


def _stored_names(node: ast.AST) -> Iterator[str]:
    """The names that a target or statement assigns, those of functions inside excepted."""
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if isinstance(each, ast.Name) and not isinstance(each.ctx, ast.Load):
            yield each.id
        elif isinstance(each, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield each.name
        elif not isinstance(each, ast.Lambda):
            waiting.extend(reversed(list(ast.iter_child_nodes(each))))


def _root_name(node: ast.expr) -> Iterator[str]:
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    if isinstance(node, ast.Name):
        yield node.id
