"""Nothing that a call may contain breaks the ops room: unknown types, nonsense operands, random types."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pto_analysis.ir.dtypes import DTYPES, INDEX
from pto_analysis.ir.expr import Const, Expr, Tuple, Var
from pto_analysis.ir.types import Layout, Pad, Space, UnknownType
from pto_analysis.ops import Bound, OpSpec, Refusal, deduce, resolve, table
from pto_analysis.ops.signature import parameters
from tests.ops.notation import read_type

ROWS = list(table().values())
TEXTS = (
    "Vec FP32 [8, 16]",
    "Vec FP16 [8, 1]",
    "Vec UINT8 [8, 32] valid [n, 2]",
    "Vec INT32 [n, m]",
    "Vec INT32 [1, 64]",
    "Mat BF16 [32, 32] nz valid [16, k]",
    "Left FP16 [16, 16]",
    "Right FP16 [16, 16]",
    "Acc FP32 [16, 16]",
    "LeftScale FP8E8M0 [16, 2]",
    "Vec FP32 [2, 8, 16]",
    "Vec FP4 [8, 16]",
    "Vec FP32 [16]",
    "- FP32 [8, 16]",
    "GM FP32 [64, 128]",
    "GM FP16 [n, 128] valid [m, 128]",
    "GM INT32 [16] DN",
    "GM FP8E8M0 [16, 4] MX_A_ZZ",
    "GM FP32 [4, 64, 128] distributed",
    "INT32",
    "INDEX",
    "FP32",
    "BOOL",
    "nothing",
)
VARIABLES = tuple(Var(f"v{i}", read_type(text)) for i, text in enumerate(TEXTS))
NUMBERS = tuple(Const(value, INDEX) for value in (-1, 0, 1, 2, 7, 8, 16, 64))
ATTRIBUTES: tuple[object, ...] = (
    *(DTYPES[name] for name in ("FP32", "FP16", "INT8", "UINT32", "FP4")),
    *(Space.VEC, Space.MAT, Space.LEFT, Space.LEFT_SCALE),
    *(Layout.COL_MAJOR, Pad.MAX, Pad.NULL),
    *(True, False, None, -1, 0, 1, 3, 7, "eq", "elem", "round", 0.5, (8, 16), object()),
)

scalars = st.sampled_from([*NUMBERS, *VARIABLES])
tuples = st.lists(scalars, max_size=4).map(lambda items: Tuple(tuple(items)))
operands = st.one_of(st.sampled_from(VARIABLES), scalars, tuples)
arguments = st.one_of(operands, st.sampled_from(ATTRIBUTES), st.lists(scalars, max_size=4))


@settings(max_examples=1000, deadline=None)
@given(st.sampled_from(ROWS), st.data())
def test_deduction_answers_whatever_the_operands(spec: OpSpec, data: st.DataObject) -> None:
    count = len([p for p in parameters(spec.signature) if not p.is_attribute])
    args = data.draw(st.lists(operands, min_size=max(0, count - 1), max_size=count + 1))
    names = [p.name for p in parameters(spec.signature) if p.is_attribute]
    attrs = {name: data.draw(st.sampled_from(ATTRIBUTES)) for name in names if data.draw(st.booleans())}
    result = deduce(spec.name, args, attrs)
    if isinstance(result, Refusal):
        assert result.message.startswith(spec.name)
        assert result.operand is None or result.operand <= count


@settings(max_examples=1000, deadline=None)
@given(st.sampled_from(ROWS), st.data())
def test_resolution_answers_whatever_the_arguments(spec: OpSpec, data: st.DataObject) -> None:
    params = parameters(spec.signature)
    positional = data.draw(st.lists(arguments, max_size=len(params) + 1))
    keywords = {p.name: data.draw(arguments) for p in params[len(positional) :] if data.draw(st.booleans())}
    for spelling in (spec.spelling.removeprefix("pl."), spec.spelling.rpartition(".")[2]):
        result = resolve(spelling, positional, keywords)
        if isinstance(result, Refusal):
            assert result.message


@pytest.mark.parametrize("spec", ROWS, ids=lambda spec: spec.name)
def test_unknown_operands_are_never_refused(spec: OpSpec) -> None:
    """Attributes have their usual values; every operand is of unknown type."""
    unknown: Expr = Var("u", UnknownType())
    keywords: dict[str, object] = {}
    positional: list[object] = []
    for param in parameters(spec.signature):
        if param.passing == "rest":
            positional = [unknown] * 3
        elif param.default is None:
            keywords[param.name] = _usual(param.base_kind) if param.is_attribute else unknown
    bound = resolve(spec.spelling.removeprefix("pl."), positional, keywords)
    assert isinstance(bound, Bound), bound
    assert not isinstance(deduce(bound.op, bound.args, bound.attrs), Refusal)


def _usual(kind: str) -> object:
    values: dict[str, object] = {"dtype": DTYPES["INT32"], "space": Space.VEC, "str": "name", "cmp_mode": 0, "dim": -2}
    return values.get(kind, 1)


def test_an_op_that_is_not_in_the_table_has_no_type() -> None:
    assert deduce("tile.nothing", (), {}) == UnknownType("op tile.nothing")


def test_a_proof_that_hangs_on_an_unknown_extent_refuses_nothing() -> None:
    unknown = Var("u", UnknownType())
    tile = Var("t", read_type("Vec FP32 [8, 16]"))
    window = Tuple((Const(8, INDEX), Const(16, INDEX)))
    result = deduce("tile.slice", (tile, window, Tuple((unknown, Const(0, INDEX)))), {})
    assert not isinstance(result, Refusal)
    past = deduce("tile.slice", (tile, window, Tuple((Const(1, INDEX), Const(0, INDEX)))), {})
    assert isinstance(past, Refusal)


def test_the_table_is_made_when_it_is_first_used() -> None:
    code = "import sys, pto_analysis.ops; print('pto_analysis.ops.table.tile_memory' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"
