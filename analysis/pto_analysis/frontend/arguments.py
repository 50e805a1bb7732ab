"""Arguments of a call, as the op table wants them: expressions, dtypes, enum members, plain Python values."""

from __future__ import annotations

from pto_analysis.frontend.annotations import read_dtype
from pto_analysis.frontend.constants import named_constant
from pto_analysis.frontend.issues import IssueKind
from pto_analysis.frontend.names import dsl_constant_path
from pto_analysis.frontend.reading import Reading
from pto_analysis.frontend.shapes import dtype_attribute
from pto_analysis.frontend.values import constant_of, is_unknown
from pto_analysis.frozen import frozen
from pto_analysis.ir.dtypes import FP32
from pto_analysis.ir.expr import Const, Expr
from pto_analysis.source import syntax
from pto_analysis.source.span import Origin

_DTYPE_KEYWORDS = frozenset({"dtype", "target_type", "out_dtype"})
_IGNORED_KEYWORDS = frozenset({"attrs", "span"})


@frozen
class Arguments:
    """`keyword_origins` says where each keyword stands."""

    positional: list[object]
    keywords: dict[str, object]
    keyword_origins: dict[str, Origin]


def read_arguments(reading: Reading, node: syntax.Call) -> Arguments:
    positional: list[object] = []
    keywords: dict[str, object] = {}
    origins: dict[str, Origin] = {}
    for argument in node.args:
        if argument.star:
            reading.refuse(IssueKind.OUTSIDE_DSL, "starred arguments are not part of the DSL", reading.origin(argument),
                           construct="starred argument")  # fmt: skip
        elif argument.keyword is None:
            positional.append(read_argument(reading, argument.value))
        elif argument.keyword not in _IGNORED_KEYWORDS:
            keywords[argument.keyword] = _keyword(reading, argument.keyword, argument.value)
            origins[argument.keyword] = reading.origin(argument)
    return Arguments(positional, keywords, origins)


def read_argument(reading: Reading, node: syntax.Expression) -> object:
    """One argument: a dtype or enum member where it names one, a string or None as such, else an expression."""
    if isinstance(node, syntax.Constant) and (node.value is None or isinstance(node.value, str)):
        return node.value
    if isinstance(node, syntax.Name) and node.name not in reading.scope and reading.closure.lookup(node.name) is None:
        return None
    constant = _constant(reading, node)
    return reading.expression(node) if constant is None or isinstance(constant, bool) else constant


def _keyword(reading: Reading, keyword: str, node: syntax.Expression) -> object:
    """A keyword's value. A literal stays a plain number: it has no dtype of its own."""
    if keyword in _DTYPE_KEYWORDS:
        dtype = read_dtype(reading, node)
        if dtype is not None:
            return dtype
    buffer = _buffer_attribute(reading, node)
    if buffer is not None:
        return buffer
    literal = node.operand if isinstance(node, syntax.Unary) and node.op == "-" else node
    if isinstance(literal, syntax.Constant) and isinstance(literal.value, (int, float)):
        return -literal.value if literal is not node else literal.value
    return read_argument(reading, node)


def _constant(reading: Reading, node: syntax.Expression) -> object | None:
    """A dtype, an enum member, a number held in an attribute (`math.inf`), a string held in a name."""
    if not isinstance(node, (syntax.Attribute, syntax.Name)):
        return _negated(reading, node)
    path = dsl_constant_path(reading, node)
    if path is not None:
        return named_constant(reading, node, path)
    dtype = dtype_attribute(reading, node)
    if dtype is not None:
        return dtype
    root = node
    while isinstance(root, syntax.Attribute):
        root = root.value
    if not isinstance(root, syntax.Name) or root.name in reading.scope:
        return None
    value = reading.closure.evaluate(node)
    if is_unknown(value):
        return _infinity(reading, node)
    constant = constant_of(value)
    return None if isinstance(constant, int) and not isinstance(constant, bool) else _as_argument(constant)


def _as_argument(constant: object | None) -> object | None:
    return Const(constant, FP32) if isinstance(constant, float) else constant


def _infinity(reading: Reading, node: syntax.Expression) -> Expr | None:
    """`math.inf`, `float("inf")` held nowhere else."""
    if isinstance(node, syntax.Attribute) and node.attr in ("inf", "nan"):
        return Const(float(node.attr), FP32, reading.origin(node))
    return None


def _negated(reading: Reading, node: syntax.Expression) -> Expr | None:
    """`-math.inf`."""
    if isinstance(node, syntax.Unary) and node.op == "-" and isinstance(node.operand, syntax.Attribute):
        value = _constant(reading, node.operand)
        if isinstance(value, Const):
            return Const(-value.value, value.dtype, reading.origin(node))
    return None


def _buffer_attribute(reading: Reading, node: syntax.Expression) -> object | None:
    """`buf.base` of a reserved buffer."""
    if isinstance(node, syntax.Attribute) and isinstance(node.value, syntax.Name):
        return reading.buffers.get(node.value.name, {}).get(node.attr)
    return None
