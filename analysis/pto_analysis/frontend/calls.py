"""Calls: DSL operations, constants, other kernels (DSL sections a.5 and e)."""

from __future__ import annotations

from collections.abc import Callable

from pto_analysis.frontend.annotations import read_dtype
from pto_analysis.frontend.arguments import read_arguments
from pto_analysis.frontend.constants import check_constant, missing_in
from pto_analysis.frontend.extents import as_expr
from pto_analysis.frontend.invocations import invoke, read_submit
from pto_analysis.frontend.issues import IssueKind
from pto_analysis.frontend.names import dotted_text, dsl_path, last_name
from pto_analysis.frontend.operations import operate
from pto_analysis.frontend.reading import Reading
from pto_analysis.frontend.typed import constant_int, rests_on_unknown, type_of
from pto_analysis.frontend.values import is_undefined, is_unknown, value_to_expr
from pto_analysis.ir.dispatch import SplitMode
from pto_analysis.ir.dtypes import DTYPES, INDEX
from pto_analysis.ir.expr import Const, Expr, Opaque, is_expression
from pto_analysis.ir.function import FunctionKind
from pto_analysis.ir.types import TensorType, UnknownType
from pto_analysis.source import syntax
from pto_analysis.source.span import Origin

_Reader = Callable[[Reading, syntax.Call, Origin], Expr]


def read_call(reading: Reading, node: syntax.Call) -> Expr:
    origin, func = reading.origin(node), node.func
    path = dsl_path(reading, func)
    if path is not None:
        return _dsl_call(reading, node, path, origin)
    if isinstance(func, syntax.Name):
        return _named_call(reading, node, func.name, origin)
    if isinstance(func, syntax.Attribute):
        if isinstance(func.value, syntax.Name) and func.value.name == "self":
            callee = reading.methods(func.attr)
            if callee is None and reading.in_program:
                message = f"the program has no kernel `{func.attr}`"
                reading.refuse(IssueKind.UNDEFINED_NAME, message, origin, name=func.attr)
            return invoke(reading, f"self.{func.attr}", callee, node, origin)
        return _method_call(reading, node, func, origin)
    return _outside(reading, node, "this call", origin)


def _dsl_call(reading: Reading, node: syntax.Call, path: str, origin: Origin) -> Expr:
    special = _SPECIAL.get(path)
    if special is not None:
        return special(reading, node, origin)
    if path.endswith(".get_byte"):
        dtype = DTYPES.get(path.split(".")[-2])
        if dtype is not None:
            return Const((dtype.bits + 7) // 8, INDEX, origin)
    arguments = read_arguments(reading, node)
    return operate(reading, path, arguments.positional, arguments.keywords, origin, arguments.keyword_origins)


def _named_call(reading: Reading, node: syntax.Call, name: str, origin: Origin) -> Expr:
    if name in reading.scope:
        return _outside(reading, node, f"a call of the variable `{name}`", origin)
    callee = reading.callees(name)
    if callee is not None:
        return invoke(reading, name, callee, node, origin)
    value = reading.closure.evaluate(node)
    expr = None if is_unknown(value) else value_to_expr(reading, value, origin)
    if expr is not None:
        return expr
    found = reading.closure.lookup(name)
    if is_undefined(found) and not reading.closure.is_builtin(name):
        problem = reading.refuse(IssueKind.UNDEFINED_NAME, f"`{name}` is not defined here", origin, name=name)
        return Opaque(f"call of {name}", _operands(reading, node), problem, origin)
    if reading.closure.is_builtin(name):
        return _outside(reading, node, f"a call of Python's `{name}`", origin)
    return _unresolved(reading, node, name, origin)


def _method_call(reading: Reading, node: syntax.Call, func: syntax.Attribute, origin: Origin) -> Expr:
    """`x.bind_dynamic(…)` of jit code, or a method of a Python value."""
    if isinstance(func.value, syntax.Name) and func.value.name in reading.scope:
        if func.attr == "bind_dynamic":
            return Opaque("bind_dynamic", (), UnknownType("only says which axis is dynamic"), origin)
        return _outside(reading, node, f"the method `{func.attr}`", origin)
    spelled = dotted_text(func)
    callee = None if spelled is None else reading.callees(spelled)
    if callee is not None and spelled is not None:
        return invoke(reading, spelled, callee, node, origin)
    value = reading.closure.evaluate(node)
    expr = None if is_unknown(value) else value_to_expr(reading, value, origin)
    return _unresolved(reading, node, spelled or func.attr, origin) if expr is None else expr


def _unresolved(reading: Reading, node: syntax.Call, name: str, origin: Origin) -> Expr:
    why = reading.unknown(f"call of {name}", f"`{name}` could not be resolved to a kernel", origin)
    return Opaque(f"call of {name}", _operands(reading, node), why, origin)


def _operands(reading: Reading, node: syntax.Call) -> tuple[Expr, ...]:
    """The arguments that are values, so that what they read stays visible."""
    arguments = read_arguments(reading, node)
    return tuple(value for value in (*arguments.positional, *arguments.keywords.values()) if is_expression(value))


def _outside(reading: Reading, node: syntax.Call, what: str, origin: Origin) -> Expr:
    problem = reading.refuse(IssueKind.OUTSIDE_DSL, f"{what} is not part of the DSL", origin, construct=what)
    return Opaque(what, _operands(reading, node), problem, origin)


def _constant(reading: Reading, node: syntax.Call, origin: Origin) -> Expr:
    """`pl.const(value, dtype)`."""
    values = [argument.value for argument in node.args]
    dtype = read_dtype(reading, values[1]) if len(values) == 2 else None
    value = reading.expression(values[0]) if values else None
    if value is not None and rests_on_unknown(value):
        return Opaque("pl.const", (), UnknownType("a constant that is not known"), origin)
    if len(values) == 2 and dtype is None and missing_in(reading, values[1]) is not None:
        check_constant(reading, values[1])
        return Opaque("pl.const", (), UnknownType("a constant of no known dtype"), origin)
    if dtype is None or not isinstance(value, Const):
        problem = reading.refuse(IssueKind.ARGUMENTS, "pl.const takes a literal and a dtype", origin)
        return Opaque("pl.const", (), problem, origin)
    return Const(value.value, dtype, origin)


def _dimension(reading: Reading, node: syntax.Call, origin: Origin) -> Expr:
    """`pl.tensor.dim(x, axis)`; in an orchestration it is the extent's symbol where the type has one."""
    arguments = read_arguments(reading, node)
    if reading.kind is FunctionKind.ORCHESTRATION and len(arguments.positional) == 2:
        tensor, axis = arguments.positional
        type_ = type_of(tensor) if is_expression(tensor) else None
        index = constant_int(axis)
        if isinstance(type_, TensorType) and index is not None and -len(type_.shape) <= index < len(type_.shape):
            extent = type_.shape[index]
            if not isinstance(extent, int):
                return as_expr(extent, origin)
    return operate(reading, "pl.tensor.dim", arguments.positional, arguments.keywords, origin)


def _dynamic(reading: Reading, node: syntax.Call, origin: Origin) -> Expr:
    """`pl.dynamic("n")` inside a kernel."""
    name = node.args[0].value if node.args else None
    if isinstance(name, syntax.Constant) and isinstance(name.value, str):
        return reading.symbol(name.value)
    return Opaque("pl.dynamic", (), UnknownType("a dynamic extent without a name"), origin)


def _marker(reading: Reading, node: syntax.Call, origin: Origin) -> Expr:
    """`pl.no_dep(x)` marks an argument and is otherwise `x`."""
    if node.args:
        return reading.expression(node.args[0].value)
    return Opaque("pl.no_dep", (), UnknownType("pl.no_dep of nothing"), origin)


def _crossing(reading: Reading, node: syntax.Call, origin: Origin) -> Expr:
    """`pl.aiv_shard(x)`, `pl.aic_gather(x)`: the split is that of the enclosing `pl.split_aiv` loop."""
    arguments = read_arguments(reading, node)
    keywords = dict(arguments.keywords)
    if reading.splits:
        keywords.setdefault("split", list(SplitMode).index(reading.splits[-1]))
    path = f"pl.{last_name(node.func)}"
    return operate(reading, path, arguments.positional, keywords, origin, arguments.keyword_origins)


def _misplaced(reading: Reading, node: syntax.Call, origin: Origin) -> Expr:
    what = f"`{dotted_text(node.func)}` at this place"
    problem = reading.refuse(IssueKind.OUTSIDE_DSL, f"{what} is not part of the DSL", origin, construct=what)
    return Opaque(what, (), problem, origin)


_SPECIAL: dict[str, _Reader] = {
    "pl.const": _constant,
    "pl.tensor.dim": _dimension,
    "pl.dim": _dimension,
    "pl.dynamic": _dynamic,
    "pl.no_dep": _marker,
    "pl.submit": read_submit,
    "pl.spmd_submit": read_submit,
    "pl.yield_": _misplaced,
} | {f"pl.{space}{name}": _crossing for space in ("", "tile.", "tensor.") for name in ("aiv_shard", "aic_gather")}
