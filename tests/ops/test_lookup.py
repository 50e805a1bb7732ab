"""Which op a spelling means: by name, by the kinds of its arguments, and what is said when it means none."""

from __future__ import annotations

import pytest

from pto_analysis.ir.expr import Expr
from pto_analysis.ops import Bound, Refusal, candidates, get, is_known, nearest, resolve, signature_of, spellings
from pto_analysis.ops.table.spellings import (
    ALIASES,
    DISTRIBUTED_SHORT,
    NAMESPACED,
    PROMOTED_SYSTEM,
    PROMOTED_TENSOR,
    PROMOTED_TILE,
    UNIFIED,
)
from tests.ops.notation import scope_of, typed_call

OPERANDS = "t: Vec INT16 [8, 16]; u: Vec INT16 [8, 16]; g: GM INT16 [8, 16]; h: GM INT16 [8, 16]; f: Vec FP32 [8, 16]; \
s: INT16; x: unknown"


@pytest.mark.parametrize(
    ("call", "op"),
    [
        ("pl.add(t, u)", "tile.add"),
        ("pl.add(t, 1)", "tile.adds"),
        ("pl.add(t, s)", "tile.adds"),
        ("pl.add(g, h)", "tensor.add"),
        ("pl.add(g, 1)", "tensor.adds"),
        ("pl.tile.add(t, 1)", "tile.adds"),
        ("pl.tensor.mul(g, 1)", "tensor.muls"),
        ("pl.tile.adds(t, 1)", "tile.adds"),
        ("pl.maximum(t, 1)", "tile.maximums"),
        ("pl.maximum(g, 1)", "tensor.maximum"),
        ("pl.cmp(t, 1)", "tile.cmps"),
        ("pl.cmp(g, 1)", "tensor.cmp"),
        ("pl.and_(t, 1)", "tile.ands"),
        ("pl.xor(t, u, u)", "tile.xor"),
        ("pl.xor(t, 1, u)", "tile.xors"),
        ("pl.xor(g, h)", "tensor.xor"),
        ("pl.not_(t)", "tile.not"),
        ("pl.neg(g)", "tensor.neg"),
        ("pl.cast(t, pl.FP32)", "tile.cast"),
        ("pl.cast(g, pl.FP32)", "tensor.cast"),
        ("pl.rsqrt(g, high_precision=True)", "tensor.rsqrt"),
        ("pl.row_sum(t, u)", "tile.row_sum"),
        ("pl.row_sum(g)", "tensor.row_sum"),
        ("pl.col_sum(t)", "tile.col_sum"),
        ("pl.slice(t, [8, 8], [0, 0])", "tile.slice"),
        ("pl.slice(g, [8, 8], [0, 0], clamp=True)", "tensor.slice"),
        ("pl.load(g, [0, 0], [8, 8])", "tile.load"),
        ("pl.create_tile([8, 8], dtype=pl.FP32)", "tile.create"),
        ("pl.tile.create_tile([8, 8], dtype=pl.FP32)", "tile.create"),
        ("pl.create_tensor([8, 8], dtype=pl.FP32)", "tensor.create"),
        ("pl.arange(0, [1, 8])", "tensor.ci"),
        ("pl.tile.arange(0, [1, 8])", "tile.ci"),
        ("pl.full([8, 8], pl.FP32, 0)", "tensor.full"),
        ("pl.mrgsort(f, block_len=64)", "tile.mrgsort_format1"),
        ("pl.mrgsort(f, f, tmp=f)", "tile.mrgsort_format2"),
        ("pl.gather(g, mask_pattern=1)", "tensor.gather_mask"),
        ("pl.read(t, [0, 0])", "tile.read"),
        ("pl.write(g, [0, 0], s)", "tensor.write"),
        ("pl.assemble(t, u, [0, 0])", "tile.assemble"),
        ("pl.aiv_shard(t, split=0)", "tile.aiv_shard"),
        ("pl.aiv_shard(g, split=0)", "tensor.aiv_shard"),
        ("pl.system.tpush_to_aiv(t, split=0)", "tile.tpush_to_aiv"),
        ("pl.tpush_to_aiv(t, split=0)", "tile.tpush_to_aiv"),
        ("pld.rank(x)", "pld.system.rank"),
        ("pl.add(x, u)", "tile.add"),
        ("pl.add(g, x)", "tensor.add"),
        ("pl.row_sum(x)", "tensor.row_sum"),
        ("pl.row_sum(x, x)", "tile.row_sum"),
    ],
)
def test_op_of_the_call(call: str, op: str) -> None:
    assert typed_call(OPERANDS, call).op == op


@pytest.mark.parametrize(
    ("call", "kind", "word"),
    [
        ("pl.add(t, g)", "operand-kind", "load or slice"),
        ("pl.add(1, t)", "operand-kind", "a scalar"),
        ("pl.add(s, t)", "operand-kind", "a scalar"),
        ("pl.matmul(t, 1)", "operand-kind", "operand 1"),
        ("pl.row_expand_mul(t, 1)", "operand-kind", "operand 1"),
        ("pl.row_sum(t)", "arity", "tmp_tile"),
        ("pl.row_sum(g, t)", "keyword", "tmp_tile"),
        ("pl.xor(t, u)", "arity", "tmp"),
        ("pl.slice(t, [8, 8], [0, 0], clamp=True)", "keyword", "clamp"),
        ("pl.rsqrt(t, high_precision=True)", "keyword", "high_precision"),
        ("pl.adds(t, 1)", "unknown-op", "pl.adds"),
        ("pl.tile.tensor(t)", "unknown-op", "pl.tile.tensor"),
        ("pld.nothing(t)", "unknown-op", "pld.nothing"),
        ("pl.batch_matmul(g, h)", "operand-kind", "must be a tile"),
    ],
)
def test_refusals(call: str, kind: str, word: str) -> None:
    refusal = typed_call(OPERANDS, call).found
    assert isinstance(refusal, Refusal)
    assert refusal.kind == kind
    assert word in refusal.message


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("tile.addd", "tile.add"),
        ("tile.slcie", "tile.slice"),
        ("matmull", "matmul"),
        ("lod", "load"),
        ("tensor.reshap", "tensor.reshape"),
        ("pld.remote_laod", "pld.remote_load"),
    ],
)
def test_nearest(wrong: str, right: str) -> None:
    assert right in nearest(wrong)
    assert not is_known(wrong)


def test_a_namesake_is_nearer_than_a_name_that_looks_alike() -> None:
    assert nearest("tensor.load")[0] == "load"
    assert nearest("adds")[0] == "tile.adds"


def test_nothing_is_near_to_nonsense() -> None:
    assert nearest("qwertyuiop") == ()


@pytest.mark.parametrize("spelling", spellings())
def test_every_spelling_is_known_and_has_a_signature(spelling: str) -> None:
    assert is_known(spelling)
    short = spelling.rpartition(".")[2]
    if short not in ("max", "min"):
        assert candidates(spelling)
        assert signature_of(spelling) is not None


def test_spelling_tables_name_ops_that_exist() -> None:
    for dispatch in (*UNIFIED.values(), *NAMESPACED.values()):
        for name in filter(None, (dispatch.tile, dispatch.tensor, dispatch.tile_scalar, dispatch.tensor_scalar)):
            assert get(name) is not None or candidates(name)
    for promoted, module in ((PROMOTED_TILE, "tile"), (PROMOTED_TENSOR, "tensor"), (PROMOTED_SYSTEM, "system")):
        for short in promoted:
            assert candidates(short) == candidates(f"{module}.{short}") != ()
    for alias, name in {**ALIASES, **DISTRIBUTED_SHORT}.items():
        assert candidates(alias) == candidates(name) != ()


def test_arguments_that_are_no_operands_do_not_break_dispatch() -> None:
    scope: dict[str, Expr] = scope_of(OPERANDS)
    for argument in (None, "text", [1, 2], True, object()):
        assert isinstance(resolve("add", (argument, scope["t"]), {}), Refusal)
        assert isinstance(resolve("add", (scope["t"], argument), {}), (Refusal, Bound))
