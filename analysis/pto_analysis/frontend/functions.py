"""One kernel from its site in the source to a function of the IR."""

from __future__ import annotations

from collections.abc import Mapping

from pto_analysis.frontend.annotations import read_parameter_type, read_type
from pto_analysis.frontend.callee import CalleeParam
from pto_analysis.frontend.constants import check_constant
from pto_analysis.frontend.discovery import KernelSite
from pto_analysis.frontend.enums import dsl_constant
from pto_analysis.frontend.issues import FrontendIssue, IssueKind, NotUnderstood
from pto_analysis.frontend.names import dsl_path, last_name
from pto_analysis.frontend.options import read_option
from pto_analysis.frontend.reading import Reading
from pto_analysis.frontend.statements import parse, read_block
from pto_analysis.frozen import frozen
from pto_analysis.ir.expr import Var
from pto_analysis.ir.function import Direction, Function, FunctionKind, Param
from pto_analysis.ir.types import TupleType, Type, UnknownType
from pto_analysis.source import syntax
from pto_analysis.source.span import Origin

JIT_KINDS = {
    "jit": FunctionKind.ORCHESTRATION,
    "jit.host": FunctionKind.ORCHESTRATION,
    "jit.incore": FunctionKind.INCORE,
    "jit.inline": FunctionKind.INLINE,
    "jit.opaque": FunctionKind.OPAQUE,
    "inline": FunctionKind.INLINE,
}
_CORE_TYPES = {"aic": FunctionKind.AIC, "aiv": FunctionKind.AIV}


@frozen(eq=False)
class FunctionFacts:
    """A function of the IR, what was refused in it, and what could not be followed.

    `results` are the types that a caller gets: declared, else those of the first return; () when there is none.
    """

    function: Function
    results: tuple[Type, ...] = ()
    issues: tuple[FrontendIssue, ...] = ()
    not_understood: tuple[NotUnderstood, ...] = ()


def read_function(reading: Reading, site: KernelSite) -> FunctionFacts:
    """Read signature and body. `reading` is new, with the closure of this site."""
    reading.statement = site.statement
    params = _parameters(reading, site)
    declared = declared_results(reading, site)
    reading.attrs = decorator_attributes(reading, site)
    body = reading.block
    if not is_external(site):
        _read_prologue(reading, site)
        read_block(reading, site.block.body)
    function = Function(
        name=site.header.name,
        qualname=site.qualname,
        kind=reading.kind,
        params=params,
        returns=_results(reading, declared),
        body=tuple(body),
        decorator=site.decorator.form,
        attrs=reading.attrs,
        origin=Origin(site.statement),
    )
    return FunctionFacts(
        function,
        completed(declared, reading.returned) or (),
        tuple(reading.issues),
        tuple(reading.not_understood),
    )


def site_kind(site: KernelSite) -> FunctionKind:
    """The function type that the decorator says, Opaque by default."""
    decorator = site.decorator
    if decorator.form in JIT_KINDS:
        return JIT_KINDS[decorator.form]
    for argument in decorator.arguments:
        if decorator.form == "function" and argument.keyword == "type":
            kind = dsl_constant(f"FunctionType.{last_name(argument.value)}")
            return kind if isinstance(kind, FunctionKind) else FunctionKind.OPAQUE
        if decorator.form == "jit.extern" and argument.keyword == "core_type":
            word = argument.value.value if isinstance(argument.value, syntax.Constant) else last_name(argument.value)
            return _CORE_TYPES.get(str(word).lower(), FunctionKind.GROUP)
    return FunctionKind.OPAQUE


def site_parameters(site: KernelSite) -> tuple[syntax.Parameter, ...]:
    """The parameters without `self`."""
    params = site.header.params
    if params and params[0].name == "self" and params[0].annotation is None:
        return params[1:]
    return params


def callee_parameters(reading: Reading, site: KernelSite) -> tuple[CalleeParam, ...]:
    """The parameters as a caller needs them; nothing is defined and nothing is reported."""
    reading.statement = site.statement
    found: list[CalleeParam] = []
    for param in site_parameters(site):
        type_, direction = _parameter_type(reading, param)
        found.append(CalleeParam(param.name, type_, direction))
    return tuple(found)


def declared_results(reading: Reading, site: KernelSite) -> tuple[Type, ...] | None:
    """The annotated results; None without an annotation."""
    node = site.header.returns
    if node is None:
        return None
    if isinstance(node, syntax.Constant) and node.value is None:
        return ()
    reading.statement = site.statement
    type_ = read_type(reading, node)
    return type_.items if isinstance(type_, TupleType) else (type_,)


def completed(declared: tuple[Type, ...] | None, found: tuple[Type, ...] | None) -> tuple[Type, ...] | None:
    """The declared results; what is found where nothing is declared, or no more than a bare `pl.Tensor`."""
    if declared is None:
        return found
    if found is None or len(found) != len(declared):
        return declared
    pairs = zip(declared, found, strict=True)
    return tuple(found if isinstance(said, UnknownType) else said for said, found in pairs)


def decorator_attributes(reading: Reading, site: KernelSite) -> dict[str, object]:
    """What the decorator says besides the type; `attrs={…}` is spread."""
    attrs: dict[str, object] = {}
    reading.statement = site.decorator.statement
    for argument in site.decorator.arguments:
        if argument.keyword == "type":
            check_constant(reading, argument.value)
        if argument.keyword in (None, "type"):
            continue
        assert argument.keyword is not None
        if argument.keyword == "attrs":
            attrs |= _dict_option(reading, argument.value)
        else:
            attrs[argument.keyword] = read_option(reading, argument.value)
    return attrs


def _parameters(reading: Reading, site: KernelSite) -> tuple[Param, ...]:
    params: list[Param] = []
    for param in site_parameters(site):
        if param.annotation is None and not reading.is_jit and site.decorator.form != "inline":
            reading.refuse(
                IssueKind.ANNOTATION, f"parameter `{param.name}` needs a type", reading.origin(param), name=param.name
            )
        type_, direction = _parameter_type(reading, param)
        var = Var(param.name, type_, reading.origin(param))
        reading.define(param.name, var)
        params.append(Param(var, direction))
    return tuple(params)


def _parameter_type(reading: Reading, param: syntax.Parameter) -> tuple[Type, Direction]:
    if param.annotation is None:
        return UnknownType(f"parameter `{param.name}` has no annotation"), Direction.IN
    type_, direction = read_parameter_type(reading, param.annotation)
    if not reading.is_jit and last_name(param.annotation) in ("Tensor", "Tile", "Scalar"):
        message = f"the type of `{param.name}` is not complete"
        reading.refuse(IssueKind.ANNOTATION, message, reading.origin(param.annotation), name=param.name)
    given = reading.given.get(param.name)
    return (given if given is not None and isinstance(type_, UnknownType) else type_), direction


def _results(reading: Reading, declared: tuple[Type, ...] | None) -> tuple[Type, ...]:
    if declared is not None:
        return completed(declared, reading.returned) or ()
    inferred = reading.returned or ()
    return () if any(isinstance(type_, UnknownType) for type_ in inferred) else inferred


def is_strict(site: KernelSite) -> bool:
    """Whether the function's decorator says strict_ssa=True."""
    return any(
        argument.keyword == "strict_ssa"
        and isinstance(argument.value, syntax.Constant)
        and argument.value.value is True
        for argument in site.decorator.arguments
    )


def is_external(site: KernelSite) -> bool:
    """Whether the body is not DSL: C++ kernels, and host workers, which are plain Python."""
    if site.decorator.form == "jit.extern":
        return True
    options = {argument.keyword: last_name(argument.value) for argument in site.decorator.arguments}
    return "external_source" in options or (options.get("level"), options.get("role")) == ("HOST", "SubWorker")


def _read_prologue(reading: Reading, site: KernelSite) -> None:
    """`pl.func_attr({…})` as the first statements (after a docstring) is the function's attributes."""
    for block in site.block.body[:3]:
        if "func_attr" not in block.line.text:
            continue
        reading.statement = block.line.index
        statement = parse(reading, block)
        if isinstance(statement, syntax.ExpressionStatement) and isinstance(statement.value, syntax.Call):
            call = statement.value
            if dsl_path(reading, call.func) == "pl.func_attr" and call.args:
                reading.attrs |= _dict_option(reading, call.args[0].value)


def _dict_option(reading: Reading, node: syntax.Expression) -> Mapping[str, object]:
    if not isinstance(node, syntax.Dict):
        return {}
    return {
        key.value: read_option(reading, value)
        for key, value in node.items
        if isinstance(key, syntax.Constant) and isinstance(key.value, str)
    }
