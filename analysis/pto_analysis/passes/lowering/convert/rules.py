"""The table of conversions: what each tensor operation becomes, and where its operands must lie.

Facts: hw-native-sys/pypto, `op_conversion_registry` (2026-08-21); the same table as data is `lowers_to` of the op rows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Union

from attrs import field

from pto_analysis.frozen import frozen
from pto_analysis.ir.expr import Call, Expr
from pto_analysis.ir.types import Space
from pto_analysis.passes.lowering.convert import (
    compare,
    copying,
    distributed,
    elementwise,
    gather,
    matmul,
    memory,
    paged,
    reduce,
    scatter,
)
from pto_analysis.passes.lowering.emit import Emitter
from pto_analysis.passes.lowering.notes import Refused
from pto_analysis.toolchain import Toolchain

Converter = Callable[[Emitter, Call], Union[Expr, Refused]]


@frozen
class InputSpace:
    """Where an operand must lie; `transposed` names the attribute that asks for its transpose."""

    space: Space
    transposed: str | None = None


@frozen
class Conversion:
    """`spaces`: operands brought into a memory before `convert` runs; `self_loading`: the operation reads its tensors
    itself, so none of them is loaded at function entry."""

    convert: Converter
    spaces: Mapping[int, InputSpace] = field(factory=dict[int, InputSpace])
    self_loading: bool = False


def renamed(target: str) -> Converter:
    """One tile operation with the same operands and attributes."""
    return lambda emit, call: emit.call(target, *call.args, attrs=call.attrs)


_VEC = InputSpace(Space.VEC)


def _vector_inputs(count: int) -> dict[int, InputSpace]:
    return dict.fromkeys(range(count), _VEC)


_SAME_NAME = [
    "adds",
    "subs",
    "muls",
    "divs",
    "fmod",
    "fmods",
    "neg",
    "abs",
    "recip",
    "exp",
    "log",
    "sin",
    "cos",
    "sqrt",
    "cast",
    "and",
    "ands",
    "or",
    "ors",
    "not",
    "shl",
    "shls",
    "shr",
    "shrs",
    "row_expand",
    "row_expand_mul",
    "row_expand_div",
    "row_expand_add",
    "row_expand_sub",
    "row_expand_max",
    "row_expand_min",
    "row_expand_expdif",
    "col_expand",
    "col_expand_mul",
    "col_expand_add",
    "col_expand_sub",
    "col_expand_div",
    "col_expand_max",
    "col_expand_min",
    "col_expand_expdif",
    "expands",
    "reshape",
    "reinterpret_view",
    "concat",
    "set_validshape",
    "full",
    "ci",
    "random",
    "part_add",
    "part_mul",
    "part_max",
    "part_min",
    "col_sum",
    "col_max",
    "col_min",
    "col_prod",
    "sort32",
    "mrgsort_format1",
    "gather_mask",
    "get_block_idx",
    "get_subblock_idx",
    "get_block_num",
    "aiv_shard",
    "aic_gather",
]

_MAT_LEFT, _MAT_RIGHT = InputSpace(Space.MAT, "a_trans"), InputSpace(Space.MAT, "b_trans")

_OWN_FORM: dict[str, Conversion] = {
    "tensor.add": Conversion(elementwise.broadcasting("add")),
    "tensor.sub": Conversion(elementwise.broadcasting("sub")),
    "tensor.mul": Conversion(elementwise.broadcasting("mul")),
    "tensor.div": Conversion(elementwise.divide),
    "tensor.maximum": Conversion(elementwise.by_right_operand("tile.maximum", "tile.maximums")),
    "tensor.minimum": Conversion(elementwise.by_right_operand("tile.minimum", "tile.minimums")),
    "tensor.xor": Conversion(elementwise.with_scratch("tile.xor", "xor_tmp")),
    "tensor.xors": Conversion(elementwise.with_scratch("tile.xors", "xor_tmp")),
    "tensor.rsqrt": Conversion(elementwise.rsqrt),
    "tensor.cmp": Conversion(compare.compare),
    "tensor.transpose": Conversion(copying.transpose),
    "tensor.fillpad": Conversion(copying.fillpad),
    "tensor.fillpad_expand": Conversion(copying.fillpad),
    "tensor.mrgsort_format2": Conversion(copying.merge_sort, _vector_inputs(4)),
    "tensor.expand_clone": Conversion(copying.expand_clone, self_loading=True),
    "tensor.slice": Conversion(memory.slice_window, self_loading=True),
    "tensor.assemble": Conversion(memory.assemble, self_loading=True),
    "tensor.read": Conversion(memory.by_first_operand("tensor.read", "tile.read"), self_loading=True),
    "tensor.write": Conversion(memory.by_first_operand("tensor.write", "tile.write"), self_loading=True),
    "tensor.create": Conversion(memory.create),
    "tensor.create_l1": Conversion(memory.create_l1, self_loading=True),
    "tensor.gather_row": Conversion(renamed("tile.gather_row"), self_loading=True),
    "tensor.paged_gather": Conversion(paged.paged_gather, self_loading=True),
    "tensor.gather": Conversion(gather.gather_by(None), self_loading=True),
    "tensor.gather_compare": Conversion(gather.gather_compare, _vector_inputs(1)),
    "tensor.matmul": Conversion(matmul.matmul, {0: _MAT_LEFT, 1: _MAT_RIGHT}),
    "tensor.matmul_acc": Conversion(matmul.matmul_acc, {1: _MAT_LEFT, 2: _MAT_RIGHT}),
    "tensor.scatter": Conversion(scatter.scatter, _vector_inputs(3)),
    "tensor.scatter_mask": Conversion(scatter.scatter_mask, _vector_inputs(2)),
    "tensor.scatter_update": Conversion(scatter.scatter_update, _vector_inputs(3)),
    "pld.tensor.put": Conversion(distributed.transfer("pld.tile.put", "tput_stage"), self_loading=True),
    "pld.tensor.get": Conversion(distributed.transfer("pld.tile.get", "tget_stage"), self_loading=True),
    "pld.tensor.remote_store": Conversion(renamed("pld.tile.remote_store"), {0: _VEC}, self_loading=True),
    "tile.scatter_update": Conversion(scatter.scatter_update, _vector_inputs(3)),
    **{f"tensor.row_{name}": Conversion(reduce.row_reduction(name)) for name in ("sum", "max", "min", "prod")},
    **{
        f"tensor.{axis}_{name}": Conversion(reduce.arg_reduction(f"tile.{axis}_{name}"))
        for axis in ("row", "col")
        for name in ("argmax", "argmin")
    },
}

CONVERSIONS: dict[str, Conversion] = {
    **{f"tensor.{name}": Conversion(renamed(f"tile.{name}")) for name in _SAME_NAME},
    **_OWN_FORM,
}
"""Every tensor operation that has a tile form, by IR name."""

PASSED_THROUGH = frozenset({"tensor.dim", "tensor.view", "tensor.alloc", "tensor.dump_tag", "tensor.no_dep"})
"""Tensor operations that stay as they are inside InCore code."""

_A5: dict[str, Conversion] = {"tensor.gather": Conversion(gather.gather_by("flat"), self_loading=True)}


def conversions(toolchain: Toolchain) -> Mapping[str, Conversion]:
    """The table for one chip: A5 gathers by flat indices where A2/A3 goes row by row."""
    return {**CONVERSIONS, **_A5} if toolchain.target == "a5" else CONVERSIONS
