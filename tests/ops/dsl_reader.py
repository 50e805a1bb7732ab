"""A reader for the kernels of this folder's tests: straight-line code, loops and branches, nothing clever.

It shares no code with the frontend. Every name gets the type of its annotation when it has one (tests of printed
compiler text), else the type that `pto_analysis.ops` deduces.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Union

from attrs import field, frozen

from pto_analysis.ir.dtypes import BOOL, DTYPES, FP32, INDEX, DType
from pto_analysis.ir.expr import Binary, Const, Expr, Tuple, TupleItem, Unary, Var
from pto_analysis.ir.types import (
    Atomic,
    Compact,
    Layout,
    Pad,
    ScalarType,
    Space,
    TensorView,
    TileType,
    TileView,
    TupleType,
    Type,
    UnknownType,
)
from pto_analysis.ops import Refusal, ScalarCall, call
from pto_analysis.ops.dims import as_dim
from pto_analysis.ops.views import tensor_type, tile_type

_ENUMS = {
    "Mem": Space,
    "MemorySpace": Space,
    "TileLayout": Layout,
    "PadValue": Pad,
    "CompactMode": Compact,
    "AtomicType": Atomic,
}
_BINARY = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "//", ast.Mod: "%", ast.Div: "/"}
_COMPARE = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}


@frozen
class Typed:
    """One call statement: what the annotation says (None without one) and what the ops room says."""

    name: str
    spelling: str
    written: Type | None
    found: Union[Type, Refusal]
    text: str


@frozen
class Reader:
    """Reads the functions of a module; `scope` maps names to expressions."""

    scope: dict[str, Expr] = field(factory=dict[str, Expr])
    results: list[Typed] = field(factory=list[Typed])

    def module(self, text: str) -> list[Typed]:
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef):
                self.scope.clear()
                self._parameters(node)
                self._block(node.body)
        return self.results

    def _parameters(self, function: ast.FunctionDef) -> None:
        for arg in function.args.args:
            if arg.arg != "self" and arg.annotation is not None:
                self._define(arg.arg, self.annotation(arg.annotation))

    def _define(self, name: str, type_: Type) -> None:
        self.scope[name] = Var(name, type_)

    def _block(self, body: list[ast.stmt]) -> None:
        for statement in body:
            self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign(targets=[target]):
                self._assign(target, node.value, None, node)
            case ast.AnnAssign():
                self._assign(node.target, node.value, self.annotation(node.annotation), node)
            case ast.For():
                self._loop(node)
            case ast.While() | ast.With():
                self._block(node.body)
            case ast.If():
                self._block(node.body)
                self._block(node.orelse)
            case ast.Expr(value=ast.Call()):
                self._record("", node.value, None, node)
            case _:
                pass

    def _assign(self, target: ast.expr, value: ast.expr | None, written: Type | None, node: ast.stmt) -> None:
        names = [t.id for t in getattr(target, "elts", [target]) if isinstance(t, ast.Name)]
        if value is None or not names:
            return
        if isinstance(value, ast.Call) and self._spelling(value) not in ("yield_", None):
            found = self._record(names[0], value, written, node)
        elif len(names) == 1 and written is None:
            self.scope[names[0]] = self.expression(value)
            return
        else:
            found = UnknownType()
        for position, name in enumerate(names):
            type_ = written if written is not None else found
            if len(names) > 1 and isinstance(type_, TupleType):
                type_ = type_.items[position]
            self._define(name, UnknownType() if isinstance(type_, Refusal) else type_)

    def _loop(self, node: ast.For) -> None:
        carried: list[ast.expr] = []
        target: ast.expr = node.target
        if isinstance(node.iter, ast.Call):
            carried = [e for k in node.iter.keywords if k.arg == "init_values" for e in getattr(k.value, "elts", [])]
        if isinstance(target, ast.Tuple):
            for name, init in zip(getattr(target.elts[-1], "elts", []), carried, strict=False):
                self._define(name.id, _type_of(self.expression(init)))
            target = target.elts[0]
        if isinstance(target, ast.Name):
            self._define(target.id, ScalarType(INDEX))
        self._block(node.body)

    def _record(self, name: str, node: ast.Call, written: Type | None, statement: ast.stmt) -> Union[Type, Refusal]:
        spelling = self._spelling(node) or ""
        result = self._call(node)
        found = result.type if isinstance(result, (Var, TupleItem)) or hasattr(result, "attrs") else result
        if isinstance(found, (Const, Unary, Binary)):
            found = ScalarType(found.dtype)
        self.results.append(Typed(name, spelling, written, found, ast.unparse(statement)))  # pyright: ignore
        return found  # pyright: ignore

    def _spelling(self, node: ast.Call) -> str | None:
        text = ast.unparse(node.func)
        return text.removeprefix("pl.") if text.startswith("pl.") else None

    def _call(self, node: ast.Call) -> object:
        spelling = self._spelling(node)
        if spelling is None or spelling in ("range", "yield_", "cond"):
            return Var("?", UnknownType())
        if spelling == "const":
            value = ast.literal_eval(node.args[0])
            return Const(value, DTYPES[ast.unparse(node.args[1]).rpartition(".")[2]])
        positional = [self.argument(arg) for arg in node.args]
        keywords = {k.arg: self._keyword(k.value) for k in node.keywords if k.arg and k.arg != "attrs"}
        result = call(spelling, positional, keywords)
        if isinstance(result, ScalarCall):
            return self._scalar_call(result)
        return result

    def _scalar_call(self, result: ScalarCall) -> Expr:
        left, right = (a for a in result.arguments)
        if isinstance(right, DType):
            return Var("?", ScalarType(right))
        sides = [as_expr_argument(side) for side in (left, right)]
        return Binary(result.operator, sides[0], sides[1], INDEX)

    def _keyword(self, node: ast.expr) -> object:
        """A keyword literal stays a plain value, as in the DSL's own parser."""
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant):
            return ast.literal_eval(node)
        return self.argument(node)

    def argument(self, node: ast.expr) -> object:
        """An enum, a dtype, or an expression."""
        text = ast.unparse(node)
        if text.startswith("pl.") and not isinstance(node, ast.Call):
            *_, family, member = ("", *text.split("."))
            if family in _ENUMS:
                return next(m for m in _ENUMS[family] if m.value == member)
            if member in DTYPES:
                return DTYPES[member]
            if family == "TensorLayout":
                return member
        if isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, str)):
            return node.value
        return self.expression(node)

    def expression(self, node: ast.expr) -> Expr:
        match node:
            case ast.Name():
                return self.scope.get(node.id) or Var(node.id, UnknownType())
            case ast.Constant(value=bool()):
                return Const(bool(node.value), BOOL)
            case ast.Constant(value=int()):
                return Const(int(node.value), INDEX)  # pyright: ignore
            case ast.Constant(value=float()):
                return Const(float(node.value), FP32)  # pyright: ignore
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant()):
                value = ast.literal_eval(node)
                return Const(value, INDEX if isinstance(value, int) else FP32)
            case ast.UnaryOp(op=ast.USub()):
                return Unary("-", self.expression(node.operand), INDEX)
            case ast.BinOp():
                left, right = self.expression(node.left), self.expression(node.right)
                return Binary(_BINARY.get(type(node.op), "?"), left, right, INDEX)
            case ast.Compare():
                left, right = self.expression(node.left), self.expression(node.comparators[0])
                return Binary(_COMPARE.get(type(node.ops[0]), "?"), left, right, BOOL)
            case ast.List() | ast.Tuple():
                return Tuple(tuple(self.expression(item) for item in node.elts))
            case ast.Subscript(slice=ast.Constant(value=int())):
                whole = self.expression(node.value)
                index = int(ast.literal_eval(node.slice))
                type_ = _type_of(whole)
                item = type_.items[index] if isinstance(type_, TupleType) else UnknownType()
                return TupleItem(whole, index, item)
            case ast.Call():
                result = self._call(node)
                return (
                    result
                    if isinstance(result, (Const, Var, Binary))
                    else Var("?", getattr(result, "type", UnknownType()))
                )
            case _:
                return Var("?", UnknownType())

    def annotation(self, node: ast.expr) -> Type:
        match node:
            case ast.Subscript():
                head = ast.unparse(node.value).rpartition(".")[2]
                parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
                return self._annotated(head, parts)
            case _:
                return UnknownType()

    def _annotated(self, head: str, parts: list[ast.expr]) -> Type:
        if head in ("Out", "InOut"):
            return self.annotation(parts[0])
        if head == "Scalar":
            return ScalarType(self._dtype(parts[0]))
        if head in ("Tuple", "tuple"):
            return TupleType(tuple(self.annotation(part) for part in parts))
        if head not in ("Tile", "Tensor"):
            return UnknownType()
        shape = self._shape(parts[0])
        dtype = self._dtype(parts[1])
        if head == "Tensor":
            return tensor_type(shape, dtype, self._tensor_view(parts[2:]))
        space = next((s for s in (self.argument(p) for p in parts[2:]) if isinstance(s, Space)), None)
        views = [p for p in parts[2:] if isinstance(p, ast.Call) and ast.unparse(p.func) == "pl.TileView"]
        if not views:
            return tile_type(shape, dtype, None, space)
        # a written view starts from the defaults of TileView, except that printed text names what differs
        return _written_tile(shape, dtype, space, self._fields(views[0]))

    def _tensor_view(self, parts: list[ast.expr]) -> TensorView | None:
        for part in parts:
            if isinstance(part, ast.Call) and ast.unparse(part.func) == "pl.TensorView":
                fields = self._fields(part)
                return TensorView(**fields)  # pyright: ignore
            if isinstance(part, ast.Attribute):
                return TensorView(layout=part.attr)
        return None

    def _fields(self, node: ast.Call) -> dict[str, object]:
        fields: dict[str, object] = {}
        for keyword in node.keywords:
            assert keyword.arg is not None
            if keyword.arg in ("valid_shape", "stride"):
                fields[keyword.arg] = self._shape(keyword.value)
            elif keyword.arg == "fractal":
                fields[keyword.arg] = ast.literal_eval(keyword.value)
            else:
                fields[keyword.arg] = self.argument(keyword.value)
        return fields

    def _shape(self, node: ast.expr) -> tuple[int | Expr, ...]:
        return tuple(as_dim(self.expression(item)) for item in getattr(node, "elts", []))

    def _dtype(self, node: ast.expr) -> DType:
        return DTYPES[ast.unparse(node).rpartition(".")[2]]


def _written_tile(
    shape: tuple[int | Expr, ...], dtype: DType, space: Space | None, fields: dict[str, object]
) -> TileType:
    """Fields that a printed view leaves out have the implicit value of the space."""
    from attrs import evolve

    from pto_analysis.ops.views import implicit_view

    return tile_type(shape, dtype, evolve(implicit_view(shape, space), **fields), space)  # pyright: ignore


def as_expr_argument(value: object) -> Expr:
    if isinstance(value, (int, float)):
        return Const(value, INDEX if isinstance(value, int) else FP32)
    return value  # pyright: ignore


def _type_of(expr: Expr) -> Type:
    from pto_analysis.ops.deduction.site import type_of

    return type_of(expr)


def typed_statements(text: str) -> Iterator[Typed]:
    """Every call statement of every function of a module."""
    yield from Reader().module(text)
