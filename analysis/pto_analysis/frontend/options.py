"""Keyword options of loops, scopes and decorators, as attributes of IR nodes."""

from __future__ import annotations

from pto_analysis.frontend.constants import named_constant
from pto_analysis.frontend.enums import dsl_constant
from pto_analysis.frontend.issues import IssueKind
from pto_analysis.frontend.names import dsl_constant_path, dsl_path
from pto_analysis.frontend.reading import Reading
from pto_analysis.frontend.typed import constant_int
from pto_analysis.frontend.values import plain_value
from pto_analysis.ir.expr import Call, Tuple
from pto_analysis.ir.types import UnknownType
from pto_analysis.ops.structure import options_of
from pto_analysis.source import syntax

_SCOPES = {kind: options_of(kind) for kind in ("at", "spmd", "cluster", "scope", "manual_scope", "split_aiv")}
_LOOPS = {kind: options_of(kind) for kind in ("range", "parallel", "unroll", "pipeline", "while_", "spmd", "split_aiv")}


def read_loop_option(reading: Reading, kind: str, argument: syntax.Argument, attrs: dict[str, object]) -> None:
    """One keyword of a loop header, into `attrs`; `attrs={…}` is spread."""
    assert argument.keyword is not None
    if argument.keyword not in _LOOPS.get(kind, ()):
        _unknown_keyword(reading, f"pl.{kind}", argument, _LOOPS.get(kind, ()))
        return
    if argument.keyword == "attrs" and isinstance(argument.value, syntax.Dict):
        for key, value in argument.value.items:
            if isinstance(key, syntax.Constant) and isinstance(key.value, str):
                attrs[key.value] = read_option(reading, value)
        return
    value = read_option(reading, argument.value)
    if argument.keyword == "stage":
        stage = constant_int(value)
        if stage is None or stage < 1:
            reading.refuse(IssueKind.LOOP_FORM, "stage must be a constant of at least 1", reading.origin(argument))
        value = stage or value
    attrs[argument.keyword] = value


def read_scope_options(reading: Reading, kind: str, call: syntax.Call) -> dict[str, object]:
    """The options of `with pl.<kind>(…)`, in the order written; a positional one is the first of the scope's names."""
    names = _SCOPES.get(kind, ())
    attrs: dict[str, object] = {}
    position = 0
    for argument in call.args:
        keyword = argument.keyword
        if keyword is None:
            keyword = names[position] if position < len(names) else f"argument{position}"
            position += 1
        elif keyword not in names:
            _unknown_keyword(reading, f"pl.{kind}", argument, names)
            continue
        attrs[keyword] = read_option(reading, argument.value)
    return attrs


def read_option(reading: Reading, node: syntax.Expression) -> object:
    """An option's value: an enum member, a plain Python value, an expression, or a tuple of these."""
    if isinstance(node, syntax.Constant):
        return node.value
    if isinstance(node, syntax.Sequence):
        return tuple(read_option(reading, item) for item in node.items)
    if isinstance(node, syntax.Unsupported):
        return ()
    path = dsl_constant_path(reading, node)
    if path is not None:
        constant = named_constant(reading, node, path)
        return path.rpartition(".")[2] if constant is None else constant
    if isinstance(node, syntax.Call):
        made = _optimization(reading, node)
        if made is not None:
            return made
    if isinstance(node, syntax.Attribute) and node.attr[:1].isupper():
        constant = dsl_constant(f"{getattr(node.value, 'attr', getattr(node.value, 'name', ''))}.{node.attr}")
        if constant is not None:
            return constant
    value = reading.expression(node)
    known = plain_value(value)
    if known is not None:
        return known
    return value.items if isinstance(value, Tuple) else value


def _optimization(reading: Reading, node: syntax.Call) -> Call | None:
    """`pl.split(mode)` and `pl.cross_core_slot(slot_num=n)`: entries of `optimizations=`."""
    path = dsl_path(reading, node.func)
    path = None if path is None else path.replace(".optimizations.", ".")
    if path not in ("pl.split", "pl.cross_core_slot"):
        return None
    names = options_of(path.removeprefix("pl."))
    attrs: dict[str, object] = {}
    for position, argument in enumerate(node.args):
        name = argument.keyword or (names[position] if position < len(names) else f"argument{position}")
        attrs[name] = read_option(reading, argument.value)
    return Call(path, (), attrs, UnknownType("an optimization"), reading.origin(node))


def _unknown_keyword(reading: Reading, what: str, argument: syntax.Argument, known: tuple[str, ...]) -> None:
    reading.refuse(
        IssueKind.UNKNOWN_KEYWORD, f"{what} has no keyword `{argument.keyword}`", reading.origin(argument),
        operation=what, keyword=argument.keyword, known=known,
    )  # fmt: skip
