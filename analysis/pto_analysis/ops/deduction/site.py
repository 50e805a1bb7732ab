"""One call as its typing rules see it: operands by position, attributes by name, and ways to refuse."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NoReturn, TypeVar

from pto_analysis.frozen import frozen
from pto_analysis.ir.dtypes import DType
from pto_analysis.ir.expr import Expr, Tuple, is_expression, type_of
from pto_analysis.ir.types import Dim, ScalarType, Shape, TensorType, TileType, TupleType, Type, UnknownType
from pto_analysis.ops.dims import as_dim, as_shape, is_understood, scalar_dtype
from pto_analysis.ops.spec import OpSpec, Refusal, RefusalKind
from pto_analysis.ops.views import valid_shape

_T = TypeVar("_T")


class RefusedError(Exception):
    """Carries a refusal from a rule to `deduce`, which returns it. Never leaves this package."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.message)
        self.refusal: Refusal = refusal


def refuse(
    kind: RefusalKind, message: str, *, keyword: str | None = None, suggestions: tuple[str, ...] = ()
) -> NoReturn:
    """Refuses a call before it has operands to speak of: spelling, number and names of its arguments."""
    raise RefusedError(Refusal(kind, message, keyword=keyword, suggestions=suggestions))


class UndecidedError(Exception):
    """An operand's type is not known, so neither is the result's. Never leaves this package."""


_KINDS: dict[type, str] = {TileType: "a tile", TensorType: "a tensor", ScalarType: "a scalar", TupleType: "a tuple"}


def kind_name(type_: Type) -> str:
    """ "a tile", "a tensor", … for messages."""
    return _KINDS.get(type(type_), "a value of another kind")


@frozen
class Site:
    """A call of `spec` with IR operands `args` and attributes `attrs`.

    With `overlooks_bounds` a window may leave what it addresses, and is valid where it does not: for the type of a call
    that was refused for that.
    """

    spec: OpSpec
    args: Sequence[Expr]
    attrs: Mapping[str, object]
    overlooks_bounds: bool = False

    @property
    def op(self) -> str:
        return self.spec.name

    def refuse(
        self, kind: RefusalKind, message: str, operand: int | None = None, data: Mapping[str, object] | None = None
    ) -> NoReturn:
        raise RefusedError(Refusal(kind, f"{self.op}: {message}", operand, data=dict(data or {})))

    def has(self, index: int) -> bool:
        """Whether the call has operand `index`."""
        return index < len(self.args)

    def arg(self, index: int) -> Expr:
        if index >= len(self.args):
            self.refuse("arity", f"operand {index} is missing")
        return self.args[index]

    def type(self, index: int) -> Type:
        type_ = type_of(self.arg(index))
        if isinstance(type_, UnknownType):
            raise UndecidedError
        return type_

    def tile(self, index: int) -> TileType:
        return self._typed(index, TileType)

    def tensor(self, index: int) -> TensorType:
        """A tensor in global memory, distributed ones included."""
        return self._typed(index, TensorType)

    def plain_tensor(self, index: int) -> TensorType:
        tensor = self.tensor(index)
        if tensor.distributed:
            self.refuse("operand-kind", f"operand {index} must be a tensor that is not distributed", index)
        return tensor

    def shaped(self, index: int) -> TileType | TensorType:
        type_ = self.type(index)
        if not isinstance(type_, (TileType, TensorType)):
            self.refuse("operand-kind", f"operand {index} must be a tile or a tensor, but is {kind_name(type_)}", index)
        return type_

    def scalar(self, index: int) -> DType:
        """The dtype of a scalar operand."""
        return self._typed(index, ScalarType).dtype

    def dtype(self, index: int) -> DType:
        """The dtype of a tile, tensor or scalar operand."""
        type_ = self.type(index)
        if not isinstance(type_, (TileType, TensorType, ScalarType)):
            self.refuse("operand-kind", f"operand {index} has no element type", index)
        return type_.dtype

    def valid(self, index: int) -> Shape:
        return valid_shape(self.shaped(index))

    def tuple(self, index: int, what: str) -> Shape:
        """The elements of an operand that is a literal tuple of extents or offsets."""
        expr = self.arg(index)
        if isinstance(type_of(expr), UnknownType):
            raise UndecidedError
        if not isinstance(expr, Tuple):
            self.refuse("operand-kind", f"{what} must be written as a list or tuple", index)
        return as_shape(expr.items)

    def index_tuple(self, index: int, what: str) -> Shape:
        """A literal tuple whose elements have dtype INT64, UINT64 or INDEX."""
        dims = self.tuple(index, what)
        for position, dim in enumerate(dims):
            self.check_index(dim, f"{what}[{position}]", index)
        return dims

    def constant_shape(self, index: int, what: str) -> Shape:
        """A literal tuple of positive numbers; constants of the program around that are not known stay symbols."""
        dims = self.tuple(index, what)
        for position, dim in enumerate(dims):
            if not isinstance(dim, int):
                if is_understood(dim):
                    self.refuse("shape", f"{what}[{position}] must be known at compile time", index)
            elif dim <= 0:
                self.refuse("shape", f"{what}[{position}] must be positive, got {dim}", index)
        if not dims:
            self.refuse("shape", f"{what} must not be empty", index)
        return dims

    def check_index(self, dim: Dim, what: str, operand: int) -> None:
        """The value must be a scalar of dtype INT64, UINT64 or INDEX."""
        dtype = scalar_dtype(dim)
        if dtype is None:
            if isinstance(dim, int) or isinstance(type_of(dim), UnknownType):
                return
            self.refuse("operand-kind", f"{what} must be a scalar", operand)
        if not dtype.is_index_like:
            self.refuse("dtype", f"{what} must be INT64, UINT64 or INDEX, but is {dtype}", operand)

    def index(self, operand: int, what: str) -> Dim:
        """A scalar operand of dtype INT64, UINT64 or INDEX."""
        value = as_dim(self.arg(operand))
        self.check_index(value, what, operand)
        return value

    def constant(self, index: int) -> int | None:
        """The value of a constant integer operand, else None."""
        value = as_dim(self.arg(index))
        if isinstance(value, int):
            return value
        if not is_understood(value):
            raise UndecidedError
        return None

    def attr(self, name: str, type_: type[_T]) -> _T | None:
        """An attribute when it is there and has the type."""
        value = self.attrs.get(name)
        if is_expression(value):
            raise UndecidedError
        return value if isinstance(value, type_) else None

    def required_dtype(self, name: str = "dtype") -> DType:
        dtype = self.attr(name, DType)
        if dtype is None:
            self.refuse("attribute", f"needs a dtype in '{name}'")
        return dtype

    def flag(self, name: str) -> bool:
        return self.attrs.get(name) is True

    def is_understood(self) -> bool:
        """Whether all extents in the call are made of values with known types."""
        return all(map(is_understood, self._extents()))

    def _extents(self) -> Iterator[Dim]:
        for arg in self.args:
            if isinstance(arg, Tuple):
                yield from as_shape(arg.items)
            type_ = type_of(arg)
            if isinstance(type_, ScalarType):
                yield as_dim(arg)
            if isinstance(type_, (TileType, TensorType)):
                yield from type_.shape
                yield from valid_shape(type_)

    def _typed(self, index: int, wanted: type[_T]) -> _T:
        type_ = self.type(index)
        if not isinstance(type_, wanted):
            expected = _KINDS.get(wanted, "a value of another kind")
            self.refuse("operand-kind", f"operand {index} must be {expected}, but is {kind_name(type_)}", index)
        return type_
