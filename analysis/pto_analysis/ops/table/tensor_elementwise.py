"""Tensor ops that work element by element, broadcast along rows or columns, or reduce an axis.

In an InCore region the compiler turns them into tile ops; elsewhere they stay. Source of the facts: the op registry
and deducers of hw-native-sys/pypto (2026-08-21), `facts/tensor_ops.json`.
"""

from __future__ import annotations

from functools import partial

from pto_analysis.ops.spec import Typing
from pto_analysis.ops.table.row import row

_PAIR = "lhs: tensor, rhs: tensor"
_WITH_SCALAR = "lhs: tensor, rhs: scalar(lhs,float)"
_WITH_BITS = "lhs: tensor, rhs: scalar(lhs)"
_EITHER = "lhs: tensor, rhs: scalar(lhs,float)"
_ONE = "input: tensor"
_PRECISE = "input: tensor, high_precision: @bool? = False"

_BINARY = Typing(
    kind="tensor", dtype="promote(0,1)", shape="broadcast(0,1)", valid="matching(0,1)", checks=("tensor(0,1)",)
)
_BINARY_FULL = Typing(
    kind="tensor", dtype="promote(0,1)", shape="broadcast(0,1)", valid="full", checks=("tensor(0,1)",)
)
_SCALAR = Typing(kind="tensor", dtype="promote(0,1)", valid="plain_valid(0)", checks=("tensor(0)", "scalar(1)"))
_BITS = Typing(
    kind="tensor",
    dtype="promote(0,1)",
    valid="matching(0,1)",
    checks=("tensor(0,1)", "int(0,1)", "proven_same_shape(0,1)"),
)
_BITS_FULL = Typing(
    kind="tensor", dtype="promote(0,1)", valid="full", checks=("tensor(0,1)", "int(0,1)", "proven_same_shape(0,1)")
)
_SHIFT = Typing(kind="tensor", valid="matching(0,1)", checks=("tensor(0,1)", "int(0,1)", "proven_same_shape(0,1)"))
_BITS_SCALAR = Typing(kind="tensor", valid="plain_valid(0)", checks=("tensor(0)", "scalar(1)", "int(0,1)"))
_SHIFT_SCALAR = Typing(
    kind="tensor", valid="plain_valid(0)", checks=("tensor(0)", "scalar(1)", "int(0,1)", "not_negative(1)")
)
_UNARY = Typing(kind="tensor", checks=("tensor(0)",))
_UNARY_FLOAT = Typing(kind="tensor", dtype="float_of(0)", checks=("tensor(0)",))
_ROW_VECTOR = Typing(
    kind="tensor",
    dtype="promote(0,1)",
    valid="full",
    checks=(
        "plain_tensor(0,1)",
        "min_rank(0,2)",
        "min_rank(1,2)",
        "unit_column(1)",
        "constant_dims_agree(0,1,rows)",
    ),
)
_COLUMN_VECTOR = Typing(
    kind="tensor",
    dtype="promote(0,1)",
    valid="full",
    checks=(
        "plain_tensor(0,1)",
        "min_rank(0,2)",
        "min_rank(1,2)",
        "unit_row(1)",
        "constant_dims_agree(0,1,columns)",
    ),
)

_op = partial(row, unit="none", families=("tensor",))

ELEMENTWISE = (
    _op("tensor.add", "Adds two tensors element by element.", _PAIR, _BINARY),
    _op("tensor.sub", "Subtracts the second tensor from the first.", _PAIR, _BINARY),
    _op("tensor.mul", "Multiplies two tensors element by element.", _PAIR, _BINARY),
    _op(
        "tensor.div",
        "Divides two tensors element by element.",
        "lhs: tensor, rhs: tensor, high_precision: @bool? = False",
        Typing(
            kind="tensor",
            dtype="promote(0,1)",
            shape="broadcast(0,1)",
            valid="matching(0,1)",
            checks=("tensor(0,1)", "dtype_in(0,1,divisible)", "precise_only(0)"),
        ),
    ),
    _op("tensor.fmod", "Floating-point remainder of two tensors.", _PAIR, _BINARY),
    _op("tensor.part_add", "Adds where both tensors are valid, copies where only one is.", _PAIR, _BINARY_FULL),
    _op("tensor.part_mul", "Multiplies where both tensors are valid, copies otherwise.", _PAIR, _BINARY_FULL),
    _op("tensor.part_max", "Takes the larger where both tensors are valid, copies otherwise.", _PAIR, _BINARY_FULL),
    _op("tensor.part_min", "Takes the smaller where both tensors are valid, copies otherwise.", _PAIR, _BINARY_FULL),
    _op("tensor.adds", "Adds a scalar to every element.", _WITH_SCALAR, _SCALAR),
    _op(
        "tensor.subs",
        "Subtracts a scalar from every element.",
        _WITH_SCALAR,
        Typing(
            kind="tensor",
            valid="plain_valid(0)",
            checks=("tensor(0)", "scalar(1)", "dtype_in(0,1,subtractable)"),
        ),
    ),
    _op("tensor.muls", "Multiplies every element by a scalar.", _WITH_SCALAR, _SCALAR),
    _op("tensor.divs", "Divides every element by a scalar.", _WITH_SCALAR, _SCALAR),
    _op("tensor.fmods", "Floating-point remainder of every element by a scalar.", _WITH_SCALAR, _SCALAR),
    _op(
        "tensor.maximum",
        "Takes the larger element of two tensors, or of a tensor and a scalar.",
        _EITHER,
        Typing(kind="tensor", whole="tensor_or_scalar", checks=("tensor(0)",)),
    ),
    _op(
        "tensor.minimum",
        "Takes the smaller element of two tensors, or of a tensor and a scalar.",
        _EITHER,
        Typing(kind="tensor", whole="tensor_or_scalar", checks=("tensor(0)",)),
    ),
    _op(
        "tensor.cmp",
        "Compares two tensors, or a tensor and a scalar, into zeros and ones.",
        "lhs: tensor, rhs: scalar(lhs,float), cmp_type: @int = 0",
        Typing(kind="tensor", whole="compared", checks=("tensor(0)",)),
        notes="Unlike the tile op the result holds 0 and 1 in the operands' dtype.",
    ),
    _op("tensor.and", "Bitwise and of two integer tensors.", _PAIR, _BITS),
    _op("tensor.or", "Bitwise or of two integer tensors.", _PAIR, _BITS),
    _op("tensor.xor", "Bitwise exclusive or of two integer tensors.", _PAIR, _BITS_FULL),
    _op("tensor.shl", "Shifts the elements of an integer tensor to the left.", _PAIR, _SHIFT),
    _op("tensor.shr", "Shifts the elements of an integer tensor to the right.", _PAIR, _SHIFT),
    _op("tensor.ands", "Bitwise and of every element with a scalar.", _WITH_BITS, _BITS_SCALAR),
    _op("tensor.ors", "Bitwise or of every element with a scalar.", _WITH_BITS, _BITS_SCALAR),
    _op(
        "tensor.xors",
        "Bitwise exclusive or of every element with a scalar.",
        _WITH_BITS,
        Typing(kind="tensor", valid="full", checks=("tensor(0)", "scalar(1)", "int(0,1)")),
    ),
    _op("tensor.shls", "Shifts every element to the left by a scalar.", _WITH_BITS, _SHIFT_SCALAR),
    _op("tensor.shrs", "Shifts every element to the right by a scalar.", _WITH_BITS, _SHIFT_SCALAR),
    _op(
        "tensor.not",
        "Bitwise complement.",
        _ONE,
        Typing(kind="tensor", checks=("tensor(0)", "dtype_in(0,bits16)")),
    ),
    _op("tensor.neg", "Changes the sign of every element.", _ONE, _UNARY),
    _op("tensor.abs", "Absolute value of every element.", _ONE, _UNARY),
    _op(
        "tensor.recip",
        "Reciprocal of every element.",
        _PRECISE,
        Typing(kind="tensor", dtype="float_of(0)", checks=("tensor(0)", "precise_only(0,half_or_single)")),
    ),
    _op("tensor.exp", "Exponential of every element.", _ONE, _UNARY_FLOAT),
    _op(
        "tensor.log",
        "Natural logarithm of every element.",
        _PRECISE,
        Typing(kind="tensor", checks=("tensor(0)", "dtype_in(0,half_or_single)")),
    ),
    _op(
        "tensor.sin",
        "Sine of every element, in radians.",
        _ONE,
        Typing(kind="tensor", checks=("tensor(0)", "dtype_in(0,single)")),
    ),
    _op(
        "tensor.cos",
        "Cosine of every element, in radians.",
        _ONE,
        Typing(kind="tensor", checks=("tensor(0)", "dtype_in(0,single)")),
    ),
    _op("tensor.sqrt", "Square root of every element.", _ONE, _UNARY_FLOAT),
    _op("tensor.rsqrt", "Reciprocal square root of every element.", _PRECISE, _UNARY_FLOAT),
    _op(
        "tensor.cast",
        "Converts every element to another dtype.",
        "input: tensor, target_type: @dtype, mode: @cast_mode = round",
        Typing(
            kind="tensor",
            dtype="attr(target_type)",
            checks=("tensor(0)", "changes_dtype(0,target_type)", "attr_present(mode)"),
        ),
    ),
)

_ROW_ARGS = "tensor: tensor, row_vec: tensor"
_COLUMN_ARGS = "tensor: tensor, col_vec: tensor"

EXPANDS = (
    _op(
        "tensor.row_expand",
        "Repeats a column vector along the rows of a target.",
        "target: tensor, row_vec: tensor",
        _ROW_VECTOR,
    ),
    _op("tensor.row_expand_mul", "Multiplies every row by its element of a column vector.", _ROW_ARGS, _ROW_VECTOR),
    _op("tensor.row_expand_div", "Divides every row by its element of a column vector.", _ROW_ARGS, _ROW_VECTOR),
    _op(
        "tensor.row_expand_add",
        "Adds to every row its element of a column vector.",
        _ROW_ARGS,
        Typing(
            kind="tensor",
            dtype="promote(0,1)",
            valid="full",
            checks=(*_ROW_VECTOR.checks, "same_dtype(0,1)", "dtype_in(0,row_addable)"),
        ),
    ),
    _op("tensor.row_expand_sub", "Subtracts from every row its element of a column vector.", _ROW_ARGS, _ROW_VECTOR),
    _op("tensor.row_expand_max", "Larger of every row and its element of a column vector.", _ROW_ARGS, _ROW_VECTOR),
    _op("tensor.row_expand_min", "Smaller of every row and its element of a column vector.", _ROW_ARGS, _ROW_VECTOR),
    _op(
        "tensor.row_expand_expdif",
        "Exponential of every row minus its element of a column vector.",
        _ROW_ARGS,
        _ROW_VECTOR,
    ),
    _op("tensor.col_expand", "Repeats a row vector down the columns of a tensor.", _COLUMN_ARGS, _COLUMN_VECTOR),
    _op(
        "tensor.col_expand_mul", "Multiplies every column by its element of a row vector.", _COLUMN_ARGS, _COLUMN_VECTOR
    ),
    _op("tensor.col_expand_add", "Adds to every column its element of a row vector.", _COLUMN_ARGS, _COLUMN_VECTOR),
    _op(
        "tensor.col_expand_sub",
        "Subtracts from every column its element of a row vector.",
        _COLUMN_ARGS,
        _COLUMN_VECTOR,
    ),
    _op("tensor.col_expand_div", "Divides every column by its element of a row vector.", _COLUMN_ARGS, _COLUMN_VECTOR),
    _op(
        "tensor.col_expand_max", "Larger of every column and its element of a row vector.", _COLUMN_ARGS, _COLUMN_VECTOR
    ),
    _op(
        "tensor.col_expand_min",
        "Smaller of every column and its element of a row vector.",
        _COLUMN_ARGS,
        _COLUMN_VECTOR,
    ),
    _op(
        "tensor.col_expand_expdif",
        "Exponential of every column minus its element of a row vector.",
        _COLUMN_ARGS,
        _COLUMN_VECTOR,
    ),
    _op(
        "tensor.expands",
        "Fills the shape of a target with a scalar.",
        "target: tensor, scalar: scalar(target,float)",
        Typing(kind="tensor", valid="full", checks=("plain_tensor(0)", "scalar(1)")),
    ),
    _op(
        "tensor.expand_clone",
        "Copies a tensor to a larger shape along one axis of extent 1.",
        "src: tensor, target: tensor",
        Typing(kind="tensor", whole="expanded_clone"),
    ),
)


def _reduction(whole: str, *checks: str) -> Typing:
    return Typing(kind="tensor", whole=whole, checks=("plain_tensor(0)", *checks))


REDUCTIONS = (
    _op("tensor.row_sum", "Sums every row.", _ONE, _reduction("reduced_rows")),
    _op("tensor.row_max", "Largest element of every row.", _ONE, _reduction("reduced_rows")),
    _op("tensor.row_min", "Smallest element of every row.", _ONE, _reduction("reduced_rows", "dtype_in(0,divisible)")),
    _op("tensor.row_prod", "Product of every row.", _ONE, _reduction("reduced_rows")),
    _op("tensor.row_argmax", "Column of the largest element of every row.", _ONE, _reduction("row_indices")),
    _op("tensor.row_argmin", "Column of the smallest element of every row.", _ONE, _reduction("row_indices")),
    _op("tensor.col_sum", "Sums every column.", _ONE, _reduction("reduced_columns", "min_rank(0,2)")),
    _op("tensor.col_max", "Largest element of every column.", _ONE, _reduction("reduced_columns", "min_rank(0,2)")),
    _op("tensor.col_min", "Smallest element of every column.", _ONE, _reduction("reduced_columns", "min_rank(0,2)")),
    _op("tensor.col_prod", "Product of every column.", _ONE, _reduction("reduced_columns", "min_rank(0,2)")),
    _op(
        "tensor.col_argmax",
        "Row of the largest element of every column.",
        _ONE,
        _reduction("column_indices", "min_rank(0,2)"),
    ),
    _op(
        "tensor.col_argmin",
        "Row of the smallest element of every column.",
        _ONE,
        _reduction("column_indices", "min_rank(0,2)"),
    ),
)

TENSOR_ELEMENTWISE = ELEMENTWISE + EXPANDS + REDUCTIONS
