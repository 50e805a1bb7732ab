"""The printer: expressions that read back as they were, annotations, and the forms of statements."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pto_analysis.ir.dtypes import BOOL, DTYPES, FP32, INDEX, INT32
from pto_analysis.ir.expr import Binary, Call, Cast, Const, Expr, Invoke, Opaque, Tuple, TupleItem, Unary, Var
from pto_analysis.ir.function import Direction, Function, FunctionKind, Param
from pto_analysis.ir.printer import print_block, print_function, print_module
from pto_analysis.ir.spelling import expression_text, spelled, type_text, value_text
from pto_analysis.ir.stmt import Assign, Break, Continue, Eval, For, If, IterArg, Return, Scope, Skipped, While, Yield
from pto_analysis.ir.types import (
    ArrayType,
    Atomic,
    Compact,
    Layout,
    MemRef,
    Pad,
    ScalarType,
    Space,
    TensorType,
    TensorView,
    TileType,
    TileView,
    TupleType,
    Type,
    UnknownType,
)

SCALAR = ScalarType(INDEX)
TILE = TileType((16, 64), FP32, Space.VEC)


def index(value: int) -> Const:
    return Const(value, INDEX)


def scalar(name: str) -> Var:
    return Var(name, SCALAR)


x, y, z = scalar("x"), scalar("y"), scalar("z")

# Expressions

_NAMES = {"x": 7, "y": -3, "z": 5}
_leaves = st.one_of(st.integers(-9, 9).map(index), st.sampled_from([x, y, z]))


def _binary(op: str, left: Expr, right: Expr) -> Expr:
    return Binary(op, left, right, INDEX)


def _unary(op: str, operand: Expr) -> Expr:
    return Unary(op, operand, INDEX)


def _grown(inner: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    binary = st.builds(_binary, st.sampled_from(["+", "-", "*", "<<", ">>", "&", "|", "^", "min", "max"]), inner, inner)
    return st.one_of(binary, st.builds(_unary, st.sampled_from(["-", "~"]), inner))


EXPRESSIONS: st.SearchStrategy[Expr] = st.recursive(_leaves, _grown, max_leaves=12)


def value_of(expr: Expr) -> int:
    if isinstance(expr, Const):
        return int(expr.value)
    if isinstance(expr, Var):
        return _NAMES[expr.name]
    if isinstance(expr, Unary):
        return -value_of(expr.operand) if expr.op == "-" else ~value_of(expr.operand)
    assert isinstance(expr, Binary)
    left, right = value_of(expr.left), value_of(expr.right)
    if expr.op in ("<<", ">>"):
        return left << (right & 7) if expr.op == "<<" else left >> (right & 7)
    table = {"+": left + right, "-": left - right, "*": left * right, "&": left & right, "|": left | right}
    return {**table, "^": left ^ right, "min": min(left, right), "max": max(left, right)}[expr.op]


def value_of_text(node: ast.expr) -> int:
    """An independent reading of the printed text, by Python's own grammar."""
    if isinstance(node, ast.Constant):
        assert isinstance(node.value, int)
        return node.value
    if isinstance(node, ast.Name):
        return _NAMES[node.id]
    if isinstance(node, ast.UnaryOp):
        operand = value_of_text(node.operand)
        return -operand if isinstance(node.op, ast.USub) else ~operand
    if isinstance(node, ast.Call):
        name, args = ast.unparse(node.func), [value_of_text(arg) for arg in node.args if not _is_dtype(arg)]
        return args[0] if name == "pl.const" else (min if name == "pl.min" else max)(args)
    assert isinstance(node, ast.BinOp)
    symbol: dict[type[ast.operator], str] = {
        ast.Add: "+",
        ast.Sub: "-",
        ast.Mult: "*",
        ast.LShift: "<<",
        ast.RShift: ">>",
    }
    symbol |= {ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^"}
    left, right = index(value_of_text(node.left)), index(value_of_text(node.right))
    return value_of(Binary(symbol[type(node.op)], left, right, INDEX))


def _is_dtype(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute)


@given(EXPRESSIONS)
def test_an_expression_keeps_its_meaning(expr: Expr) -> None:
    assert value_of_text(ast.parse(expression_text(expr), mode="eval").body) == value_of(expr)


LESS = Binary("<", x, y, BOOL)

EXPRESSION_TEXTS: list[tuple[Expr, str]] = [
    (Binary("-", x, Binary("-", y, z, INDEX), INDEX), "x - (y - z)"),
    (Binary("*", Binary("+", x, y, INDEX), z, INDEX), "(x + y) * z"),
    (Binary("+", x, Binary("*", y, z, INDEX), INDEX), "x + y * z"),
    (Binary("//", Binary("*", x, y, INDEX), z, INDEX), "x * y // z"),
    (Binary("*", x, Binary("//", y, z, INDEX), INDEX), "x * (y // z)"),
    (Binary("<", LESS, z, BOOL), "(x < y) < z"),
    (
        Binary("and", Binary("<", x, y, BOOL), Unary("not", Binary("==", x, z, BOOL), BOOL), BOOL),
        "x < y and not x == z",
    ),
    (Unary("-", Binary("+", x, y, INDEX), INDEX), "-(x + y)"),
    (Unary("-", index(3), INDEX), "-pl.const(3, pl.INDEX)"),
    (index(-3), "-3"),
    (Binary("+", index(32), index(32), INDEX), "pl.const(32, pl.INDEX) + pl.const(32, pl.INDEX)"),
    (Binary("+", x, index(32), INDEX), "x + 32"),
    (Const(3, INT32), "pl.const(3, pl.INT32)"),
    (Const(3, DTYPES["BF16"]), "pl.const(3.0, pl.BF16)"),
    (Const(0.5, FP32), "0.5"),
    (Const(2, FP32), "2.0"),
    (Const(float("inf"), FP32), "1e999"),
    (Const(True, BOOL), "True"),
    (Cast(x, INT32), "pl.cast(x, pl.INT32)"),
    (Tuple((x, index(1))), "[x, 1]"),
    (TupleItem(Var("t", UnknownType()), 1, SCALAR), "t[1]"),
    (Binary("min", x, Binary("+", y, z, INDEX), INDEX), "pl.min(x, y + z)"),
    (Invoke("self.helper", (x, y), {}, UnknownType()), "self.helper(x, y)"),
    (Opaque("lambda", (x,)), "pl.not_in_dsl('lambda', x)"),
]


@pytest.mark.parametrize(("expr", "text"), EXPRESSION_TEXTS, ids=[row[1] for row in EXPRESSION_TEXTS])
def test_expressions(expr: Expr, text: str) -> None:
    assert expression_text(expr) == text


t = Var("t", TILE)
CALLS: list[tuple[Call, str]] = [
    (
        Call("tile.extract", (t, index(0), x, Tuple((index(8), index(8)))), {"target_memory": Space.LEFT}, TILE),
        "pl.tile.extract(t, 0, x, [8, 8], target_memory=pl.Mem.Left)",
    ),
    (Call("tile.and", (t, t), {}, TILE), "pl.tile.and_(t, t)"),
    (Call("tensor.not", (t,), {}, TILE), "pl.tensor.not_(t)"),
    (Call("pld.tile.remote_load", (t,), {}, TILE), "pld.tile.remote_load(t)"),
    (
        Call("tile.full", (Tuple((index(1), index(8))), Const(1, DTYPES["BF16"])), {"dtype": DTYPES["BF16"]}, TILE),
        "pl.tile.full([1, 8], dtype=pl.BF16, value=1)",
    ),
    (
        Call("tile.reinterpret_view", (t, Tuple((index(8), index(8)))), {"dtype": INT32}, TILE),
        "pl.tile.reinterpret_view(t, dtype=pl.INT32, shape=[8, 8])",
    ),
    (
        Call("tile.gather_row", (t, t, x, y, z, Tuple((index(1),))), {"transpose": True}, TILE),
        "pl.tile.gather_row(t, t, x, y, z, transpose=True, valid_shape=[1])",
    ),
    (Call("tile.mgather", (t, t, z), {"coalesce": 0}, TILE), "pl.tile.mgather(t, t, coalesce=0, valid_shape=z)"),
    (Call("tile.mgather", (t, t, z), {"coalesce": 1}, TILE), "pl.tile.mgather(t, t, coalesce=1, scratch=z)"),
    (Call("tile.cast", (t,), {"mode": "round", "dtype": None}, TILE), 'pl.tile.cast(t, mode="round")'),
    (Call("tile.store", (t,), {"atomic": Atomic.ADD}, TILE), "pl.tile.store(t, atomic=pl.AtomicType.Add)"),
    (Call("tensor.view", (t,), {"layout": "NZ"}, TILE), "pl.tensor.view(t, layout=pl.TensorLayout.NZ)"),
]


@pytest.mark.parametrize(("call", "text"), CALLS, ids=[row[1] for row in CALLS])
def test_calls(call: Call, text: str) -> None:
    assert expression_text(call) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Layout.COL_MAJOR, "pl.TileLayout.col_major"),
        (Pad.ZERO, "pl.PadValue.zero"),
        (Compact.NORMAL, "pl.CompactMode.normal"),
        (FunctionKind.INCORE, "pl.FunctionType.InCore"),
        ((1, Space.VEC), "[1, pl.Mem.Vec]"),
        ({"a": 1}, "{'a': 1}"),
        ('say "so"', '"say \\"so\\""'),
        (None, "None"),
        (1.5, "1.5"),
    ],
)
def test_attribute_values(value: object, text: str) -> None:
    assert value_text(value) == text


def test_spellings_keep_unknown_namespaces() -> None:
    assert spelled("system.sync_set") == "pl.system.sync_set"
    assert spelled("something") == "something"


# Types

n = scalar("n")
TYPES: list[tuple[Type, str]] = [
    (TILE, "pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec]"),
    (TileType((16, 64), FP32), "pl.Tile[[16, 64], pl.FP32]"),
    (TileType((n, 64), FP32, Space.VEC), "pl.Tile[[n, 64], pl.FP32, pl.Mem.Vec]"),
    (TileType((16, 64), FP32, Space.VEC, TileView()), "pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec]"),
    (TileType((16, 64), FP32, Space.VEC, TileView(valid_shape=(16, 64))), "pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec]"),
    (
        TileType((16, 64), FP32, Space.VEC, TileView(valid_shape=(n, 64), pad=Pad.ZERO)),
        "pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec, pl.TileView(valid_shape=[n, 64], pad=pl.PadValue.zero)]",
    ),
    (
        TileType((16, 64), FP32, Space.LEFT, TileView(Layout.ROW_MAJOR, Layout.ROW_MAJOR)),
        "pl.Tile[[16, 64], pl.FP32, pl.Mem.Left, pl.TileView(blayout=pl.TileLayout.row_major)]",
    ),
    (TileType((16, 1), FP32, Space.VEC, TileView(Layout.COL_MAJOR)), "pl.Tile[[16, 1], pl.FP32, pl.Mem.Vec]"),
    (
        TileType((1, 1), FP32, Space.VEC, TileView(Layout.COL_MAJOR)),
        "pl.Tile[[1, 1], pl.FP32, pl.Mem.Vec, pl.TileView(blayout=pl.TileLayout.col_major)]",
    ),
    (
        TileType((8, 8), FP32, Space.ACC, TileView(Layout.COL_MAJOR, Layout.ROW_MAJOR, 1024)),
        "pl.Tile[[8, 8], pl.FP32, pl.Mem.Acc]",
    ),
    (
        TileType((8, 8), FP32, Space.VEC, None, MemRef("ring", None, None, 3, Binary("%", n, index(3), INDEX))),
        'pl.Tile[[8, 8], pl.FP32, pl.MemRef("ring", slots=3)[n % 3], pl.Mem.Vec]',
    ),
    (
        TileType((8, 8), FP32, Space.VEC, None, MemRef("m", -1, 256)),
        'pl.Tile[[8, 8], pl.FP32, pl.MemRef("m", pl.const(-1, pl.INT64), 256), pl.Mem.Vec]',
    ),
    (TensorType((64, n), FP32), "pl.Tensor[[64, n], pl.FP32]"),
    (TensorType((64,), FP32, distributed=True), "pld.DistributedTensor[[64], pl.FP32]"),
    (
        TensorType((64, 64), FP32, TensorView(layout="NZ")),
        "pl.Tensor[[64, 64], pl.FP32, pl.TensorView(layout=pl.TensorLayout.NZ)]",
    ),
    (SCALAR, "pl.Scalar[pl.INDEX]"),
    (ScalarType(DTYPES["TASK_ID"]), "pl.TaskId"),
    (ArrayType(4, INT32), "pl.Array[4, pl.INT32]"),
    (TupleType((SCALAR, SCALAR)), "pl.Tuple[pl.Scalar[pl.INDEX], pl.Scalar[pl.INDEX]]"),
    (UnknownType(), "pl.UnknownType"),
]


@pytest.mark.parametrize(("type_", "text"), TYPES, ids=[row[1] for row in TYPES])
def test_types(type_: Type, text: str) -> None:
    assert type_text(type_) == text


# Statements and functions


def lines(text: str) -> str:
    return dedent(text).strip("\n")


def test_loops_and_branches() -> None:
    i, c, r = scalar("i"), Var("c", TILE), Var("r", TILE)
    loop = For("pipeline", i, index(0), n, index(1), (Yield((c,)),), (IterArg(c, t),), (r,), {"stage": 2})
    two = For("range", i, index(2), n, index(2), (Break(), Continue()))
    branch = If(Binary("<", n, index(4), BOOL), (Yield((t,)),), (Yield((r,)),), (Var("v", TILE),))
    assert print_block((loop, two, branch)) == lines(
        """
        for i, (c,) in pl.pipeline(n, stage=2, init_values=(t,)):
            r: pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec] = pl.yield_(c)
        for i in pl.range(2, n, 2):
            break
            continue
        if n < 4:
            v: pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec] = pl.yield_(t)
        else:
            v: pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec] = pl.yield_(r)
        """
    )


def test_whiles() -> None:
    a, b, k = scalar("a"), scalar("b"), scalar("k")
    plain = While(Binary("<", k, n, BOOL), (Assign(k, Binary("+", k, index(1), INDEX)),))
    carried = While(
        Binary("<", a, n, BOOL), (Yield((a, b)),), (IterArg(a, k), IterArg(b, k)), (scalar("p"), scalar("q"))
    )
    assert print_block((plain, carried)) == lines(
        """
        while k < n:
            k: pl.Scalar[pl.INDEX] = k + 1
        for a, b in pl.while_(init_values=(k, k)):
            pl.cond(a < n)
            p, q = pl.yield_(a, b)
        """
    )


def test_scopes_empty_blocks_and_what_was_skipped() -> None:
    scope = Scope("at", {"name_hint": "stage"}, (Skipped("try:\n  pass"),), Var("tid", UnknownType()))
    carrying = Scope("scope", {}, (Yield((t,)),))
    loop = For(
        "range", scalar("i"), index(0), index(4), index(1), (carrying,), (IterArg(t, t),), (Var("r", UnknownType()),)
    )
    empty = If(Binary("<", n, index(4), BOOL), ())
    assert print_block((scope, loop, empty, Return(()))) == lines(
        """
        with pl.at(name_hint="stage") as tid:
            pass  # not part of the DSL: try: pass
        for i, (t,) in pl.range(4, init_values=(t,)):
            with pl.scope():
                r = pl.yield_(t)
        if n < 4:
            pass
        return
        """
    )


def function(body: tuple[object, ...]) -> Function:
    out = Param(Var("out", TensorType((16, 64), FP32)), Direction.OUT)
    return Function("kernel", "K.kernel", FunctionKind.INCORE, (Param(n), out), (out.var.type,), body)  # pyright: ignore[reportArgumentType]


def test_two_variables_of_one_name_get_different_names() -> None:
    first, second = Var("w", TILE), Var("w", TILE)
    taken = Var("w_1", TILE)
    body = (Assign(first, t), Assign(second, first), Assign(taken, second), Eval(Call("tile.abs", (taken,), {}, TILE)))
    text = print_function(function(body))
    assert [line.strip().split(":")[0] for line in text.splitlines()[2:5]] == ["w", "w_2", "w_1"]
    assert text.endswith("pl.tile.abs(w_1)")


def test_a_module_defines_the_symbols_that_its_kernels_use() -> None:
    rows = scalar("ROWS")
    text = print_module([function((Assign(Var("w", TileType((rows, 64), FP32)), t),))])
    assert text.splitlines()[:4] == ["import pypto.language as pl", "", 'ROWS = pl.dynamic("ROWS")', ""]
    ast.parse(text)


def test_the_header_of_a_function() -> None:
    header = print_function(function(())).splitlines()
    assert header == [
        "@pl.function(type=pl.FunctionType.InCore)",
        "def kernel(self, n: pl.Scalar[pl.INDEX], out: pl.Out[pl.Tensor[[16, 64], pl.FP32]])"
        " -> pl.Tensor[[16, 64], pl.FP32]:",
        "    pass",
    ]


def test_an_empty_module() -> None:
    ast.parse(print_module([]))
