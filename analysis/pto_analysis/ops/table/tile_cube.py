"""Tile ops of the matrix unit.

Source of the facts: the op registry and deducers of hw-native-sys/pypto (2026-08-21), `facts/tile_ops.json`.
"""

from __future__ import annotations

from functools import partial

from pto_analysis.ops.spec import Typing
from pto_analysis.ops.table.row import reuse, row

_product = partial(row, space="Acc", unit="M", core="cube", families=("matmul",))
_accumulate = partial(
    row, space="Acc", unit="M", core="cube", storage=reuse(0), effects={0: "RW"}, families=("matmul", "accumulate")
)

TILE_CUBE = (
    _product(
        "tile.matmul",
        "Matrix product of two tiles.",
        "lhs: tile, rhs: tile",
        Typing(whole="matmul"),
        inputs="Left Right",
        roles="lhs rhs",
        pto="tmatmul",
        families=("matmul", "foldable"),
    ),
    _accumulate(
        "tile.matmul_acc",
        "Adds a matrix product to an accumulator, or starts it where `init_cond` holds.",
        "acc: tile, lhs: tile, rhs: tile, init_cond: predicate = None",
        Typing(whole="matmul_acc", checks=("init_condition(3)",)),
        inputs="Acc Left Right -",
        roles="acc lhs rhs",
        pto="tmatmul.acc",
        families=("matmul", "accumulate", "foldable"),
    ),
    _product(
        "tile.matmul_bias",
        "Matrix product plus a bias row.",
        "lhs: tile, rhs: tile, bias: tile",
        Typing(whole="matmul_bias"),
        inputs="Left Right Bias",
        roles="lhs rhs bias",
        pto="tmatmul.bias",
        families=("matmul", "foldable"),
    ),
    _product(
        "tile.batch_matmul",
        "Matrix products over broadcast leading axes.",
        "lhs: tile, rhs: tile",
        Typing(whole="batch_matmul"),
        inputs="Left Right",
        roles="lhs rhs",
        families=("matmul", "batched"),
        notes="Unrolled over the batch before code is made.",
    ),
    _accumulate(
        "tile.batch_matmul_acc",
        "Adds matrix products over broadcast leading axes to an accumulator.",
        "acc: tile, lhs: tile, rhs: tile",
        Typing(whole="batch_matmul_acc"),
        inputs="Acc Left Right",
        roles="acc lhs rhs",
        families=("matmul", "accumulate", "batched"),
    ),
    _product(
        "tile.gemv",
        "Row vector times matrix.",
        "lhs: tile, rhs: tile, acc_phase: @str = unspecified",
        Typing(whole="gemv", checks=("accumulation_phase",)),
        inputs="Left Right",
        roles="lhs rhs",
        pto="tgemv",
        families=("matmul", "gemv"),
    ),
    _accumulate(
        "tile.gemv_acc",
        "Adds row vector times matrix to an accumulator.",
        "acc: tile, lhs: tile, rhs: tile, acc_phase: @str = unspecified",
        Typing(whole="gemv_acc", checks=("accumulation_phase",)),
        inputs="Acc Left Right",
        roles="acc lhs rhs",
        pto="tgemv.acc",
        families=("matmul", "accumulate", "gemv"),
    ),
    _product(
        "tile.gemv_bias",
        "Row vector times matrix plus a bias row.",
        "lhs: tile, rhs: tile, bias: tile, acc_phase: @str = unspecified",
        Typing(whole="gemv_bias", checks=("accumulation_phase",)),
        inputs="Left Right Bias",
        roles="lhs rhs bias",
        pto="tgemv.bias",
        families=("matmul", "gemv"),
    ),
    _product(
        "tile.matmul_mx",
        "Matrix product of FP8 tiles with block scales.",
        "lhs: tile, lhs_scale: tile, rhs: tile, rhs_scale: tile",
        Typing(whole="matmul_mx"),
        inputs="Left LeftScale Right RightScale",
        roles="lhs lhs_scale rhs rhs_scale",
        access="unknown",
        pto="tmatmul.mx",
        targets=("a5",),
        families=("matmul", "mx"),
    ),
    _accumulate(
        "tile.matmul_mx_acc",
        "Adds a block-scaled matrix product to an accumulator.",
        "acc: tile, lhs: tile, lhs_scale: tile, rhs: tile, rhs_scale: tile",
        Typing(whole="matmul_mx_acc"),
        inputs="Acc Left LeftScale Right RightScale",
        roles="acc lhs lhs_scale rhs rhs_scale",
        access="unknown",
        pto="tmatmul.mx.acc",
        targets=("a5",),
        families=("matmul", "accumulate", "mx"),
    ),
    _product(
        "tile.matmul_mx_bias",
        "Block-scaled matrix product plus a bias row.",
        "lhs: tile, lhs_scale: tile, rhs: tile, rhs_scale: tile, bias: tile",
        Typing(whole="matmul_mx_bias"),
        inputs="Left LeftScale Right RightScale Bias",
        roles="lhs lhs_scale rhs rhs_scale bias",
        access="unknown",
        pto="tmatmul.mx.bias",
        targets=("a5",),
        families=("matmul", "mx"),
    ),
    row(
        "tile.tget_scale_addr",
        "Binds a scale tile to the address of its data tile.",
        "dst_scale: tile, src: tile",
        Typing(whole="scale_address"),
        space="inherit",
        storage=reuse(0),
        effects={0: "W"},
        access="unknown",
        unit="S",
        pto="tget_scale_addr",
        core="cube",
        targets=("a5",),
    ),
)
