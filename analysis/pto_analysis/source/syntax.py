"""The syntax tree of one statement: what libcst saw, without its whitespace and without positions.

Nodes are plain immutable values. Each has an `id`: its number in a preorder walk of the statement, which
is what an `Origin` names and what the statement's position table is indexed by; 0 is the statement itself.
Everything downstream of `source` reads these nodes; libcst is imported behind `concrete` only.
"""

from __future__ import annotations

from typing import Literal, Union

from pto_analysis.frozen import frozen


@frozen
class Name:
    id: int
    name: str


@frozen
class Constant:
    """A number, string, bytes, bool, None or Ellipsis literal (adjacent strings already joined)."""

    id: int
    value: object


@frozen
class Attribute:
    id: int
    value: Expression
    attr: str


@frozen
class Argument:
    """One argument of a call. `star` is "", "*" or "**"."""

    id: int
    value: Expression
    keyword: str | None = None
    star: str = ""


@frozen
class Call:
    id: int
    func: Expression
    args: tuple[Argument, ...]


@frozen
class Slice:
    id: int
    lower: Expression | None
    upper: Expression | None
    step: Expression | None


@frozen
class Subscript:
    """`value[items]`; a tuple index is spread over `items`."""

    id: int
    value: Expression
    items: tuple[Expression, ...]


@frozen
class Sequence:
    id: int
    kind: Literal["list", "tuple"]
    items: tuple[Expression, ...]


@frozen
class Dict:
    id: int
    items: tuple[tuple[Expression, Expression], ...]


@frozen
class Unary:
    """`op` is "-", "+", "~" or "not"."""

    id: int
    op: str
    operand: Expression


@frozen
class Binary:
    """`op` as spelled: "+", "-", "*", "/", "//", "%", "**", "<<", ">>", "&", "|", "^", "@"."""

    id: int
    op: str
    left: Expression
    right: Expression


@frozen
class Compare:
    """A comparison, perhaps chained: `left ops[0] rights[0] ops[1] rights[1] …`."""

    id: int
    left: Expression
    ops: tuple[str, ...]
    rights: tuple[Expression, ...]


@frozen
class Boolean:
    """`op` is "and" or "or"; runs of one operator are one node."""

    id: int
    op: str
    values: tuple[Expression, ...]


@frozen
class Starred:
    id: int
    value: Expression


@frozen
class Unsupported:
    """An expression form that the DSL does not have; `what` names it ("lambda", "conditional expression")."""

    id: int
    what: str
    children: tuple[Expression, ...] = ()


Expression = Union[
    Name, Constant, Attribute, Call, Slice, Subscript, Sequence, Dict, Unary, Binary, Compare, Boolean, Starred,
    Unsupported,
]  # fmt: skip


@frozen
class Assign:
    """`a = b = value` has two targets; `a: T = value` has an annotation; `a: T` has no value."""

    targets: tuple[Expression, ...]
    value: Expression | None
    annotation: Expression | None = None


@frozen
class AugAssign:
    target: Expression
    op: str
    value: Expression


@frozen
class ExpressionStatement:
    value: Expression


@frozen
class Return:
    value: Expression | None


@frozen
class ForHeader:
    target: Expression
    iterable: Expression


@frozen
class WhileHeader:
    test: Expression


@frozen
class IfHeader:
    """`if test:` or `elif test:`."""

    test: Expression


@frozen
class ElseHeader:
    pass


@frozen
class WithHeader:
    """Pairs of context expression and `as` target."""

    items: tuple[tuple[Expression, Expression | None], ...]


@frozen
class Parameter:
    id: int
    name: str
    annotation: Expression | None
    default: Expression | None
    star: str = ""


@frozen
class FunctionHeader:
    name: str
    params: tuple[Parameter, ...]
    returns: Expression | None
    is_async: bool = False


@frozen
class ClassHeader:
    name: str
    bases: tuple[Argument, ...]


@frozen
class Decorator:
    value: Expression


@frozen
class Simple:
    """A statement that needs no operands here: "pass", "break", "continue"."""

    keyword: str


@frozen
class OtherStatement:
    """Any other statement (`import`, `try`, `raise`, `assert`, `del`, `global`, …), by its keyword."""

    keyword: str
    children: tuple[Expression, ...] = ()


Statement = Union[
    Assign, AugAssign, ExpressionStatement, Return, ForHeader, WhileHeader, IfHeader, ElseHeader, WithHeader,
    FunctionHeader, ClassHeader, Decorator, Simple, OtherStatement,
]  # fmt: skip
