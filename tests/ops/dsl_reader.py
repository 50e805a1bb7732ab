"""A reader for the kernels of this folder's tests: straight-line code, loops and branches, nothing clever.

It shares no code with the frontend. Every name gets the type of its annotation when it has one (tests of printed
compiler text), else the type that `pto_analysis.ops` deduces.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from enum import Enum
from typing import Union, cast

from attrs import evolve, field, frozen

from pto_analysis.ir.dtypes import BOOL, DTYPES, FP32, INDEX, DType
from pto_analysis.ir.expr import Binary, Call, Const, Expr, Tuple, TupleItem, Unary, Var, type_of
from pto_analysis.ir.types import (
    Atomic,
    Compact,
    Layout,
    Pad,
    ScalarType,
    Shape,
    Space,
    TensorView,
    TileType,
    TupleType,
    Type,
    UnknownType,
)
from pto_analysis.ir.views import implicit_view
from pto_analysis.ops import Refusal, ScalarCall, call
from pto_analysis.ops.dims import as_dim
from pto_analysis.ops.views import tensor_type, tile_type

_ENUMS: dict[str, type[Enum]] = {
    "Mem": Space,
    "MemorySpace": Space,
    "TileLayout": Layout,
    "PadValue": Pad,
    "CompactMode": Compact,
    "AtomicType": Atomic,
}
_BINARY: dict[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Div: "/",
}
_COMPARE: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}
_UNKNOWN = Var("?", UnknownType())

Found = Union[Type, Refusal]


@frozen
class Typed:
    """One call statement: what the annotation says (None without one) and what the ops room says.

    `op` is the IR op that the spelling resolved to, "" for none.
    """

    name: str
    spelling: str
    op: str
    written: Type | None
    found: Found
    text: str


@frozen
class Reader:
    """Reads functions; `scope` maps names to expressions, `results` collects every call statement."""

    scope: dict[str, Expr] = field(factory=dict[str, Expr])
    results: list[Typed] = field(factory=list[Typed])

    def module(self, text: str) -> list[Typed]:
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef):
                self.scope.clear()
                self.function(node)
        return self.results

    def statements(self, text: str) -> list[Typed]:
        """Statements outside any function; names mean what `scope` says."""
        self._block(ast.parse(text).body)
        return self.results

    def function(self, node: ast.FunctionDef) -> None:
        for arg in node.args.args:
            if arg.arg != "self" and arg.annotation is not None:
                self._define(arg.arg, self.annotation(arg.annotation))
        self._block(node.body)

    def _define(self, name: str, type_: Type) -> None:
        self.scope[name] = Var(name, type_)

    def _block(self, body: Sequence[ast.stmt]) -> None:
        for statement in body:
            self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign(targets=[target]):
                self._assign(target, node.value, None, node)
            case ast.AnnAssign(value=ast.expr()):
                assert node.value is not None
                self._assign(node.target, node.value, self.annotation(node.annotation), node)
            case ast.For():
                self._loop(node)
            case ast.While() | ast.With():
                self._block(node.body)
            case ast.If():
                self._block(node.body)
                self._block(node.orelse)
            case ast.Expr(value=ast.Call()):
                self._record("", cast("ast.Call", node.value), None, node)
            case _:
                pass

    def _assign(self, target: ast.expr, value: ast.expr, written: Type | None, node: ast.stmt) -> None:
        names = [item.id for item in _items(target) if isinstance(item, ast.Name)]
        if not names:
            return
        if isinstance(value, ast.Call) and _spelling(value) not in ("yield_", None):
            found = self._record(names[0], value, written, node)
        elif isinstance(value, ast.Call) and _spelling(value) == "yield_":
            found = self._yielded(value)
        elif len(names) == 1 and written is None:
            self.scope[names[0]] = self.expression(value)
            return
        else:
            found = UnknownType()
        self._bind(names, written if written is not None else found)

    def _bind(self, names: Sequence[str], found: Found) -> None:
        """One name for the value, or one for each item of a tuple."""
        type_ = UnknownType() if isinstance(found, Refusal) else found
        for position, name in enumerate(names):
            if len(names) == 1:
                self._define(name, type_)
            else:
                self._define(name, type_.items[position] if isinstance(type_, TupleType) else UnknownType())

    def _yielded(self, node: ast.Call) -> Type:
        """What a loop or branch hands out: the types of the yielded values."""
        types = tuple(type_of(self.expression(arg)) for arg in node.args)
        return types[0] if len(types) == 1 else TupleType(types)

    def _loop(self, node: ast.For) -> None:
        """`for i, (a, b) in pl.range(…)`, `for (a, b) in pl.while_(…)`: carried names start as their initial values."""
        target = node.target
        initial = _initial_values(node.iter)
        if isinstance(node.iter, ast.Call) and _spelling(node.iter) == "while_":
            self._carry(_items(target), initial)
        elif isinstance(target, ast.Tuple):
            self._carry(_items(target.elts[-1]), initial)
            target = target.elts[0]
        if isinstance(target, ast.Name):
            self._define(target.id, ScalarType(INDEX))
        self._block(node.body)

    def _carry(self, names: Sequence[ast.expr], initial: Sequence[ast.expr]) -> None:
        for name, value in zip(names, initial, strict=False):
            if isinstance(name, ast.Name):
                self._define(name.id, type_of(self.expression(value)))

    def _record(self, name: str, node: ast.Call, written: Type | None, statement: ast.stmt) -> Found:
        result = self._call(node)
        found: Found = result if isinstance(result, Refusal) else type_of(result)
        op = result.op if isinstance(result, Call) else ""
        self.results.append(Typed(name, _spelling(node) or "", op, written, found, ast.unparse(statement)))
        return found

    def _call(self, node: ast.Call) -> Expr | Refusal:
        spelling = _spelling(node)
        if spelling is None or spelling in ("range", "yield_", "cond"):
            return _UNKNOWN
        if spelling == "const":
            value = cast("float", ast.literal_eval(node.args[0]))
            return Const(value, DTYPES[ast.unparse(node.args[1]).rpartition(".")[2]])
        positional = [self.argument(arg) for arg in node.args]
        keywords = {k.arg: self._keyword(k.value) for k in node.keywords if k.arg and k.arg != "attrs"}
        result = call(spelling, positional, keywords)
        return _scalar_call(result) if isinstance(result, ScalarCall) else result

    def _keyword(self, node: ast.expr) -> object:
        """A keyword literal stays a plain value, as in the DSL's own parser."""
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant):
            return cast("object", ast.literal_eval(node))
        return self.argument(node)

    def argument(self, node: ast.expr) -> object:
        """An enum, a dtype, a string, None, or an expression."""
        if isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, str)):
            return node.value
        text = ast.unparse(node)
        if not isinstance(node, ast.Attribute) or not text.startswith("pl."):
            return self.expression(node)
        _, _, path = text.partition(".")
        family, _, member = path.rpartition(".")
        if family in _ENUMS:
            return next(item for item in _ENUMS[family] if item.value == member)
        if member in DTYPES:
            return DTYPES[member]
        return member if family == "TensorLayout" else self.expression(node)

    def expression(self, node: ast.expr) -> Expr:
        match node:
            case ast.Name():
                return self.scope.get(node.id) or Var(node.id, UnknownType())
            case ast.Constant() | ast.UnaryOp(op=ast.USub(), operand=ast.Constant()):
                return _literal(cast("object", ast.literal_eval(node)))
            case ast.UnaryOp(op=ast.USub()):
                operand = self.expression(node.operand)
                type_ = type_of(operand)
                return Unary("-", operand, type_.dtype) if isinstance(type_, ScalarType) else _UNKNOWN
            case ast.BinOp():
                return _binary(_BINARY.get(type(node.op), "?"), self.expression(node.left), self.expression(node.right))
            case ast.Compare():
                left, right = self.expression(node.left), self.expression(node.comparators[0])
                return Binary(_COMPARE.get(type(node.ops[0]), "?"), left, right, BOOL)
            case ast.List() | ast.Tuple():
                return Tuple(tuple(self.expression(item) for item in node.elts))
            case ast.Subscript(slice=ast.Constant()):
                return self._item(node)
            case ast.Call():
                result = self._call(node)
                return _UNKNOWN if isinstance(result, Refusal) else result
            case _:
                return _UNKNOWN

    def _item(self, node: ast.Subscript) -> Expr:
        whole, index = self.expression(node.value), cast("object", ast.literal_eval(node.slice))
        type_ = type_of(whole)
        if not isinstance(index, int) or not isinstance(type_, TupleType):
            return _UNKNOWN
        return TupleItem(whole, index, type_.items[index])

    def annotation(self, node: ast.expr) -> Type:
        if not isinstance(node, ast.Subscript):
            return UnknownType()
        head = ast.unparse(node.value).rpartition(".")[2]
        parts = _items(node.slice)
        if head in ("Out", "InOut"):
            return self.annotation(parts[0])
        if head == "Scalar":
            return ScalarType(_dtype(parts[0]))
        if head in ("Tuple", "tuple"):
            return TupleType(tuple(self.annotation(part) for part in parts))
        if head == "Tensor":
            return tensor_type(self.shape(parts[0]), _dtype(parts[1]), self._tensor_view(parts[2:]))
        return self._tile(parts) if head == "Tile" else UnknownType()

    def _tile(self, parts: Sequence[ast.expr]) -> TileType:
        """Fields that a printed view leaves out have the implicit value of the space."""
        shape, dtype = self.shape(parts[0]), _dtype(parts[1])
        space = next((s for s in map(self.argument, parts[2:]) if isinstance(s, Space)), None)
        view = implicit_view(shape, space)
        for part in parts[2:]:
            if isinstance(part, ast.Call) and _spelling(part) == "TileView":
                view = evolve(view, **self._fields(part))
        return tile_type(shape, dtype, view, space)

    def _tensor_view(self, parts: Sequence[ast.expr]) -> TensorView:
        view = TensorView()
        for part in parts:
            if isinstance(part, ast.Call) and _spelling(part) == "TensorView":
                view = evolve(view, **self._fields(part))
            if isinstance(part, ast.Attribute):
                view = evolve(view, layout=part.attr)
        return view

    def _fields(self, node: ast.Call) -> dict[str, object]:
        fields: dict[str, object] = {}
        for keyword in node.keywords:
            assert keyword.arg is not None
            if keyword.arg in ("valid_shape", "stride"):
                fields[keyword.arg] = self.shape(keyword.value)
            elif keyword.arg == "fractal":
                fields[keyword.arg] = cast("object", ast.literal_eval(keyword.value))
            else:
                fields[keyword.arg] = self.argument(keyword.value)
        return fields

    def shape(self, node: ast.expr) -> Shape:
        return tuple(as_dim(self.expression(item)) for item in _items(node))


def _items(node: ast.expr) -> list[ast.expr]:
    """The elements of a tuple or list display, or the expression alone."""
    return node.elts if isinstance(node, (ast.Tuple, ast.List)) else [node]


def _initial_values(node: ast.expr) -> list[ast.expr]:
    keywords = node.keywords if isinstance(node, ast.Call) else []
    return [item for keyword in keywords if keyword.arg == "init_values" for item in _items(keyword.value)]


def _spelling(node: ast.Call) -> str | None:
    text = ast.unparse(node.func)
    if text.startswith("pld."):
        return text
    return text.removeprefix("pl.") if text.startswith("pl.") else None


def _literal(value: object) -> Const:
    if isinstance(value, bool):
        return Const(value, BOOL)
    return Const(value, INDEX) if isinstance(value, int) else Const(cast("float", value), FP32)


def _binary(op: str, left: Expr, right: Expr) -> Expr:
    """Scalar arithmetic in the dtype of the left operand; unknown when an operand is."""
    type_ = type_of(left)
    if not isinstance(type_, ScalarType) or not isinstance(type_of(right), ScalarType):
        return _UNKNOWN
    return Binary(op, left, right, type_.dtype)


def _scalar_call(result: ScalarCall) -> Expr:
    left, right = result.arguments
    if isinstance(right, DType):
        return Var("?", ScalarType(right))
    sides = [cast("Expr", side) if not isinstance(side, (int, float)) else _literal(side) for side in (left, right)]
    return _binary(result.operator, *sides)


def _dtype(node: ast.expr) -> DType:
    return DTYPES[ast.unparse(node).rpartition(".")[2]]


def typed_statements(text: str) -> list[Typed]:
    """Every call statement of every function of a module."""
    return Reader().module(text)


def result_of(text: str) -> Found:
    """What the ops room says about the statement that defines `res`."""
    return next(typed.found for typed in typed_statements(text) if typed.name == "res")


def type_from(text: str, scope: dict[str, Expr] | None = None) -> Type:
    """The type an annotation text stands for."""
    return Reader(scope or {}).annotation(ast.parse(text, mode="eval").body)
