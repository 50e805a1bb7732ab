"""Expressions of the tile IR. Variables are compared by identity, everything else by value.

Every expression says the same about itself, whatever its class; what takes a walk is remembered, as expressions never
change and most stages leave most of them as they are:

* `parts`: its operands; `children`: these and the expressions among its attributes, in order of evaluation;
  `with_parts` is the same expression of other operands;
* `compounds`: itself and all parts within it that are neither names nor literals, the outer one first;
* `variables`: every variable that it reads, once per occurrence, from left to right;
* `mentioned`: at least those variables, and those in its types and attributes;
* `type`: that of its value, UnknownType where the IR does not say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from operator import attrgetter
from typing import ClassVar, Protocol, TypeGuard, Union, cast

from attrs import field

from pto_analysis.frozen import frozen
from pto_analysis.ir.dtypes import DType
from pto_analysis.ir.remembered import remembered
from pto_analysis.ir.types import TupleType, Type, UnknownType, scalar_type
from pto_analysis.source.span import Origin

_COMPOUNDS: Callable[[Expr], tuple[Expr, ...]] = attrgetter("compounds")
_VARIABLES: Callable[[Expr], tuple[Var, ...]] = attrgetter("variables")
_MENTIONED: Callable[[Expr], tuple[Var, ...]] = attrgetter("mentioned")


class _HasParts(Protocol):
    @property
    def parts(self) -> tuple[Expr, ...]: ...


@frozen(slots=False)
class _Compound:
    """What is made of `parts`, which every class below gives."""

    @remembered
    def children(self: _HasParts) -> tuple[Expr, ...]:
        return self.parts

    @property
    def compounds(self) -> tuple[Expr, ...]:
        """Not remembered: an expression that holds itself would have to wait for the garbage collector."""
        return (cast("Expr", self), *self._inner_compounds)

    @remembered
    def _inner_compounds(self: _HasParts) -> tuple[Expr, ...]:
        return tuple(chain.from_iterable(map(_COMPOUNDS, self.parts)))

    @remembered
    def variables(self) -> tuple[Var, ...]:
        return tuple(chain.from_iterable(map(_VARIABLES, self.children)))

    @remembered
    def mentioned(self: _HasParts) -> tuple[Var, ...]:
        return tuple(chain.from_iterable(map(_MENTIONED, self.parts)))


@frozen(eq=False)
class Var:
    """A value with a name. Before SSA conversion one `Var` per source name and scope; after it, one per definition.

    Its type before conversion is that of the first definition, as in the compiler. A name that is rebound to
    another type in the block of its first definition is another `Var` of the same name from there on.
    `origin` is the defining target in the source (the parameter, the assignment's name).
    """

    name: str
    type: Type
    origin: Origin | None = None
    parts: ClassVar[tuple[Expr, ...]] = ()
    children: ClassVar[tuple[Expr, ...]] = ()
    compounds: ClassVar[tuple[Expr, ...]] = ()

    def with_parts(self, _parts: tuple[Expr, ...]) -> Var:
        return self

    @property
    def variables(self) -> tuple[Var, ...]:
        return (self,)

    @property
    def mentioned(self) -> tuple[Var, ...]:
        return (self,)

    def __repr__(self) -> str:
        return f"Var({self.name})"


@frozen
class Const:
    """A literal. Integers are INDEX and floats FP32 unless written or retyped otherwise."""

    value: int | float | bool
    dtype: DType
    origin: Origin | None = field(default=None, eq=False)
    parts: ClassVar[tuple[Expr, ...]] = ()
    children: ClassVar[tuple[Expr, ...]] = ()
    compounds: ClassVar[tuple[Expr, ...]] = ()
    variables: ClassVar[tuple[Var, ...]] = ()
    mentioned: ClassVar[tuple[Var, ...]] = ()

    def with_parts(self, _parts: tuple[Expr, ...]) -> Const:
        return self

    @property
    def type(self) -> Type:
        return scalar_type(self.dtype)


@frozen(slots=False)
class Unary(_Compound):
    """`op` is "-", "~" or "not"."""

    op: str
    operand: Expr
    dtype: DType
    origin: Origin | None = field(default=None, eq=False)

    @property
    def parts(self) -> tuple[Expr, ...]:
        return (self.operand,)

    def with_parts(self, parts: tuple[Expr, ...]) -> Unary:
        return Unary(self.op, parts[0], self.dtype, self.origin)

    @property
    def type(self) -> Type:
        return scalar_type(self.dtype)


@frozen(slots=False)
class Binary(_Compound):
    """Scalar arithmetic, comparison or logic.

    `op` is "+", "-", "*", "/", "//", "%", "<<", ">>", "&", "|", "^", "min", "max",
    "==", "!=", "<", "<=", ">", ">=", "and" or "or".
    """

    op: str
    left: Expr
    right: Expr
    dtype: DType
    origin: Origin | None = field(default=None, eq=False)

    @property
    def parts(self) -> tuple[Expr, ...]:
        return (self.left, self.right)

    def with_parts(self, parts: tuple[Expr, ...]) -> Binary:
        return Binary(self.op, parts[0], parts[1], self.dtype, self.origin)

    @property
    def type(self) -> Type:
        return scalar_type(self.dtype)


@frozen(slots=False)
class Cast(_Compound):
    """`pl.cast(scalar, dtype)`."""

    operand: Expr
    dtype: DType
    origin: Origin | None = field(default=None, eq=False)

    @property
    def parts(self) -> tuple[Expr, ...]:
        return (self.operand,)

    def with_parts(self, parts: tuple[Expr, ...]) -> Cast:
        return Cast(parts[0], self.dtype, self.origin)

    @property
    def type(self) -> Type:
        return scalar_type(self.dtype)


@frozen(slots=False)
class Tuple(_Compound):
    items: tuple[Expr, ...]
    origin: Origin | None = field(default=None, eq=False)

    @property
    def parts(self) -> tuple[Expr, ...]:
        return self.items

    def with_parts(self, parts: tuple[Expr, ...]) -> Tuple:
        return Tuple(parts, self.origin)

    @remembered
    def type(self) -> Type:
        return TupleType(tuple(item.type for item in self.items))


@frozen(slots=False)
class TupleItem(_Compound):
    value: Expr
    index: int
    type: Type
    origin: Origin | None = field(default=None, eq=False)

    @property
    def parts(self) -> tuple[Expr, ...]:
        return (self.value,)

    def with_parts(self, parts: tuple[Expr, ...]) -> TupleItem:
        return TupleItem(parts[0], self.index, self.type, self.origin)


class _Applied(_Compound):
    """What is called with operands and attributes; both are fields of the classes below."""

    args: tuple[Expr, ...]
    attrs: Mapping[str, object]
    type: Type

    @property
    def parts(self) -> tuple[Expr, ...]:
        return self.args

    @remembered
    def children(self) -> tuple[Expr, ...]:
        found = attribute_expressions(self.attrs)
        return (*self.args, *found) if found else self.args

    @remembered
    def mentioned(self) -> tuple[Var, ...]:
        held = [item for value in self.attrs.values() if type(value) in _HOLDERS for item in _held(value)]
        return tuple(chain.from_iterable(map(_MENTIONED, (*self.args, *self.type.symbols, *held))))


@frozen(slots=False)
class Call(_Applied):
    """One operation: `op` is its IR name ("tile.load"), `args` its IR operands in signature order.

    `attrs` holds everything that is not an operand, in the order of the op's signature: enums as their
    `ir.types` members, dtypes as `DType`, numbers, strings, tuples of these.
    """

    op: str
    args: tuple[Expr, ...]
    attrs: Mapping[str, object] = field(hash=False)
    type: Type
    origin: Origin | None = field(default=None, eq=False)

    def with_parts(self, parts: tuple[Expr, ...]) -> Call:
        return Call(self.op, parts, self.attrs, self.type, self.origin)


@frozen(slots=False)
class Invoke(_Applied):
    """A call of another kernel or helper: `self.f(a, b)`, `f(a, b)`, `pl.submit(self.f, …)`."""

    callee: str
    args: tuple[Expr, ...]
    attrs: Mapping[str, object] = field(hash=False)
    type: Type
    origin: Origin | None = field(default=None, eq=False)

    def with_parts(self, parts: tuple[Expr, ...]) -> Invoke:
        return Invoke(self.callee, parts, self.attrs, self.type, self.origin)


@frozen(slots=False)
class Opaque(_Compound):
    """An expression that is not part of the DSL or was not understood; its operands are still visible."""

    what: str
    operands: tuple[Expr, ...] = ()
    type: Type = UnknownType()
    origin: Origin | None = field(default=None, eq=False)

    @property
    def parts(self) -> tuple[Expr, ...]:
        return self.operands

    def with_parts(self, parts: tuple[Expr, ...]) -> Opaque:
        return Opaque(self.what, parts, self.type, self.origin)


Expr = Union[Var, Const, Unary, Binary, Cast, Tuple, TupleItem, Call, Invoke, Opaque]

_CLASSES = frozenset({Var, Const, Unary, Binary, Cast, Tuple, TupleItem, Call, Invoke, Opaque})
_HOLDERS = _CLASSES | {tuple}

type_of: Callable[[Expr], Type] = attrgetter("type")
"""The type of an expression's value; UnknownType where the IR does not say."""


def is_expression(value: object) -> TypeGuard[Expr]:
    """Whether a value is an expression of the IR (and not a dtype, enum member, string, …), in one step."""
    return type(value) in _CLASSES


def attribute_expressions(attrs: Mapping[str, object]) -> tuple[Expr, ...]:
    """The expressions held in attributes, directly or in a tuple."""
    if not attrs:
        return ()
    found: list[Expr] = []
    for value in attrs.values():
        if isinstance(value, tuple):
            found.extend(item for item in cast("tuple[object, ...]", value) if is_expression(item))
        elif is_expression(value):
            found.append(value)
    return tuple(found)


def _held(value: object) -> Iterator[Expr]:
    """The expressions in an attribute, in tuples of tuples too."""
    if is_expression(value):
        yield value
    elif isinstance(value, tuple):
        for item in cast("tuple[object, ...]", value):
            yield from _held(item)
