"""Scalars, names, subscripts and op calls of kernel code (reference: DSL sections d and e)."""

from __future__ import annotations

import pytest

from pto_analysis.frontend.issues import IssueKind
from pto_analysis.ir.expr import Call, Const, Expr, Tuple, type_of
from pto_analysis.ir.spelling import expression_text, type_text
from pto_analysis.ir.types import ScalarType
from tests.frontend.reader import assigned, read_body, type_named

MODULE = """
import math
TILE = 8
PAD = 2
SIZES = [16, 32]
RATE = 0.5
CFG = {"heads": 4}
"""


def value(expression: str) -> Expr:
    facts = read_body(f"v = {expression}", MODULE)
    assert [issue.message for issue in facts.issues] == []
    return assigned(facts, "v")


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("3", "3"),
        ("-3", "-3"),
        ("TILE", "8"),
        ("TILE * 2 + PAD", "18"),
        ("TILE // 3", "2"),
        ("2 ** 4", "16"),
        ("TILE | 1", "9"),
        ("-TILE", "-8"),
        ("SIZES[1]", "32"),
        ("CFG['heads']", "4"),
        ("RATE", "0.5"),
        ("1.0 / TILE", "0.125"),
        ("pl.const(3, pl.INT32)", "pl.const(3, pl.INT32)"),
        ("pl.const(-3, pl.INT32)", "pl.const(-3, pl.INT32)"),
        ("pl.FP16.get_byte()", "2"),
    ],
)
def test_what_python_decides_is_one_literal(expression: str, text: str) -> None:
    assert expression_text(value(expression)) == text


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("n + TILE", "n + 8"),
        ("n * TILE + PAD", "n * 8 + 2"),
        ("TILE * PAD + n", "16 + n"),
        ("n + 0", "n + 0"),
        ("n // 2 * 2", "n // 2 * 2"),
        ("n % 4 - 1", "n % 4 - 1"),
        ("n << 1", "n << 1"),
        ("-n", "-n"),
        ("~n", "~n"),
        ("n < TILE", "n < 8"),
        ("n < 2 and n > 0", "n < 2 and n > 0"),
        ("not n == 1", "not n == 1"),
        ("pl.min(n, TILE)", "pl.min(n, 8)"),
        ("pl.max(n - 1, 0)", "pl.max(n - 1, 0)"),
        ("pl.add(n, 1)", "n + 1"),
        ("pl.mul(f, 2.0)", "f * 2.0"),
        ("pl.cast(n, pl.INT32)", "pl.cast(n, pl.INT32)"),
        ("i + 1", "pl.cast(i, pl.INDEX) + 1"),
        ("i * pl.const(2, pl.INT32)", "i * pl.const(2, pl.INT32)"),
        ("n + pl.const(2, pl.INT64)", "n + pl.const(2, pl.INT64)"),
    ],
)
def test_operators_on_kernel_scalars(expression: str, text: str) -> None:
    assert expression_text(value(expression)) == text


@pytest.mark.parametrize(
    ("expression", "dtype"),
    [
        ("n + 1", "INDEX"), ("i + 1", "INDEX"), ("i + i", "INT32"), ("f + 1.0", "FP32"), ("n / 2", "INDEX"),
        ("n < 1", "BOOL"), ("i << i", "INT32"), ("True", "BOOL"), ("None", "TASK_ID"),
    ],
)  # fmt: skip
def test_scalar_dtypes(expression: str, dtype: str) -> None:
    type_ = type_of(value(expression))
    assert isinstance(type_, ScalarType)
    assert type_.dtype.name == dtype


@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        ("v = n + f", IssueKind.SCALAR_TYPES),
        ("v = (n < 1) + 1", IssueKind.SCALAR_TYPES),
        ("v = f << 1", IssueKind.SCALAR_TYPES),
        ("v = x + x", IssueKind.SCALAR_TYPES),
        ("v = n ** 2", IssueKind.OUTSIDE_DSL),
        ("v = n if n > 0 else 1", IssueKind.OUTSIDE_DSL),
        ("v = 0 < n < 4", IssueKind.OUTSIDE_DSL),
        ("v = n in SIZES", IssueKind.OUTSIDE_DSL),
        ("v = lambda: n", IssueKind.OUTSIDE_DSL),
        ("v = [n for _ in SIZES]", IssueKind.OUTSIDE_DSL),
        ("v = f'{n}'", IssueKind.OUTSIDE_DSL),
        ("v = len(x)", IssueKind.OUTSIDE_DSL),
        ("v = nothing", IssueKind.UNDEFINED_NAME),
        ("v = nothing(n)", IssueKind.UNDEFINED_NAME),
        ("v = pl.expp(x)", IssueKind.UNKNOWN_OPERATION),
        ("v = pl.load(x, [0, 0], [8, 8], target_mem=pl.Mem.Vec)", IssueKind.UNKNOWN_KEYWORD),
        ("v = pl.load(x)", IssueKind.ARGUMENTS),
        ("v = pl.exp(n)", IssueKind.OPERANDS),
        ("v = x[0:8:2, :]", IssueKind.OUTSIDE_DSL),
        ("v = x[0, 0, 0]", IssueKind.SUBSCRIPT),
        ("v = n[0]", IssueKind.SUBSCRIPT),
        ("v = SIZES[n]", IssueKind.SUBSCRIPT),
    ],
)
def test_what_the_compiler_refuses(statement: str, kind: IssueKind) -> None:
    facts = read_body(statement, MODULE)
    assert [issue.kind for issue in facts.issues] == [kind]


def test_a_misspelt_operation_names_the_nearest() -> None:
    (issue,) = read_body("v = pl.rowsum(x)").issues
    assert "pl.row_sum" in issue.message


def test_a_refused_value_is_unknown_and_refused_once() -> None:
    facts = read_body("v = pl.expp(x)\nw = pl.exp(v)\nz = pl.tile.add(w, w)")
    assert [issue.kind for issue in facts.issues] == [IssueKind.UNKNOWN_OPERATION]
    assert len(facts.not_understood) == 2


TILE_READS = "t = pl.load(x, [0, 0], [16, 64], valid_shape=[16, 40])\n"


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        ("x[0:8, :]", "pl.tensor.slice(x, [8, 64], [0, 0])"),
        ("x[n : n + 8]", "pl.tensor.slice(x, [8, 64], [n, 0])"),
        ("x[n * 8 : (n + 1) * 8, 0:32]", "pl.tensor.slice(x, [8, 32], [n * 8, 0])"),
        ("x[3]", "pl.tensor.slice(x, [1, 64], [3, 0], [], [0])"),
        ("x[:, n]", "pl.tensor.slice(x, [64, 1], [0, n], [], [1])"),
        ("x[n, 3]", "pl.tensor.read(x, [n, 3])"),
        ("t[0:8, 0:16]", "pl.tile.slice(t, [8, 16], [0, 0])"),
        ("t[8:, :32]", "pl.tile.slice(t, [8, 32], [8, 0])"),
        ("t[:, 32:]", "pl.tile.slice(t, [16, 32], [0, 32], [16, 8])"),
        ("t[:, 0:n]", "pl.tile.slice(t, [16, 64], [0, 0], [16, pl.max(pl.min(n, 40), 0)])"),
        ("t[1, 2]", "pl.tile.read(t, [1, 2])"),
    ],
)
def test_subscripts_are_windows_and_reads(expression: str, text: str) -> None:
    facts = read_body(f"{TILE_READS}v = {expression}")
    assert [issue.message for issue in facts.issues] == []
    assert expression_text(assigned(facts, "v")) == text


def test_a_tile_subscript_needs_a_constant_lower_bound() -> None:
    (issue,) = read_body(f"{TILE_READS}v = t[n : n + 8, :]").issues
    assert issue.kind is IssueKind.SUBSCRIPT
    assert issue.data["reason"] == "dynamic-lower-bound"


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("out[0:8, :] = x[0:8, :]", "pl.tensor.assemble(out, pl.tensor.slice(x, [8, 64], [0, 0]), [0, 0])"),
        ("out[n : n + 8] = x[0:8]", "pl.tensor.assemble(out, pl.tensor.slice(x, [8, 64], [0, 0]), [n, 0])"),
        (
            "out[n] = x[3]",
            "pl.tensor.assemble(out, pl.tensor.reshape(pl.tensor.slice(x, [1, 64], [3, 0], [], [0]), [1, 64]), [n, 0])",
        ),
    ],
)
def test_subscript_writes_are_assembles(statement: str, text: str) -> None:
    facts = read_body(statement)
    assert [issue.message for issue in facts.issues] == []
    assert expression_text(assigned(facts, "out")) == text


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("out[0, 0] = f", "element-write"),
        ("out[0:8, :] = x[0:4, :]", "extent"),
        ("out[0:8, :] = x[3]", "rank"),
        ("out[0:8, :] = pl.load(x, [0, 0], [8, 64])", "mixed-kinds"),
    ],
)
def test_subscript_writes_that_do_not_fit(statement: str, reason: str) -> None:
    (issue,) = read_body(statement).issues
    assert issue.kind is IssueKind.SUBSCRIPT
    assert issue.data["reason"] == reason


@pytest.mark.parametrize(
    ("call", "op"),
    [
        ("pl.add(t, t)", "tile.add"),
        ("pl.add(t, 1.0)", "tile.adds"),
        ("pl.add(x, x)", "tensor.add"),
        ("pl.add(x, f)", "tensor.adds"),
        ("pl.tile.add(t, 2)", "tile.adds"),
        ("pl.maximum(t, 0.0)", "tile.maximums"),
        ("pl.create_tile([8, 8], pl.FP32)", "tile.create"),
        ("pl.create_tensor([8, 8], dtype=pl.FP32)", "tensor.create"),
        ("pl.tile.and_(u, u)", "tile.and"),
        ("pl.reshape(x, [4096, 1])", "tensor.reshape"),
    ],
)
def test_an_operation_goes_by_its_operands(call: str, op: str) -> None:
    tiles = "t = pl.load(x, [0, 0], [8, 64])\nu = pl.cast(t, pl.INT32)\n"
    facts = read_body(f"{tiles}v = {call}")
    assert [issue.message for issue in facts.issues] == []
    found = assigned(facts, "v")
    assert isinstance(found, Call)
    assert found.op == op


def test_a_literal_takes_the_tiles_dtype() -> None:
    facts = read_body("t = pl.cast(pl.load(x, [0, 0], [8, 64]), pl.INT16)\nv = pl.tile.muls(t, 3)")
    call = assigned(facts, "v")
    assert isinstance(call, Call)
    literal = call.args[1]
    assert isinstance(literal, Const)
    assert literal.dtype.name == "INT16"


def test_origins_lead_back_to_the_source() -> None:
    facts = read_body("v = pl.add(pl.exp(pl.load(x, [0, 0], [8, 64])), 1.0)")
    call = assigned(facts, "v")
    assert isinstance(call, Call)
    inner = call.args[0]
    assert isinstance(inner, Call)
    assert call.origin is not None
    assert inner.origin is not None
    assert call.origin.statement == inner.origin.statement
    assert call.origin.node != inner.origin.node


def test_math_constants_are_floats() -> None:
    facts = read_body("t = pl.load(x, [0, 0], [8, 64])\nv = pl.tile.fillpad(t, pad_value=-math.inf)", MODULE)
    assert [issue.message for issue in facts.issues] == []
    assert type_text(type_named(facts, "v")) == (
        "pl.Tile[[8, 64], pl.FP32, pl.Mem.Vec, pl.TileView(pad=pl.PadValue.min)]"
    )


def test_lists_are_tuples() -> None:
    assert isinstance(value("SIZES"), Tuple)
