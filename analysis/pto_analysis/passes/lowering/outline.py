"""Cuts the regions of a function out into InCore functions, with the compiler's names, parameters and results.

Facts: hw-native-sys/pypto, transforms `outline_incore_scopes`, `scope_outline_utils`, `return_lineage_utils`
(2026-08-21).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from attrs import define, field

from pto_analysis.frozen import frozen
from pto_analysis.ir import walk
from pto_analysis.ir.expr import Call, Expr, Var
from pto_analysis.ir.function import Function, FunctionKind, Param
from pto_analysis.ir.stmt import Assign, Block, Eval, For, If, Return, Scope, Stmt, While
from pto_analysis.ir.types import TensorType
from pto_analysis.ir.walk import updated
from pto_analysis.passes.lowering.regions import INCORE, name_hint
from pto_analysis.passes.lowering.tree import base_name, operands_in_order

Needed = Callable[[Var], bool]

WRITTEN_OPERAND: Mapping[str, int] = {"tile.store": 2, "tensor.assemble": 0, "tile.mscatter": 2}
"""Operations that write a tensor and return it, and the operand that they write."""

_OF_THE_REGION = frozenset({"level", "name_hint"})
"""What a region says about itself; the rest is about the function that it becomes."""


def outline(function: Function, taken: set[str]) -> tuple[Function, ...]:
    """The InCore functions of one function in SSA form, in the order of the text.

    `taken` holds the names that functions of this program have already; new ones are added to it.
    """
    outliner = _Outliner(function, taken)
    outliner.block(function.body, _Context())
    return tuple(outliner.found)


@frozen
class _Context:
    """What the code after a block needs: `needed` says it of a variable, `any` whether there is anything at all."""

    needed: Needed = field(default=lambda _: False)
    any: bool = False


@define
class _Outliner:
    parent: Function
    taken: set[str]
    known: set[str] = field(factory=set[str])
    touched: dict[Stmt, set[Var]] = field(factory=dict[Stmt, "set[Var]"])
    count: int = 0
    found: list[Function] = field(factory=list[Function])

    def block(self, block: Block, after: _Context) -> None:
        if not any(isinstance(stmt, Scope) and stmt.kind == INCORE for stmt in walk.statements(block)):
            return
        last = self._last_uses(block)
        final = max(last.values(), default=-1)
        for position, stmt in enumerate(block):
            if isinstance(stmt, Scope) and stmt.kind == INCORE:
                context = _after(after, last, position, final)
                self.found.append(self._function(stmt, context))
                continue
            inner = stmt.blocks
            if inner:
                context = _after(after, last, position, final)
                for nested in inner:
                    self.block(nested, context)

    def _last_uses(self, block: Block) -> dict[Var, int]:
        """The position of the last statement that has to do with a variable."""
        last: dict[Var, int] = {}
        for position, stmt in enumerate(block):
            last.update(dict.fromkeys(self._touched(stmt), position))
        return last

    def _touched(self, stmt: Stmt) -> set[Var]:
        """What a statement, or one inside it, reads or defines."""
        known = self.touched.get(stmt)
        if known is not None:
            return known
        found = set(stmt.definitions)
        for operand in stmt.operands:
            found.update(operand.variables)
        for block in stmt.blocks:
            found.update(*map(self._touched, block))
        self.touched[stmt] = found
        return found

    def _name(self, scope: Scope) -> str:
        hint = name_hint(scope)
        wanted = hint or f"{self.parent.name}_incore_{self.count}"
        self.count += 1
        name = self._free_name(wanted)
        self.known.add(name)
        self.taken.add(name)
        return name

    def _free_name(self, wanted: str) -> str:
        if wanted not in self.taken and wanted not in self.known:
            return wanted
        if wanted not in self.known:
            wanted = f"{self.parent.name}_{wanted}"
            if wanted not in self.taken:
                return wanted
        number = 0
        while f"{wanted}_{number}" in self.taken:
            number += 1
        return f"{wanted}_{number}"

    def _function(self, scope: Scope, after: _Context) -> Function:
        name = self._name(scope)
        defined = tuple(_definitions_in_order(scope.body))
        inside = set(defined)
        inputs = tuple(dict.fromkeys(var for var in _reads_in_order(scope.body) if var not in inside))
        targets = _store_targets(scope.body)
        external = set(inputs)
        aliases = _post_store_aliases(scope.body)
        outputs = [
            var
            for var in self._candidates(scope.body, defined, after)
            if not (aliases.get(var) in targets and aliases.get(var) in external)
        ]
        lineage = Lineage.of(scope.body, external)
        values = [lineage.parameter(var) if isinstance(var.type, TensorType) else var for var in outputs]
        written = frozenset(target for target in targets if target in external)
        values += [target for target in targets if target in external]
        body = (*_with_captured_stores(scope.body, written), Return(tuple(values), scope.origin))
        return Function(
            name=name,
            qualname=f"{self.parent.qualname}.{name}",
            kind=FunctionKind.INCORE,
            params=tuple(Param(var) for var in inputs),
            returns=tuple(var.type for var in values),
            body=body,
            decorator=self.parent.decorator,
            attrs={key: value for key, value in scope.attrs.items() if key not in _OF_THE_REGION},
            origin=scope.origin,
        )

    def _candidates(self, body: Block, defined: tuple[Var, ...], after: _Context) -> Iterator[Var]:
        if after.any:
            yield from (var for var in defined if after.needed(var))
            return
        # Nothing follows, so the compiler takes every result for one that somebody may want.
        for stmt in body:
            yield from _results(stmt)


def _results(stmt: Stmt) -> tuple[Var, ...]:
    if isinstance(stmt, Assign):
        return (stmt.var,)
    return stmt.return_vars if isinstance(stmt, (For, While, If)) else ()


def _after(outer: _Context, last: Mapping[Var, int], position: int, final: int) -> _Context:
    return _Context(lambda var: last.get(var, -1) > position or outer.needed(var), final > position or outer.any)


def _reads_in_order(block: Block) -> Iterator[Var]:
    for stmt in block:
        for operand in operands_in_order(stmt):
            yield from operand.variables
        for inner in stmt.blocks:
            yield from _reads_in_order(inner)


def _definitions_in_order(block: Block) -> Iterator[Var]:
    for stmt in walk.statements(block):
        yield from stmt.definitions


def _stores(block: Block) -> Iterator[tuple[Stmt, Var]]:
    for stmt in walk.statements(block):
        value = stmt.value if isinstance(stmt, (Assign, Eval)) else None
        if isinstance(value, Call) and value.op == "tile.store" and len(value.args) > 2:
            target = value.args[2]
            if isinstance(target, Var):
                yield stmt, target


def _store_targets(block: Block) -> tuple[Var, ...]:
    return tuple(dict.fromkeys(target for _, target in _stores(block)))


def _post_store_aliases(block: Block) -> dict[Var, Var]:
    return {stmt.var: target for stmt, target in _stores(block) if isinstance(stmt, Assign)}


def _with_captured_stores(block: Block, targets: frozenset[Var]) -> Block:
    """Every store into a tensor from outside gives that tensor a name after the store."""
    return tuple(new for stmt in block for new in _captured(stmt, targets)) if targets else block


def _captured(stmt: Stmt, targets: frozenset[Var]) -> Block:
    if isinstance(stmt, If):
        then, orelse = _with_captured_stores(stmt.then, targets), _with_captured_stores(stmt.orelse, targets)
        return (updated(stmt, then=then, orelse=orelse),)
    if isinstance(stmt, (For, While, Scope)):
        return (updated(stmt, body=_with_captured_stores(stmt.body, targets)),)
    for store, target in _stores((stmt,)):
        if target in targets and isinstance(store, (Assign, Eval)):
            name = Var(f"{base_name(target.name)}__store", target.type, store.origin)
            if isinstance(store, Eval):
                return (Assign(name, store.value, store.origin),)
            return (store, Assign(name, store.var, store.origin))
    return (stmt,)


@frozen
class Lineage:
    """Which parameter a tensor value is: writes, loops and plain copies are looked through."""

    sources: Mapping[Var, Expr]
    parameters: frozenset[Var]

    @classmethod
    def of(cls, block: Block, parameters: set[Var]) -> Lineage:
        sources: dict[Var, Expr] = {}
        for stmt in walk.statements(block):
            if isinstance(stmt, Assign):
                sources[stmt.var] = stmt.value
            elif isinstance(stmt, (For, While)):
                for carried in stmt.iter_args:
                    sources[carried.var] = carried.init
                for result, carried in zip(stmt.return_vars, stmt.iter_args, strict=False):
                    if isinstance(result.type, TensorType):
                        sources[result] = carried.init
        return cls(sources, frozenset(parameters))

    def parameter(self, var: Var) -> Var:
        """The parameter that `var` is another name of, else `var` itself."""
        current: Expr | None = var
        seen: set[Var] = set()
        while isinstance(current, Var) and current not in seen:
            if current in self.parameters:
                return current
            seen.add(current)
            current = self._source(current)
        return var

    def _source(self, var: Var) -> Expr | None:
        value = self.sources.get(var)
        if isinstance(value, Call):
            operand = WRITTEN_OPERAND.get(value.op)
            return value.args[operand] if operand is not None and operand < len(value.args) else None
        return value
