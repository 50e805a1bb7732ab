"""Every tensor operation becomes the tile operations of the reference (DSL section h.1, `tensor_ops`)."""

from __future__ import annotations

import pytest

from pto_analysis.ops import table
from pto_analysis.passes.lowering import lower
from pto_analysis.passes.lowering.convert.rules import CONVERSIONS, PASSED_THROUGH
from pto_analysis.toolchain import Toolchain
from tests.lowering.reading import operations, read

PARAMS = {
    "a": "pl.Tensor[[16, 64], pl.FP32]",
    "b": "pl.Tensor[[16, 64], pl.FP32]",
    "w": "pl.Tensor[[16, 128], pl.FP32]",
    "col": "pl.Tensor[[16, 1], pl.FP32]",
    "row": "pl.Tensor[[1, 64], pl.FP32]",
    "r1": "pl.Tensor[[1, 128], pl.FP32]",
    "i": "pl.Tensor[[16, 64], pl.INT32]",
    "j": "pl.Tensor[[16, 64], pl.INT32]",
    "u": "pl.Tensor[[16, 64], pl.UINT32]",
    "s16": "pl.Tensor[[16, 64], pl.INT16]",
    "h": "pl.Tensor[[16, 64], pl.BF16]",
    "g": "pl.Tensor[[64, 32], pl.BF16]",
    "p": "pl.Tensor[[2, 16, 64], pl.BF16]",
    "q": "pl.Tensor[[2, 64, 32], pl.BF16]",
    "c3": "pl.Tensor[[2, 1, 64], pl.FP32]",
    "d3": "pl.Tensor[[2, 8, 64], pl.FP32]",
    "bt": "pl.Tensor[[16], pl.INT32]",
    "pi": "pl.Tensor[[16], pl.INT32]",
    "n": "pl.Scalar[pl.INT32]",
    "out": "pl.Out[pl.Tensor[[16, 64], pl.FP32]]",
}

ROWS = (
    ("x = pl.add(a, b)", "load load add"),
    ("x = pl.add(a, col)", "load load row_expand_add"),
    ("x = pl.add(col, a)", "load load row_expand_add"),
    ("x = pl.sub(a, col)", "load load row_expand_sub"),
    ("x = pl.mul(a, row)", "load load mul"),
    ("x = pl.div(a, b)", "load load div"),
    ("x = pl.div(a, col)", "load load row_expand_div"),
    ("x = pl.add(a, 1.0)", "load adds"),
    ("x = pl.mul(a, 2.0)", "load muls"),
    ("x = pl.div(a, 2.0)", "load divs"),
    ("x = pl.sub(a, 2.0)", "load subs"),
    ("x = pl.fmod(a, b)", "load load fmod"),
    ("x = pl.fmod(a, 3.0)", "load fmods"),
    ("x = pl.part_add(a, b)", "load load part_add"),
    ("x = pl.part_mul(a, b)", "load load part_mul"),
    ("x = pl.part_max(a, b)", "load load part_max"),
    ("x = pl.part_min(a, b)", "load load part_min"),
    ("x = pl.maximum(a, b)", "load load maximum"),
    ("x = pl.maximum(a, 0.0)", "load maximums"),
    ("x = pl.minimum(a, b)", "load load minimum"),
    ("x = pl.minimum(a, 0.0)", "load minimums"),
    ("x = pl.cmp(a, b, cmp_type=0)", "load load cmp full full create sel"),
    ("x = pl.cmp(a, 1.0, cmp_type=2)", "load cmps full full create sel"),
    ("x = pl.and_(i, j)", "load load and"),
    ("x = pl.or_(i, j)", "load load or"),
    ("x = pl.shl(i, j)", "load load shl"),
    ("x = pl.shr(i, j)", "load load shr"),
    ("x = pl.ands(i, 3)", "load ands"),
    ("x = pl.ors(i, 3)", "load ors"),
    ("x = pl.shls(i, 3)", "load shls"),
    ("x = pl.shrs(i, 3)", "load shrs"),
    ("x = pl.xor(s16, s16)", "load create xor"),
    ("x = pl.xors(s16, 3)", "load create xors"),
    ("x = pl.not_(s16)", "load not"),
    ("x = pl.neg(a)", "load neg"),
    ("x = pl.abs(a)", "load abs"),
    ("x = pl.recip(a)", "load recip"),
    ("x = pl.exp(a)", "load exp"),
    ("x = pl.log(a)", "load log"),
    ("x = pl.sin(a)", "load sin"),
    ("x = pl.cos(a)", "load cos"),
    ("x = pl.sqrt(a)", "load sqrt"),
    ("x = pl.rsqrt(a)", "load rsqrt"),
    ("x = pl.rsqrt(a, high_precision=True)", "load create rsqrt"),
    ("x = pl.cast(a, target_type=pl.BF16)", "load cast"),
    ("x = pl.row_sum(a)", "load create row_sum"),
    ("x = pl.row_max(a)", "load create row_max"),
    ("x = pl.row_min(a)", "load create row_min"),
    ("x = pl.row_prod(a)", "load create row_prod"),
    ("x = pl.row_argmax(a)", "load create row_argmax"),
    ("x = pl.row_argmin(a)", "load create row_argmin"),
    ("x = pl.col_argmax(a)", "load create col_argmax"),
    ("x = pl.col_argmin(a)", "load create col_argmin"),
    ("x = pl.col_sum(a)", "load col_sum"),
    ("x = pl.col_max(a)", "load col_max"),
    ("x = pl.col_min(a)", "load col_min"),
    ("x = pl.col_prod(a)", "load col_prod"),
    ("x = pl.row_expand(a, col)", "load load row_expand"),
    ("x = pl.row_expand_mul(a, col)", "load load row_expand_mul"),
    ("x = pl.row_expand_div(a, col)", "load load row_expand_div"),
    ("x = pl.row_expand_add(a, col)", "load load row_expand_add"),
    ("x = pl.row_expand_sub(a, col)", "load load row_expand_sub"),
    ("x = pl.row_expand_max(a, col)", "load load row_expand_max"),
    ("x = pl.row_expand_min(a, col)", "load load row_expand_min"),
    ("x = pl.row_expand_expdif(a, col)", "load load row_expand_expdif"),
    ("x = pl.col_expand(a, row)", "load load col_expand"),
    ("x = pl.col_expand_mul(a, row)", "load load col_expand_mul"),
    ("x = pl.col_expand_add(a, row)", "load load col_expand_add"),
    ("x = pl.col_expand_sub(a, row)", "load load col_expand_sub"),
    ("x = pl.col_expand_div(a, row)", "load load col_expand_div"),
    ("x = pl.col_expand_max(a, row)", "load load col_expand_max"),
    ("x = pl.col_expand_min(a, row)", "load load col_expand_min"),
    ("x = pl.col_expand_expdif(a, row)", "load load col_expand_expdif"),
    ("x = pl.expands(a, 1.0)", "load expands"),
    ("x = pl.expand_clone(c3, d3)", "load create col_expand store"),
    ("x = pl.gather(a, dim=-1, index=i)", "create load load create gather assemble"),
    ("x = pl.gather(a, mask_pattern=1)", "load gather_mask"),
    ('x = pl.gather(a, kvalue=1.0, cmp_mode="eq", out_cols=64)', "load create gather_compare"),
    ("x = pl.matmul(h, g)", "load load matmul"),
    ("x = pl.matmul(g, h, a_trans=True, b_trans=True)", "load transpose_view load transpose_view matmul"),
    ("x = pl.matmul(p, q)", "load load batch_matmul"),
    ("x = pl.matmul_acc(pl.matmul(h, g, out_dtype=pl.FP32), h, g)", "load load matmul load load matmul_acc"),
    ("x = pl.read(a, [0, 0])", "tensor.read"),
    ("pl.write(out, [0, 0], 1.0)", "tensor.write"),
    ("x = pl.create_tensor([16, 64], dtype=pl.FP32)", "create"),
    ("x = pl.slice(a, [16, 32], [0, 0])", "load"),
    ("x = pl.exp(a)[:, 0:32]", "load exp slice"),
    ("x = a[0]", "load reshape"),
    ("out = pl.assemble(out, pl.exp(a), [0, 0])", "load exp store"),
    ("x = pl.assemble(pl.exp(a), pl.exp(col), [0, 0])", "load load exp exp assemble"),
    ("x = pl.assemble(pl.exp(a), col, [0, 0])", "load exp load assemble"),
    ("out = pl.assemble(out, a, [0, 0])", "tensor.assemble"),
    ("x = pl.fillpad(a)", "load fillpad"),
    ("x = pl.fillpad_expand(a, [32, 64])", "load fillpad_expand"),
    ("x = pl.full([16, 64], dtype=pl.FP32, value=0.0)", "full"),
    ("x = pl.arange(0, [1, 64], dtype=pl.INT32)", "ci"),
    ("x = pl.random(n, n, n, n, n, n, [16, 64], dtype=pl.INT32)", "random"),
    ("x = pl.tensor.dim(a, 0)", "tensor.dim"),
    ("x = pl.get_block_idx()", "get_block_idx"),
    ("x = pl.get_subblock_idx()", "get_subblock_idx"),
    ("x = pl.get_block_num()", "get_block_num"),
    (
        "x = pl.paged_gather(h, pi, bt, block_size=16, size=64, max_indices=16)",
        "tensor.dim create tensor.read tensor.read gather_row",
    ),
    ("x = pl.create_l1([16, 64], dtype=pl.BF16)", "create"),
    ("x = pl.gather_row(pl.create_l1([16, 64], dtype=pl.BF16), h, [0, 0], [3, 0], [1, 64])", "create gather_row"),
    (
        "x = pl.scatter(a, dim=-1, index=i, src=b)",
        "load load load ci reshape muls row_expand_add full scatter full full scatter cmps create sel",
    ),
    ("x = pl.scatter(a, mask_pattern=1, dst=w)", "load load full scatter_mask full full scatter_mask cmps create sel"),
    (
        "x = pl.scatter_update(a, dim=-2, index=i, src=b)",
        "load load load ci full col_expand reshape muls row_expand_add full scatter full full scatter cmps create sel",
    ),
    ("x = pl.sort32(a, u)", "load load sort32"),
    ("x = pl.mrgsort(r1, block_len=64)", "load mrgsort_format1"),
    ("x = pl.mrgsort(r1, r1)", "load load create mrgsort_format2"),
    ("x = pl.reshape(a, [32, 32])", "load reshape"),
    ("x = pl.reinterpret_view(a, pl.INT32)", "load reinterpret_view"),
    ("x = pl.transpose(a, 0, 1)", "load transpose"),
    ("x = pl.tensor.view(a, shape=[32, 32])", "tensor.view"),
    ("x = pl.concat(a, b)", "load load concat"),
    ("x = pl.set_validshape(a, 8, 32)", "load set_validshape"),
    ("x = pl.aiv_shard(a, split=1)", "load aiv_shard"),
    ("x = pl.aic_gather(a, split=1)", "load aic_gather"),
)
"""A statement, and what stands for it after the conversion; `tile.` is left out. Entry loads come first."""


def kernel(statement: str) -> str:
    params = ", ".join(f"{name}: {kind}" for name, kind in PARAMS.items())
    return f"""
import pypto.language as pl


@pl.program
class P:
    @pl.function
    def main(self, {params}) -> pl.Tensor[[16, 64], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP):
            {statement}
        return out
"""


@pytest.mark.parametrize(("statement", "expected"), ROWS, ids=[statement for statement, _ in ROWS])
def test_conversion(statement: str, expected: str) -> None:
    (function,) = lower(read(kernel(statement)), Toolchain())
    assert " ".join(operations(function.lowered)) == expected
    assert not function.notes


def test_every_row_of_the_table_is_known() -> None:
    rows = {name for name in table() if name.startswith("tensor.")}
    assert rows <= set(CONVERSIONS) | set(PASSED_THROUGH)
    assert set(CONVERSIONS) <= set(table())


def test_every_conversion_has_a_row_here() -> None:
    used: set[str] = set()
    for statement, _ in ROWS:
        (main,) = read(kernel(statement))
        used |= {f"tensor.{op.removeprefix('tensor.')}" for op in operations(main)}
    assert {name for name in CONVERSIONS if name.startswith("tensor.")} <= used


def test_a5_gathers_by_flat_indices() -> None:
    (function,) = lower(read(kernel("x = pl.gather(a, dim=-1, index=i)")), Toolchain(target="a5"))
    assert operations(function.lowered)[:2] == ["load", "load"]
    assert operations(function.lowered)[-2:] == ["create", "gather"]
