"""Reads printed kernels (every assignment annotated) into IR with Python's own `ast`: shares no code with the frontend.

What it needs and no more: the text that the compiler and our printer emit, one function at a time, and tile-level
kernels whose calls are typed by the op table. Used to test the passes apart from the frontend, and to check that
printing and reading back gives the same IR.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from pto_analysis.ir.dtypes import BOOL, DTYPES, FP32, INDEX, DType
from pto_analysis.ir.expr import Binary, Call, Cast, Const, Expr, Opaque, Tuple, Unary, Var
from pto_analysis.ir.function import Direction, Function, FunctionKind, Param
from pto_analysis.ir.stmt import Assign, Block, Eval, For, If, IterArg, Return, Scope, Stmt, While, Yield
from pto_analysis.ir.types import (
    Compact,
    Dim,
    Layout,
    MemRef,
    Pad,
    ScalarType,
    Space,
    TensorType,
    TensorView,
    TileType,
    TupleType,
    Type,
    UnknownType,
)  # fmt: skip
from pto_analysis.source.span import Origin
from tests.passes.dsl_typing import ir_name, operands, typed_call, written_view

_BINARY: Mapping[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.LShift: "<<",
    ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<",
    ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.And: "and", ast.Or: "or",
}  # fmt: skip
_UNARY: Mapping[type[ast.AST], str] = {ast.USub: "-", ast.Invert: "~", ast.Not: "not"}
_LOOPS = frozenset({"range", "parallel", "unroll", "pipeline", "spmd", "split_aiv"})
_ENUMS: Mapping[str, type[Space] | type[Layout] | type[Pad] | type[Compact]] = {
    "Mem": Space, "MemorySpace": Space, "TileLayout": Layout, "PadValue": Pad, "CompactMode": Compact,
}  # fmt: skip

READ = "the test reader"
"""The reason of origins it makes: line numbers of the text stand in for statement numbers."""


def read_functions(text: str) -> list[Function]:
    """Every function of the text, methods and plain functions alike."""
    return [_Reader().function(node) for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]


def read_function(text: str) -> Function:
    return read_functions(text)[0]


class _ViewFields:
    """What a written TileView says, before the tile's space is known."""

    def __init__(self, values: Mapping[str, object]) -> None:
        self.values = values


class _Reader:
    def __init__(self) -> None:
        self.names: dict[str, Var] = {}

    def origin(self, node: ast.stmt | ast.expr | ast.arg) -> Origin:
        return Origin(node.lineno)

    def define(self, name: str, type_: Type, node: ast.stmt | ast.expr | ast.arg) -> Var:
        known = self.names.get(name)
        if known is not None and known.type == type_:
            return known
        self.names[name] = Var(name, type_, self.origin(node))
        return self.names[name]

    # Functions and statements

    def function(self, node: ast.FunctionDef) -> Function:
        params = tuple(self.param(arg) for arg in node.args.args if arg.arg != "self")
        kind, attrs = self.decorator(node)
        returns: tuple[Type, ...] = () if node.returns is None else self.returns(node.returns)
        body = self.block(node.body)[0]
        return Function(
            node.name, f"K.{node.name}", kind, params, returns, body, attrs=attrs, origin=Origin(node.lineno)
        )

    def decorator(self, node: ast.FunctionDef) -> tuple[FunctionKind, dict[str, object]]:
        kind, attrs = FunctionKind.OPAQUE, dict[str, object]()
        for decorator in node.decorator_list:
            for keyword in decorator.keywords if isinstance(decorator, ast.Call) else ():
                if keyword.arg == "type":
                    kind = FunctionKind(ast.unparse(keyword.value).split(".")[-1])
        return kind, attrs

    def returns(self, node: ast.expr) -> tuple[Type, ...]:
        type_ = self.type(node)
        return type_.items if isinstance(type_, TupleType) else (type_,)

    def param(self, node: ast.arg) -> Param:
        assert node.annotation is not None
        head, direction = node.annotation, Direction.IN
        if isinstance(head, ast.Subscript) and ast.unparse(head.value) in ("pl.Out", "pl.InOut"):
            direction, head = Direction(ast.unparse(head.value)[3:]), head.slice
        return Param(self.define(node.arg, self.type(head), node), direction)

    def block(self, body: list[ast.stmt]) -> tuple[Block, tuple[Var, ...], Expr | None]:
        """Statements, the names bound by the final yield, and the condition of `pl.cond`."""
        out: list[Stmt] = []
        bound: tuple[Var, ...] = ()
        condition: Expr | None = None
        for node in body:
            call = node.value if isinstance(node, (ast.Assign, ast.AnnAssign, ast.Expr)) else None
            name = _callee(call)
            if isinstance(node, ast.Pass) or (isinstance(node, ast.Expr) and isinstance(call, ast.Constant)):
                continue
            if name == "yield_" and isinstance(call, ast.Call):
                values = tuple(self.expr(arg) for arg in call.args)
                bound = self.yield_targets(node, values)
                out.append(Yield(values, self.origin(node)))
            elif name == "cond" and isinstance(call, ast.Call):
                condition = self.expr(call.args[0])
            else:
                out.append(self.statement(node))
        return tuple(out), bound, condition

    def yield_targets(self, node: ast.stmt, values: tuple[Expr, ...]) -> tuple[Var, ...]:
        if isinstance(node, ast.AnnAssign):
            assert isinstance(node.target, ast.Name)
            return (self.define(node.target.id, self.type(node.annotation), node),)
        if not isinstance(node, ast.Assign):
            return ()
        target = node.targets[0]
        items = target.elts if isinstance(target, ast.Tuple) else [target]
        return tuple(
            self.define(item.id, _type_of(value), node)
            for item, value in zip(items, values, strict=True)
            if isinstance(item, ast.Name)
        )

    def statement(self, node: ast.stmt) -> Stmt:
        origin = self.origin(node)
        if isinstance(node, ast.AnnAssign):
            assert isinstance(node.target, ast.Name)
            assert node.value is not None
            type_ = self.type(node.annotation)
            value = self.expr(node.value, type_)
            return Assign(self.define(node.target.id, type_, node), value, origin)
        if isinstance(node, ast.Assign):
            assert isinstance(node.targets[0], ast.Name)
            value = self.expr(node.value)
            return Assign(self.define(node.targets[0].id, _type_of(value), node), value, origin)
        if isinstance(node, ast.Expr):
            value = self.expr(node.value)
            assert isinstance(value, (Call, Opaque))
            return Eval(value, origin)
        if isinstance(node, ast.Return):
            items = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value] if node.value else []
            return Return(tuple(self.expr(item) for item in items), origin)
        if isinstance(node, ast.If):
            condition = self.expr(node.test)
            then, bound, _ = self.block(node.body)
            orelse, other, _ = self.block(node.orelse)
            return If(condition, then, orelse, bound or other, origin)
        if isinstance(node, ast.While):
            body, bound, _ = self.block(node.body)
            return While(self.expr(node.test), body, (), bound, origin)
        if isinstance(node, ast.With):
            return self.with_(node)
        assert isinstance(node, ast.For), ast.unparse(node)
        return self.loop(node)

    def with_(self, node: ast.With) -> Scope:
        call = node.items[0].context_expr
        assert isinstance(call, ast.Call)
        attrs: dict[str, object] = {str(key.arg): self.value(key.value) for key in call.keywords}
        return Scope(_callee(call) or "", attrs, self.block(node.body)[0], None, self.origin(node))

    def loop(self, node: ast.For) -> For | While:
        call = node.iter
        assert isinstance(call, ast.Call)
        keywords = {key.arg: key.value for key in call.keywords}
        given = keywords.pop("init_values", None)
        inits = [self.expr(item) for item in given.elts] if isinstance(given, (ast.Tuple, ast.List)) else []
        attrs: dict[str, object] = {str(key): self.value(value) for key, value in keywords.items()}
        bounds = [self.expr(arg) for arg in call.args]
        targets = list(node.target.elts) if isinstance(node.target, ast.Tuple) else [node.target]
        if _callee(call) == "while_":
            args = self.iter_args(targets, inits)
            body, bound, condition = self.block(node.body)
            assert condition is not None
            return While(condition, body, args, bound, self.origin(node))
        assert _callee(call) in _LOOPS
        index = targets[0]
        assert isinstance(index, ast.Name)
        var = Var(index.id, ScalarType(INDEX), self.origin(node))
        self.names[index.id] = var
        carried = list(targets[1].elts) if len(targets) > 1 and isinstance(targets[1], ast.Tuple) else []
        args = self.iter_args(carried, inits)
        body, bound, _ = self.block(node.body)
        start, stop, step = _bounds(bounds)
        return For(_callee(call) or "", var, start, stop, step, body, args, bound, attrs, self.origin(node))

    def iter_args(self, targets: list[ast.expr], inits: list[Expr]) -> tuple[IterArg, ...]:
        args: list[IterArg] = []
        for target, init in zip(targets, inits, strict=True):
            assert isinstance(target, ast.Name)
            var = Var(target.id, _type_of(init), self.origin(target))
            self.names[target.id] = var
            args.append(IterArg(var, init))
        return tuple(args)

    # Expressions

    def expr(self, node: ast.expr, type_: Type | None = None) -> Expr:
        origin = self.origin(node)
        if isinstance(node, ast.Name):
            return self.names[node.id]
        if isinstance(node, ast.Constant):
            return _constant(node.value, origin)
        if isinstance(node, ast.UnaryOp):
            return self.unary(node, origin)
        if isinstance(node, ast.BinOp):
            left, right = self.expr(node.left), self.expr(node.right)
            return Binary(_BINARY[type(node.op)], left, right, _dtype(left), origin)
        if isinstance(node, ast.Compare):
            left, right = self.expr(node.left), self.expr(node.comparators[0])
            return Binary(_BINARY[type(node.ops[0])], left, right, BOOL, origin)
        if isinstance(node, ast.BoolOp):
            left, *rest = [self.expr(item) for item in node.values]
            for item in rest:
                left = Binary(_BINARY[type(node.op)], left, item, BOOL, origin)
            return left
        if isinstance(node, (ast.List, ast.Tuple)):
            return Tuple(tuple(self.expr(item) for item in node.elts), origin)
        assert isinstance(node, ast.Call), ast.unparse(node)
        return self.call(node, type_ or UnknownType(), origin)

    def unary(self, node: ast.UnaryOp, origin: Origin) -> Expr:
        operand = self.expr(node.operand)
        if isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant) and isinstance(operand, Const):
            return Const(-operand.value, operand.dtype, origin)
        return Unary(_UNARY[type(node.op)], operand, _dtype(operand), origin)

    def call(self, node: ast.Call, type_: Type, origin: Origin) -> Expr:
        name = ast.unparse(node.func)
        if name == "pl.const":
            value = self.expr(node.args[0])
            dtype = self.value(node.args[1])
            assert isinstance(value, Const)
            assert isinstance(dtype, DType)
            return Const(value.value, dtype, origin)
        if name == "pl.cast" and len(node.args) == 2:
            dtype = self.value(node.args[1])
            if isinstance(dtype, DType):
                return Cast(self.expr(node.args[0]), dtype, origin)
        args = tuple(self.expr(arg) for arg in node.args)
        if name in ("pl.min", "pl.max"):
            return Binary(name[3:], args[0], args[1], _dtype(args[0]), origin)
        attrs: dict[str, object] = {str(key.arg): self.value(key.value) for key in node.keywords}
        return typed_call(Call(ir_name(name), *operands(ir_name(name), args, attrs), type_, origin))

    def value(self, node: ast.expr) -> object:
        if isinstance(node, ast.Attribute):
            *_, family, member = ("", *ast.unparse(node).split("."))
            if family in _ENUMS:
                return _ENUMS[family](member)
            return DTYPES.get(member, member)
        if isinstance(node, (ast.List, ast.Tuple)):
            return tuple(self.value(item) for item in node.elts)
        return node.value if isinstance(node, ast.Constant) else self.expr(node)

    # Types

    def type(self, node: ast.expr) -> Type:
        if not isinstance(node, ast.Subscript):
            return ScalarType(DTYPES["TASK_ID"]) if ast.unparse(node) == "pl.TaskId" else UnknownType()
        head = ast.unparse(node.value).split(".")[-1]
        parts = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
        if head == "Scalar":
            dtype = self.value(parts[0])
            assert isinstance(dtype, DType)
            return ScalarType(dtype)
        if head in ("tuple", "Tuple"):
            return TupleType(tuple(self.type(part) for part in parts))
        shape, dtype = self.dims(parts[0]), self.value(parts[1])
        assert isinstance(dtype, DType)
        extras = [self.annotation_part(part) for part in parts[2:]]
        memref = next((item for item in extras if isinstance(item, MemRef)), None)
        if head == "Tensor":
            view = next((item for item in extras if isinstance(item, TensorView)), None)
            return TensorType(shape, dtype, view, memref)
        space = next((item for item in extras if isinstance(item, Space)), None)
        fields = next((item for item in extras if isinstance(item, _ViewFields)), None)
        return TileType(
            shape, dtype, space, None if fields is None else written_view(shape, space, fields.values), memref
        )

    def annotation_part(self, node: ast.expr) -> object:
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Call):
            memref = self.memref(node.value)
            return MemRef(memref.base, memref.byte_offset, memref.size, memref.slots, self.dim(node.slice))
        if not isinstance(node, ast.Call):
            return self.value(node)
        if _callee(node) == "MemRef":
            return self.memref(node)
        fields: dict[str, object] = {
            str(key.arg): self.dims(key.value) if isinstance(key.value, ast.List) else self.value(key.value)
            for key in node.keywords
        }
        if _callee(node) == "TensorView":
            return TensorView(**fields)  # pyright: ignore[reportArgumentType]
        return _ViewFields(fields)

    def memref(self, node: ast.Call) -> MemRef:
        slots = next((self.value(key.value) for key in node.keywords if key.arg == "slots"), None)
        assert slots is None or isinstance(slots, int)
        base, *numbers = [arg.value if isinstance(arg, ast.Constant) else arg for arg in node.args]
        dims = [
            item if isinstance(item, int) else self.dim(item) for item in numbers if isinstance(item, (int, ast.expr))
        ]
        offset, size = [*dims, None, None][:2]
        return MemRef(str(base), offset, size, slots)

    def dims(self, node: ast.expr) -> tuple[Dim, ...]:
        assert isinstance(node, (ast.List, ast.Tuple))
        return tuple(self.dim(item) for item in node.elts)

    def dim(self, node: ast.expr) -> Dim:
        if isinstance(node, ast.Name) and node.id not in self.names:
            self.names[node.id] = Var(node.id, ScalarType(INDEX))
        value = self.expr(node)
        return value.value if isinstance(value, Const) and isinstance(value.value, int) else value


def _callee(node: ast.expr | None) -> str | None:
    return ast.unparse(node.func).split(".")[-1] if isinstance(node, ast.Call) else None


def _constant(value: object, origin: Origin) -> Const:
    if isinstance(value, bool):
        return Const(value, BOOL, origin)
    assert isinstance(value, (int, float))
    return Const(value, FP32 if isinstance(value, float) else INDEX, origin)


def _bounds(bounds: list[Expr]) -> tuple[Expr, Expr, Expr]:
    zero, one = Const(0, INDEX), Const(1, INDEX)
    if len(bounds) == 1:
        return zero, bounds[0], one
    return (bounds[0], bounds[1], one) if len(bounds) == 2 else (bounds[0], bounds[1], bounds[2])


def _type_of(expr: Expr) -> Type:
    if isinstance(expr, (Var, Call)):
        return expr.type
    return ScalarType(_dtype(expr))


def _dtype(expr: Expr) -> DType:
    if isinstance(expr, (Const, Unary, Binary, Cast)):
        return expr.dtype
    type_ = expr.type if isinstance(expr, Var) else None
    return type_.dtype if isinstance(type_, ScalarType) else INDEX
