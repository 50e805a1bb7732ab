"""SSA conversion, in the order and with the names of the compiler's ConvertToSSA (reference: DSL section c.5).

Every assignment makes a version. A loop carries what its body assigns and what existed before it (sorted by
name), then what it defines first and later code needs. An if merges what its arms leave different.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pto_analysis.frozen import evolve, frozen
from pto_analysis.ir.expr import Expr, Var, type_of
from pto_analysis.ir.function import Direction, Function, Param
from pto_analysis.ir.stmt import (
    Assign,
    Block,
    Eval,
    For,
    If,
    IterArg,
    Return,
    Scope,
    Skipped,
    Stmt,
    While,
    Yield,
)
from pto_analysis.ir.types import TensorType, TileType, TupleType, Type, UnknownType
from pto_analysis.ir.walk import (
    TRANSPARENT_SCOPES,
    final_yield,
    statements,
    substitute,
    substitute_attributes,
    substitute_call,
    substitute_type,
    updated,
)
from pto_analysis.passes.ssa.environment import Environment
from pto_analysis.passes.ssa.issues import UseBeforeDefinition
from pto_analysis.passes.ssa.liveness import Liveness
from pto_analysis.passes.ssa.names import Role, Versions
from pto_analysis.source.span import Origin

_REGIONS = frozenset({"spmd", "split_aiv"})
"""Loop headers that the compiler reads as scopes."""


@frozen(eq=False)
class Ssa:
    """`function` with every variable assigned once, and what is read before it is defined."""

    function: Function
    issues: tuple[UseBeforeDefinition, ...] = ()


def to_ssa(function: Function) -> Ssa:
    """Convert one function. Bodies that are in SSA form already keep their structure."""
    converter = _Converter(function)
    params = tuple(converter.param(param) for param in function.params)
    body = converter.block(function.body)
    attrs = substitute_attributes(function.attrs, converter.replacement)
    return Ssa(evolve(function, params=params, body=body, attrs=attrs), tuple(converter.issues))


@frozen(eq=False)
class _Carry:
    """A variable that a loop carries besides what its author listed."""

    var: Var
    arg: IterArg
    result: Var


class _Converter:
    def __init__(self, function: Function) -> None:
        self.params = function.params
        self.liveness = Liveness(function.body)
        self.local = {var for stmt in statements(function.body) for var in stmt.definitions}
        self.versions = Versions()
        self.env = Environment()
        self.issues: list[UseBeforeDefinition] = []

    # Expressions and types

    def replacement(self, var: Var) -> Expr:
        return self.env.get(var) or var

    def expr(self, expr: Expr) -> Expr:
        return substitute(expr, self.replacement)

    def type(self, type_: Type) -> Type:
        return substitute_type(type_, self.replacement)

    def version(self, var: Var, role: Role, type_: Type, origin: Origin | None) -> Var:
        return Var(self.versions.name(var, role), type_, origin)

    def param(self, param: Param) -> Param:
        var = self.version(param.var, "ssa", self.type(param.var.type), param.var.origin)
        self.env.set(param.var, var)
        return evolve(param, var=var)

    def report_undefined(self, stmt: Stmt) -> None:
        """Local names that have no version here are read before they are defined."""
        if self.local.isdisjoint(self.env.without_version(self.liveness.needed(stmt))):
            return
        seen: set[Var] = set()
        for expr in stmt.operands:
            for var in expr.variables:
                if var in self.local and var not in seen and self.env.get(var) is None:
                    self.issues.append(UseBeforeDefinition(var, stmt.origin))
                seen.add(var)

    # Statements

    def block(self, block: Block) -> Block:
        needed_after = self.liveness.needed_after(block)
        return tuple(self.statement(stmt, needed_after.get(stmt, frozenset())) for stmt in block)

    def statement(self, stmt: Stmt, needed_after: frozenset[Var]) -> Stmt:
        if not isinstance(stmt, While):
            self.report_undefined(stmt)
        if isinstance(stmt, Assign):
            return self.assign(stmt)
        if isinstance(stmt, Eval):
            return updated(stmt, value=substitute_call(stmt.value, self.replacement))
        if isinstance(stmt, For):
            return self.region(stmt) if stmt.kind in _REGIONS else self.for_(stmt, needed_after)
        if isinstance(stmt, While):
            return self.while_(stmt, needed_after)
        if isinstance(stmt, If):
            return self.if_(stmt)
        if isinstance(stmt, Scope):
            return self.scope(stmt)
        if isinstance(stmt, (Yield, Return)):
            return updated(stmt, values=tuple(map(self.expr, stmt.values)))
        return self.skipped(stmt) if isinstance(stmt, Skipped) else stmt

    def assign(self, stmt: Assign) -> Assign:
        value = self.expr(stmt.value)
        type_ = self.type(_assigned_type(stmt.var, value))
        var = self.version(stmt.var, "ssa", type_, _definition_origin(stmt))
        self.env.set(stmt.var, var)
        return Assign(var, value, stmt.origin)

    def skipped(self, stmt: Skipped) -> Skipped:
        defines = tuple(self.version(var, "ssa", UnknownType(), stmt.origin) for var in stmt.defines)
        for var, version in zip(stmt.defines, defines, strict=True):
            self.env.set(var, version)
        return updated(stmt, defines=defines)

    def scope(self, stmt: Scope) -> Scope:
        attrs = substitute_attributes(stmt.attrs, self.replacement)
        var = None if stmt.var is None else self.version(stmt.var, "ssa", stmt.var.type, stmt.var.origin)
        if stmt.var is not None and var is not None:
            self.env.set(stmt.var, var)
        return updated(stmt, attrs=attrs, var=var, body=self.block(stmt.body))

    def region(self, loop: For) -> For:
        """Code that runs once on each core or lane: written as a loop, but it carries nothing from one to the next."""
        start, stop, step = self.expr(loop.start), self.expr(loop.stop), self.expr(loop.step)
        attrs = substitute_attributes(loop.attrs, self.replacement)
        var = self.version(loop.var, "ssa", loop.var.type, loop.var.origin)
        self.env.set(loop.var, var)
        body = self.block(loop.body)
        return updated(loop, var=var, start=start, stop=stop, step=step, attrs=attrs, body=body)

    # Loops

    def for_(self, loop: For, needed_after: frozenset[Var]) -> For:
        start, stop, step = self.expr(loop.start), self.expr(loop.stop), self.expr(loop.step)
        attrs = substitute_attributes(loop.attrs, self.replacement)
        written, carries = self.carries(loop, loop.var, needed_after)
        index = self.version(loop.var, "idx", loop.var.type, loop.var.origin)
        self.env.enter()
        self.env.set(loop.var, index)
        self.register(loop.iter_args, written, carries)
        body = self.carried_body(loop, carries)
        self.env.leave()
        args = (*written, *(carry.arg for carry in carries))
        results = self.results(loop, carries)
        return evolve(
            loop,
            var=index,
            start=start,
            stop=stop,
            step=step,
            attrs=attrs,
            body=body,
            iter_args=args,
            return_vars=results,
        )

    def while_(self, loop: While, needed_after: frozenset[Var]) -> While:
        written, carries = self.carries(loop, None, needed_after)
        self.env.enter()
        self.register(loop.iter_args, written, carries)
        self.report_undefined(loop)
        condition = self.expr(loop.condition)
        body = self.carried_body(loop, carries)
        self.env.leave()
        args = (*written, *(carry.arg for carry in carries))
        results = self.results(loop, carries)
        return updated(loop, condition=condition, body=body, iter_args=args, return_vars=results)

    def carries(
        self, loop: For | While, index: Var | None, needed_after: frozenset[Var]
    ) -> tuple[tuple[IterArg, ...], list[_Carry]]:
        """The author's iter args with their initialisers in the outer scope, and the compiler's own."""
        written = tuple(
            IterArg(Var(arg.var.name, self.type(arg.var.type), arg.var.origin), self.expr(arg.init))
            for arg in loop.iter_args
        )
        listed = {index, *(arg.var for arg in loop.iter_args)}
        assigned = [var for var in sorted(self.liveness.assigned(loop), key=_by_name) if var not in listed]
        carried = [self.carry(var, loop.origin) for var in assigned if self.env.get(var) is not None]
        escaping = [self.promote(var, loop) for var in assigned if self.env.get(var) is None and var in needed_after]
        return written, [*carried, *escaping]

    def carry(self, var: Var, origin: Origin | None) -> _Carry:
        init = self.env.get(var)
        assert init is not None
        return self.carry_from(var, init, init.type, origin)

    def carry_from(self, var: Var, init: Var, type_: Type, origin: Origin | None) -> _Carry:
        arg = IterArg(self.version(var, "iter", type_, origin), init)
        return _Carry(var, arg, self.version(var, "rv", type_, origin))

    def promote(self, var: Var, loop: For | While) -> _Carry:
        """Carry a name that the loop defines first and later code reads, from the Out parameter it is written to."""
        values = [stmt.value for stmt in statements(loop.body) if isinstance(stmt, Assign) and stmt.var is var]
        type_ = self.type(_assigned_type(var, values[-1])) if values else var.type
        init = self.initial_value(values[-1:], type_)
        if init is None:
            init = Var(var.name, type_, var.origin)
            self.issues.append(UseBeforeDefinition(var, loop.origin, zero_trip=True))
        return self.carry_from(var, init, type_, loop.origin)

    def initial_value(self, values: Sequence[Expr], type_: Type) -> Var | None:
        """An Out or InOut parameter of that type, one that the values are written to before any other."""
        read = {var for value in values for var in value.variables}
        outputs = [param.var for param in self.params if param.direction is not Direction.IN]
        for param in sorted(outputs, key=lambda var: var not in read):
            version = self.env.get(param)
            if version is not None and version.type == type_:
                return version
        return None

    def register(self, listed: Sequence[IterArg], written: Sequence[IterArg], carries: Iterable[_Carry]) -> None:
        for old, new in zip(listed, written, strict=True):
            self.env.set(old.var, new.var)
        for carry in carries:
            self.env.set(carry.var, carry.arg.var)

    def carried_body(self, loop: For | While, carries: Sequence[_Carry]) -> Block:
        body = self.block(loop.body)
        values = [self.replacement(carry.var) for carry in carries]
        return append_to_yield(body, values, loop.origin) if values else body

    def results(self, loop: For | While, carries: Sequence[_Carry]) -> tuple[Var, ...]:
        """The return vars, and their names made visible after the loop."""
        written: list[Var] = []
        for position, old in enumerate(loop.return_vars):
            new = Var(old.name, self.type(old.type), old.origin)
            written.append(new)
            self.env.set(old, new)
            if position < len(loop.iter_args):
                self.env.set(loop.iter_args[position].var, new)
        for carry in carries:
            self.env.set(carry.var, carry.result)
        return (*written, *(carry.result for carry in carries))

    # Branches

    def if_(self, stmt: If) -> If:
        condition = self.expr(stmt.condition)
        then, then_versions = self.arm(stmt.then)
        orelse, else_versions = self.arm(stmt.orelse)
        merged = self.merged(then_versions, else_versions)
        phis = [self.version(var, "phi", merged[var][0].type, stmt.origin) for var in merged]
        if merged:
            then = prepend_to_yield(then, [pair[0] for pair in merged.values()], stmt.origin)
            orelse = prepend_to_yield(orelse, [pair[1] for pair in merged.values()], stmt.origin)
        for var, phi in zip(merged, phis, strict=True):
            self.env.set(var, phi)
        written = [self.branch_result(var) for var in stmt.return_vars if var not in merged]
        return updated(stmt, condition=condition, then=then, orelse=orelse, return_vars=(*phis, *written))

    def arm(self, block: Block) -> tuple[Block, dict[Var, Var]]:
        self.env.enter()
        return self.block(block), self.env.leave()

    def merged(self, then: dict[Var, Var], orelse: dict[Var, Var]) -> dict[Var, tuple[Var, Var]]:
        """Variables to merge with their value from either arm, sorted by name."""
        found: dict[Var, tuple[Var, Var]] = {}
        for var in sorted({**then, **orelse}, key=_by_name):
            before = self.env.get(var)
            left, right = then.get(var, before), orelse.get(var, before)
            if left is not None and right is not None and (left is not before or right is not before):
                found[var] = (left, right)
        return found

    def branch_result(self, var: Var) -> Var:
        result = self.version(var, "rv", self.type(var.type), var.origin)
        self.env.set(var, result)
        return result


def append_to_yield(block: Block, values: Sequence[Expr], origin: Origin | None) -> Block:
    """The block with more values at the end of its final yield, which is made when there is none."""
    old = final_yield(block)
    return _with_yield(block, Yield((*(old.values if old else ()), *values), old.origin if old else origin))


def prepend_to_yield(block: Block, values: Sequence[Expr], origin: Origin | None) -> Block:
    """The block with more values at the start of its final yield, which is made when there is none."""
    old = final_yield(block)
    return _with_yield(block, Yield((*values, *(old.values if old else ())), old.origin if old else origin))


def _with_yield(block: Block, new: Yield) -> Block:
    if not block or final_yield(block) is None:
        return (*block, new)
    last = block[-1]
    if isinstance(last, Scope) and last.kind in TRANSPARENT_SCOPES:
        return (*block[:-1], updated(last, body=_with_yield(last.body, new)))
    return (*block[:-1], new)


def _by_name(var: Var) -> str:
    return var.name


def _assigned_type(var: Var, value: Expr) -> Type:
    """The type of a version: the value's where it has a shape of its own, with a MemRef that only the target has."""
    type_ = type_of(value)
    if not isinstance(value, Var) and not isinstance(type_, (TileType, TensorType, TupleType)):
        return var.type
    if isinstance(type_, (TileType, TensorType)) and isinstance(var.type, (TileType, TensorType)):
        memref = type_.memref or var.type.memref
        return type_ if memref is type_.memref else evolve(type_, memref=memref)
    return type_


def _definition_origin(stmt: Assign) -> Origin | None:
    """The target's own node if this statement is where the name was first assigned, else the statement."""
    own, here = stmt.var.origin, stmt.origin
    return own if own is not None and (here is None or own.statement == here.statement) else here
