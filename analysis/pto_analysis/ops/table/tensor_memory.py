"""Tensor ops that create, window, view, index, sort or multiply.

In an InCore region the compiler turns them into tile ops; elsewhere they stay. Source of the facts: the op registry
and deducers of hw-native-sys/pypto (2026-08-21), `facts/tensor_ops.json`.
"""

from __future__ import annotations

from functools import partial

from pto_analysis.ops.spec import Typing
from pto_analysis.ops.table.row import no_buffer, reuse, row, view

_op = partial(row, unit="none", families=("tensor",))
_view = partial(row, unit="none", storage=view(0), access="none", families=("tensor", "view"))
_index = partial(row, unit="none", storage=no_buffer(), access="none", families=("tensor",))
_INDEX = Typing(kind="scalar", dtype="INDEX")

CREATION = (
    _op(
        "tensor.create",
        "Makes a tensor in global memory.",
        "shape: shape, dtype: @dtype, layout: @tensor_layout = ND, manual_dep: @bool? = False, "
        "init_value: @number? = None",
        Typing(kind="tensor", whole="created_tensor"),
        access="none",
    ),
    _op(
        "tensor.full",
        "Makes a tensor with one value everywhere.",
        "shape: shape, dtype: @dtype, value: number",
        Typing(kind="tensor", dtype="attr(dtype)", shape="extents(0)", valid="full"),
    ),
    _op(
        "tensor.ci",
        "Makes a row of consecutive integers.",
        "start: start, shape: shape, dtype: @dtype = INT32, descending: @bool = False",
        Typing(kind="tensor", whole="tensor_counter"),
    ),
    _op(
        "tensor.random",
        "Makes pseudo-random integers from six seed words.",
        "key0: int32, key1: int32, counter0: int32, counter1: int32, counter2: int32, counter3: int32, "
        "shape: shape, dtype: @dtype = UINT32, rounds: @int = 10",
        Typing(kind="tensor", whole="tensor_random"),
    ),
    _op(
        "tensor.create_l1",
        "Makes an on-chip accumulator for gathered rows.",
        "shape: shape, dtype: @dtype, transpose: @bool = False",
        Typing(kind="tensor", dtype="attr(dtype)", shape="literal(0)", valid="full"),
        access="none",
    ),
    _op(
        "tensor.alloc",
        "Reserves bytes; printed by the compiler.",
        "memory_space: @space, size: index",
        Typing(kind="unknown"),
        storage=no_buffer(),
        access="none",
    ),
)

WINDOWS = (
    _view(
        "tensor.slice",
        "A window of a tensor.",
        "tensor: tensor, shape: shape, offset: shape, valid_shape: shape = None, drop_dims: axes = None, "
        "pad_value: @pad? = None, clamp: @bool? = False",
        Typing(kind="tensor", whole="tensor_slice"),
        families=("tensor", "view", "slice"),
    ),
    _op(
        "tensor.assemble",
        "Writes a tensor into a window of another one.",
        "target: tensor, source: tensor, offset: shape, *, atomic: @atomic? = None_",
        Typing(kind="tensor", whole="tensor_assemble", checks=("tensor(0,1)", "atomic_dtype(0)")),
        storage=reuse(0),
        effects={0: "cond"},
        writes_through="dma",
    ),
    _op(
        "tensor.read",
        "Reads one element of a tensor as a scalar.",
        "tensor: tensor, indices: indices",
        Typing(kind="scalar", dtype="dtype(0)", checks=("tensor(0)", "read_indices(0,1)")),
        storage=no_buffer(),
        unit="S",
    ),
    _op(
        "tensor.write",
        "Writes one element of a tensor.",
        "tensor: tensor, indices: indices, value: value",
        Typing(whole="write_element", checks=("tensor(0)", "read_indices(0,1)")),
        storage=reuse(0),
        effects={0: "W"},
        writes_through="scalar",
        unit="S",
    ),
    _index("tensor.dim", "Extent of one axis of a tensor.", "tensor: tensor, axis: index", Typing(whole="tensor_dim")),
    _index("tensor.get_block_idx", "Number of the block that runs.", "", _INDEX),
    _index("tensor.get_subblock_idx", "Number of the vector lane that runs.", "", _INDEX),
    _index("tensor.get_block_num", "How many blocks the task has.", "", _INDEX),
    _op(
        "tensor.fillpad",
        "Fills what is not valid of a tensor with a pad value.",
        "tensor: tensor, pad_value: @pad = zero",
        Typing(kind="tensor", whole="tensor_fillpad", checks=("plain_tensor(0)",)),
    ),
    _op(
        "tensor.fillpad_expand",
        "Copies a tensor into a larger one and fills the rest with a pad value.",
        "tensor: tensor, shape: shape, pad_value: @pad = zero",
        Typing(kind="tensor", whole="tensor_fillpad_expand", checks=("plain_tensor(0)", "grows(0,1)")),
    ),
    _op(
        "tensor.gather_row",
        "Loads one row of a tensor into a part of an on-chip accumulator.",
        "acc: tensor, src: tensor, dst_offset: shape, src_offset: shape, shapes: shape, transpose: @bool = False, "
        "*, valid_shape: shape = None",
        Typing(kind="tensor", whole="gather_row", checks=("plain_tensor(0,1)",)),
        storage=reuse(0),
        effects={0: "RW"},
    ),
    _index(
        "tensor.no_dep",
        "Marks an argument that makes no dependence.",
        "tensor: tensor",
        Typing(whole="same_as"),
        access="none",
    ),
    _index("tensor.dump_tag", "Marks a tensor to be dumped.", "tensor: tensor", Typing(whole="same_as"), access="none"),
)

VIEWS = (
    _view(
        "tensor.reshape",
        "A tensor with other extents.",
        "tensor: tensor, shape: shape",
        Typing(kind="tensor", whole="tensor_reshape"),
    ),
    _view(
        "tensor.reinterpret_view",
        "The bytes of a tensor read as another dtype.",
        "data: tensor, dtype: @dtype, *, shape: shape = None",
        Typing(kind="tensor", whole="tensor_reinterpret"),
    ),
    _op(
        "tensor.transpose",
        "A tensor with two axes swapped.",
        "tensor: tensor, axis1: index, axis2: index",
        Typing(kind="tensor", whole="tensor_transpose"),
    ),
    _view(
        "tensor.view",
        "A tensor over the same memory with another shape or layout.",
        "tensor: tensor, shape: shape = None, valid_shape: shape = None, *, layout: @tensor_layout? = None",
        Typing(kind="tensor", whole="tensor_view"),
    ),
    _op(
        "tensor.concat",
        "Puts two tensors side by side.",
        "src0: tensor, src1: tensor",
        Typing(
            kind="tensor",
            shape="concatenated(0,1)",
            valid="full",
            checks=(
                "plain_tensor(0,1)",
                "same_dtype(0,1)",
                "rank(0,2)",
                "rank(1,2)",
                "constant_dims_agree(0,1,rows)",
            ),
        ),
    ),
    _op(
        "tensor.set_validshape",
        "A tensor with another valid region.",
        "tensor: tensor, valid_rows: index, valid_cols: index",
        Typing(kind="tensor", whole="tensor_set_validshape", checks=("plain_tensor(0)",)),
        storage=reuse(0),
        access="none",
    ),
)

INDEXED = (
    _op(
        "tensor.gather",
        "Collects elements of a tensor along an axis by index.",
        "input: tensor, dim: @dim, index: tensor",
        Typing(
            kind="tensor",
            shape="shape(1)",
            valid="full",
            checks=(
                "plain_tensor(0,1)",
                "dtype_in(0,gatherable)",
                "gather_index(0,1)",
                "min_rank(0,2)",
                "same_rank(0,1)",
                "gather_axis(0,1)",
            ),
        ),
    ),
    _op(
        "tensor.gather_mask",
        "Keeps the columns of a tensor that a pattern selects.",
        "input: tensor, mask_pattern: @int, output_dtype: @dtype? = None",
        Typing(
            kind="tensor",
            dtype="attr(output_dtype,0)",
            shape="pattern_selected(0)",
            valid="full",
            checks=("plain_tensor(0)", "dtype_in(0,gatherable)", "rank(0,2)", "same_width(0,output_dtype)"),
        ),
    ),
    _op(
        "tensor.gather_compare",
        "Collects in every row the indices of elements that compare true, and counts them.",
        "input: tensor, kvalue: value, *, cmp_mode: @cmp_mode, offset: @int = 0, out_cols: @int, "
        "count_dtype: @dtype? = None",
        Typing(kind="tensor", whole="tensor_gather_compare"),
    ),
    _op(
        "tensor.paged_gather",
        "Collects rows of a paged pool through a block table into an on-chip buffer.",
        "src: tensor, indices: tensor, block_table: tensor, block_size: @int, size: @int, max_indices: @int, *, "
        "space: @space = Mat, col_off: @int = 0, is_trans: @bool = False, is_b_matrix: @bool = False",
        Typing(kind="tensor", whole="paged_gather"),
    ),
    _op(
        "tensor.scatter",
        "Writes elements to columns of a tensor by index.",
        "input: tensor, dim: @dim, index: tensor, src: tensor",
        Typing(
            kind="tensor",
            valid="full",
            checks=(
                "plain_tensor(0,1,2)",
                "dtype_in(0,scatterable)",
                "dtype_in(1,index16_32)",
                "same_dtype(0,2)",
                "scatter_index(0,1)",
                "rank(0,2)",
                "rank(2,2)",
                "rank(1,2)",
                "last_axis(dim,2)",
                "constant_dims_agree(2,1)",
                "fits_into(2,0)",
            ),
        ),
    ),
    _op(
        "tensor.scatter_mask",
        "Writes the columns of a tensor to the columns of another one that a pattern selects.",
        "input: tensor, dst: tensor, mask_pattern: @int",
        Typing(
            kind="tensor",
            dtype="dtype(1)",
            shape="shape(1)",
            valid="full",
            checks=(
                "plain_tensor(0,1)",
                "dtype_in(0,1,scatterable)",
                "same_dtype(0,1)",
                "rank(0,2)",
                "rank(1,2)",
                "attr_in_range(mask_pattern,1,7)",
                "scatter_columns(1,0)",
            ),
        ),
    ),
    _op(
        "tensor.scatter_update",
        "Replaces rows of a tensor by index.",
        "input: tensor, dim~: @dim = -2, index: tensor, src: tensor",
        Typing(kind="tensor", whole="tensor_scatter_update", checks=("plain_tensor(0,1,2)",)),
    ),
    _op(
        "tensor.sort32",
        "Sorts groups of 32 values; the result interleaves values and indices.",
        "src: tensor, idx: tensor",
        Typing(
            kind="tensor",
            shape="doubled(0)",
            valid="full",
            checks=(
                "plain_tensor(0,1)",
                "dtype_in(0,half_or_single)",
                "last_extent_multiple(0,32)",
                "dtype_in(1,uint32)",
                "proven_same_shape(0,1)",
            ),
        ),
    ),
    _op(
        "tensor.mrgsort_format1",
        "Merges sorted runs of one tensor.",
        "src: tensor, block_len: int32",
        Typing(
            kind="tensor",
            valid="full",
            checks=("plain_tensor(0)", "dtype_in(0,half_or_single)", "scalar(1)", "int(1)", "block_length(1)"),
        ),
    ),
    _op(
        "tensor.mrgsort_format2",
        "Merges two to four sorted tensors.",
        "sources...: tensor, *, exhausted: @bool = False",
        Typing(kind="tensor", whole="tensor_merge"),
    ),
)

CUBE = (
    _op(
        "tensor.matmul",
        "Matrix product of two tensors, batched when they have more than two axes.",
        "lhs: tensor, rhs: tensor, out_dtype: @dtype? = None, a_trans: @bool = False, b_trans: @bool = False, "
        "c_matrix_nz: @bool = False",
        Typing(kind="tensor", whole="tensor_matmul", checks=("plain_tensor(0,1)",)),
        roles="lhs rhs",
        families=("tensor", "matmul"),
    ),
    _op(
        "tensor.matmul_acc",
        "Adds a matrix product to an accumulator, or starts it where `init_cond` holds.",
        "acc: tensor, lhs: tensor, rhs: tensor, a_trans: @bool = False, b_trans: @bool = False, "
        "init_cond: predicate = None",
        Typing(kind="tensor", whole="tensor_matmul_acc", checks=("init_condition(3)", "plain_tensor(0,1,2)")),
        roles="acc lhs rhs",
        families=("tensor", "matmul", "accumulate"),
    ),
    _op(
        "tensor.aiv_shard",
        "Hands a vector lane its half of a tensor.",
        "x: tensor, *, split: @int = None",
        Typing(kind="tensor", whole="shard", checks=("plain_tensor(0)",)),
        families=("tensor", "cross_core"),
    ),
    _op(
        "tensor.aic_gather",
        "Hands the cube the halves of both vector lanes.",
        "x: tensor, *, split: @int = None",
        Typing(kind="tensor", whole="rejoin", checks=("plain_tensor(0)",)),
        families=("tensor", "cross_core"),
    ),
)

TENSOR_MEMORY = CREATION + WINDOWS + VIEWS + INDEXED + CUBE
