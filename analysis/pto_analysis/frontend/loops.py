"""Loops (DSL section c.3): `pl.range` and its kin, `pl.while_`, plain `while`."""

from __future__ import annotations

from collections.abc import Callable

from pto_analysis.frontend import forms, options
from pto_analysis.frontend.issues import IssueKind
from pto_analysis.frontend.meant import meant_name
from pto_analysis.frontend.names import dsl_path, last_name
from pto_analysis.frontend.reading import Reading, YieldFrame
from pto_analysis.frontend.typed import constant_int, rests_on_unknown, type_of
from pto_analysis.frontend.values import is_undefined
from pto_analysis.frontend.yields import check_loop_yields
from pto_analysis.frozen import frozen
from pto_analysis.ir.dispatch import SplitMode
from pto_analysis.ir.dtypes import BOOL, INDEX, INT64, DType
from pto_analysis.ir.expr import Const, Expr, Opaque, Tuple, Var
from pto_analysis.ir.stmt import Block, For, IterArg, While
from pto_analysis.ir.types import ScalarType, UnknownType
from pto_analysis.source import syntax
from pto_analysis.source.span import Origin

ReadBody = Callable[[], None]
"""Reads the statements of the body into the current block."""

LOOP_KINDS = frozenset({"range", "parallel", "unroll", "pipeline", "spmd", "split_aiv"})


@frozen
class LoopCondition:
    """`pl.cond(test)` at the head of a `pl.while_` body, and the statement it is."""

    test: syntax.Expression
    statement: int


@frozen
class _Carry:
    """One value that a loop carries as written: its name in the body and its first value."""

    name: str
    init: Expr
    origin: Origin


def python_range(reading: Reading, header: syntax.ForHeader) -> syntax.Call | None:
    """The call of Python's own `range` over which a loop runs; None for other loops."""
    call = header.iterable
    if not isinstance(call, syntax.Call) or not isinstance(call.func, syntax.Name):
        return None
    is_own = call.func.name == "range" and "range" not in reading.scope and reading.closure.is_builtin("range")
    return call if is_own and is_undefined(reading.closure.lookup("range")) else None


def misspelt_loop(reading: Reading, header: syntax.ForHeader) -> tuple[str, syntax.Call] | None:
    """The loop that was most likely meant by a name which the DSL does not have; the name is refused."""
    call = header.iterable
    kind = meant_name(reading, call.func, LOOP_KINDS) if isinstance(call, syntax.Call) else None
    return (kind, call) if kind is not None and isinstance(call, syntax.Call) else None


def loop_call(reading: Reading, header: syntax.ForHeader) -> tuple[str, syntax.Call] | None:
    """The iterator's name and call (`range` of `pl.range(8)`); None when the loop is not one of the DSL."""
    call = header.iterable
    if not isinstance(call, syntax.Call) or not isinstance(call.func, (syntax.Attribute, syntax.Name)):
        return None
    if isinstance(call.func, syntax.Name) and dsl_path(reading, call.func) is None:
        return None
    name = last_name(call.func)
    return (name, call) if name in LOOP_KINDS or name == "while_" else None


def read_for(reading: Reading, header: syntax.ForHeader, kind: str, call: syntax.Call, read_body: ReadBody) -> None:
    """`for i in pl.range(…)`, with or without `init_values`."""
    origin, positional = reading.here(), [a.value for a in call.args if a.keyword is None and not a.star]
    bounds = [reading.expression(node) for node in positional[:3]]
    if kind == "spmd" and not bounds:
        bounds = [reading.expression(a.value) for a in call.args if a.keyword == "core_num"]
    start, stop, step = _bounds(kind, bounds, origin)
    if not bounds:
        reading.refuse(IssueKind.LOOP_FORM, f"pl.{kind} needs a bound", reading.origin(call), loop=kind)
    inits, attrs = _loop_options(reading, kind, call)
    target = _loop_target(reading, header.target, inits)
    if target is None:
        target = ("_", ())
    name, carries = target
    var = Var(name, ScalarType(_loop_dtype(bounds)), reading.origin(_index_target(header.target)))
    _check_form(reading, kind, call, start, stop, attrs)
    mode = attrs.get("mode")
    if isinstance(mode, SplitMode):
        reading.splits.append(mode)
    reading.core_scopes += kind == "spmd"
    iter_args, body, frame = _body(reading, kind, carries, read_body, index=var)
    reading.core_scopes -= kind == "spmd"
    if isinstance(mode, SplitMode):
        reading.splits.pop()
    check_loop_yields(reading, body, iter_args, frame)
    results = _results(reading, carries, iter_args, frame)
    reading.emit(For(kind, var, start, stop, step, body, iter_args, results, attrs, origin))


def read_while_carried(
    reading: Reading, header: syntax.ForHeader, call: syntax.Call, condition: LoopCondition | None, read_body: ReadBody
) -> None:
    """`for (x,) in pl.while_(init_values=(x0,)):` whose first statement is `pl.cond(…)`."""
    origin = reading.here()
    inits, _ = _loop_options(reading, "while_", call)
    names = header.target.items if isinstance(header.target, syntax.Sequence) else (header.target,)
    carries = _carries(reading, names, inits, header.target)
    if condition is None:
        reading.refuse(
            IssueKind.LOOP_FORM, "the first statement of pl.while_ must be pl.cond(…)", origin, loop="while_"
        )
    test: Expr = Const(True, BOOL, origin)

    def read_condition_and_body() -> None:
        nonlocal test
        if condition is not None:
            reading.statement = condition.statement
            test = read_condition(reading, condition.test, "while")
        read_body()

    iter_args, body, frame = _body(reading, "while", carries, read_condition_and_body, index=None)
    check_loop_yields(reading, body, iter_args, frame)
    results = _results(reading, carries, iter_args, frame)
    reading.emit(While(test, body, iter_args, results, origin))


def read_while(reading: Reading, header: syntax.WhileHeader, read_body: ReadBody) -> None:
    """A plain `while`: its names leak, and SSA conversion finds what it carries."""
    origin = reading.here()
    test = read_condition(reading, header.test, "while")
    _, body, _ = _body(reading, "while", (), read_body, index=None)
    reading.emit(While(test, body, (), (), origin))


def read_condition(reading: Reading, node: syntax.Expression, what: str) -> Expr:
    """A condition, which must be a BOOL scalar."""
    test = reading.expression(node)
    type_ = type_of(test)
    if isinstance(type_, UnknownType) or (isinstance(type_, ScalarType) and type_.dtype == BOOL):
        return test
    found = type_.dtype.name if isinstance(type_, ScalarType) else type(type_).__name__.removesuffix("Type").lower()
    reading.refuse(
        IssueKind.CONDITION, f"the condition of `{what}` must be a comparison or a bool, not {found}",
        reading.origin(node), found=found,
    )  # fmt: skip
    return test


def _body(
    reading: Reading, kind: str, carries: tuple[_Carry, ...], read_body: ReadBody, *, index: Var | None
) -> tuple[tuple[IterArg, ...], Block, YieldFrame]:
    """The iter args, the body's statements, and the names its `pl.yield_` gives."""
    iter_args = tuple(IterArg(Var(c.name, type_of(c.init), c.origin), c.init) for c in carries)
    frame = YieldFrame()

    def read() -> None:
        if index is not None:
            reading.define(index.name, index)
        for arg in iter_args:
            reading.define(arg.var.name, arg.var)
        read_body()

    reading.scope.enter()
    reading.loops.append(kind)
    reading.yields.append(frame)
    body = reading.nested(read)
    reading.yields.pop()
    reading.loops.pop()
    if carries or frame.names:
        reading.scope.leave_hiding()
    else:
        reading.scope.leave_leaking()
    return iter_args, body, frame


def _check_form(
    reading: Reading, kind: str, call: syntax.Call, start: Expr, stop: Expr, attrs: dict[str, object]
) -> None:
    origin = reading.origin(call)
    if kind == "spmd":
        forms.check_core_count(reading, stop, origin)
        forms.check_optimizations(reading, kind, call)
        forms.check_nesting(reading, origin)
    elif kind == "split_aiv":
        forms.check_lanes(reading, stop, attrs, origin)
    elif kind == "unroll" and not all(_is_known(bound) for bound in (start, stop)):
        reading.refuse(IssueKind.LOOP_FORM, "the bounds of pl.unroll are constants", origin, loop=kind)


def _is_known(bound: Expr) -> bool:
    return isinstance(bound, Const) or rests_on_unknown(bound)


def _results(
    reading: Reading, carries: tuple[_Carry, ...], iter_args: tuple[IterArg, ...], frame: YieldFrame
) -> tuple[Var, ...]:
    """The variables after the loop: named by the yield, else `<iter arg>_out`, typed as what they carry."""
    if iter_args and frame.bare:
        reading.refuse(
            IssueKind.LOOP_FORM, "a loop with init_values names its results: `x = pl.yield_(…)`", reading.here()
        )
    results: list[Var] = []
    for position, arg in enumerate(iter_args):
        if position < len(frame.names):
            name, yielded, origin = frame.names[position]
        else:
            name, yielded, origin = f"{arg.var.name}_out", arg.var.type, carries[position].origin
        type_ = yielded if isinstance(arg.var.type, UnknownType) else arg.var.type
        results.append(Var(name, type_, origin))
    for var in results[: len(frame.names)]:
        reading.define(var.name, var)
    return tuple(results)


def _loop_options(reading: Reading, kind: str, call: syntax.Call) -> tuple[list[Expr], dict[str, object]]:
    inits: list[Expr] = []
    attrs: dict[str, object] = {}
    for argument in call.args:
        if argument.keyword in (None, "core_num"):
            continue
        if argument.keyword == "init_values":
            value = reading.expression(argument.value)
            inits = list(value.items) if isinstance(value, Tuple) else [value]
        else:
            options.read_loop_option(reading, kind, argument, attrs)
    if kind == "pipeline" and "stage" not in attrs:
        reading.refuse(IssueKind.LOOP_FORM, "pl.pipeline needs stage=", reading.origin(call), loop=kind)
    if kind == "unroll" and inits:
        reading.refuse(IssueKind.LOOP_FORM, "pl.unroll takes no init_values", reading.origin(call), loop=kind)
    return inits, attrs


def _loop_target(
    reading: Reading, target: syntax.Expression, inits: list[Expr]
) -> tuple[str, tuple[_Carry, ...]] | None:
    """The loop variable's name and the carries of `i` or `i, (a, b)`."""
    if isinstance(target, syntax.Name):
        if inits:
            reading.refuse(
                IssueKind.LOOP_FORM, "a loop with init_values names them: `for i, (a,) in …`", reading.origin(target)
            )
        return target.name, ()
    if isinstance(target, syntax.Sequence) and len(target.items) == 2 and isinstance(target.items[0], syntax.Name):
        second = target.items[1]
        names = second.items if isinstance(second, syntax.Sequence) else (second,)
        return target.items[0].name, _carries(reading, names, inits, target)
    reading.refuse(IssueKind.LOOP_FORM, "a loop target is `i` or `i, (a, b)`", reading.origin(target))
    return None


def _carries(
    reading: Reading, names: tuple[syntax.Expression, ...], inits: list[Expr], target: syntax.Expression
) -> tuple[_Carry, ...]:
    if len(names) != len(inits):
        reading.refuse(
            IssueKind.LOOP_FORM, f"{len(names)} names for {len(inits)} init_values", reading.origin(target),
            names=len(names), values=len(inits),
        )  # fmt: skip
    carries: list[_Carry] = []
    for position, node in enumerate(names):
        if isinstance(node, syntax.Name):
            missing = Opaque("missing init value", (), UnknownType("no init value"), reading.origin(node))
            init = inits[position] if position < len(inits) else missing
            carries.append(_Carry(node.name, init, reading.origin(node)))
    return tuple(carries)


def _index_target(target: syntax.Expression) -> syntax.Expression:
    return target.items[0] if isinstance(target, syntax.Sequence) and target.items else target


def _bounds(kind: str, bounds: list[Expr], origin: Origin) -> tuple[Expr, Expr, Expr]:
    zero, one = Const(0, INDEX, origin), Const(1, INDEX, origin)
    if kind in ("spmd", "split_aiv") and bounds:
        return zero, bounds[0], one
    if len(bounds) == 1:
        return zero, bounds[0], one
    if len(bounds) == 2:
        return bounds[0], bounds[1], one
    return (bounds[0], bounds[1], bounds[2]) if bounds else (zero, zero, one)


def _loop_dtype(bounds: list[Expr]) -> DType:
    """INDEX, unless every literal bound is typed otherwise."""
    dtypes = [bound.dtype for bound in bounds if isinstance(bound, Const) and constant_int(bound) is not None]
    special = next((dtype for dtype in dtypes if dtype not in (INDEX, INT64)), None)
    if special is not None:
        return special
    return INT64 if INT64 in dtypes and INDEX not in dtypes else INDEX
