"""Tile ops that work element by element on the vector unit.

Source of the facts: the op registry and deducers of hw-native-sys/pypto (2026-08-21), `facts/tile_ops.json`.
"""

from __future__ import annotations

from functools import partial

from pto_analysis.ops.spec import Typing
from pto_analysis.ops.table.row import reuse, row

_PAIR = "lhs: tile, rhs: tile"
_SOURCES = "src0: tile, src1: tile"
_WITH_SCALAR = "lhs: tile, rhs: scalar(lhs)"
_TRIPLE = "lhs: tile, rhs: tile, rhs2: tile"
_WITH_TMP = "lhs: tile, rhs: tile, tmp: tile"
_ONE = "tile: tile"

_BINARY = Typing(dtype="promote(0,1)", shape="broadcast(0,1)", checks=("tile(0,1)", "broadcastable(0,1)"))
_BINARY_INT = Typing(dtype="promote(0,1)", shape="broadcast(0,1)", checks=("tile(0,1)", "int(0,1)"))
_BINARY_TMP = Typing(dtype="promote(0,1)", shape="broadcast(0,1)", checks=("tile(0,1,2)",))
_BINARY_INT_TMP = Typing(dtype="promote(0,1)", shape="broadcast(0,1)", checks=("tile(0,1,2)", "int(0,1)"))
_SHIFT = Typing(shape="broadcast(0,1)", checks=("tile(0,1)", "int(0,1)"))
_TERNARY = Typing(dtype="promote(0,1,2)", shape="broadcast(0,1,2)", checks=("tile(0,1,2)",))
_TILE_SCALAR_TILE = Typing(dtype="promote(0,1,2)", shape="broadcast(0,2)", checks=("tile(0)", "scalar(1)", "tile(2)"))
_TILE_SCALAR = Typing(checks=("tile(0)", "scalar(1)"))
_TILE_INT_SCALAR = Typing(checks=("tile(0)", "scalar(1)", "int(0,1)"))
_UNARY = Typing(checks=("tile(0)",))
_MASK = Typing(dtype="UINT8", shape="mask(0,1)", valid="mask_valid(0)", checks=("tile(0,1)", "attr_present(cmp_type)"))
_MASK_SCALAR = Typing(
    dtype="UINT8", shape="mask(0)", valid="mask_valid(0)", checks=("tile(0)", "scalar(1)", "attr_present(cmp_type)")
)
_FILLED = Typing(valid="full", layout="like_padded(0)", checks=("tile(0)",))

_one = partial(row, inputs="Vec", space="Vec")
_two = partial(row, inputs="Vec Vec", space="Vec")
_three = partial(row, inputs="Vec Vec Vec", space="Vec")
_scalar = partial(row, inputs="Vec -", space="Vec")
_scalar_third = partial(row, inputs="Vec - Vec", space="Vec")

TILE_ELEMENTWISE = (
    _two("tile.add", "Adds two tiles element by element.", _PAIR, _BINARY, pto="tadd"),
    _two("tile.sub", "Subtracts the second tile from the first.", _PAIR, _BINARY, pto="tsub"),
    _two("tile.mul", "Multiplies two tiles element by element.", _PAIR, _BINARY, pto="tmul"),
    _two("tile.maximum", "Takes the larger element of two tiles.", _PAIR, _BINARY, pto="tmax"),
    _two("tile.minimum", "Takes the smaller element of two tiles.", _PAIR, _BINARY, pto="tmin"),
    _two(
        "tile.part_add",
        "Adds where both tiles are valid, copies where only one is.",
        _SOURCES,
        _BINARY,
        access="unknown",
        pto="tpartadd",
    ),
    _two(
        "tile.part_mul",
        "Multiplies where both tiles are valid, copies where only one is.",
        _SOURCES,
        _BINARY,
        access="unknown",
        pto="tpartmul",
    ),
    _two(
        "tile.part_max",
        "Takes the larger where both tiles are valid, copies where only one is.",
        _SOURCES,
        _BINARY,
        access="unknown",
        pto="tpartmax",
    ),
    _two(
        "tile.part_min",
        "Takes the smaller where both tiles are valid, copies where only one is.",
        _SOURCES,
        _BINARY,
        access="unknown",
        pto="tpartmin",
    ),
    _two(
        "tile.fmod",
        "Floating-point remainder of two tiles.",
        _PAIR,
        _BINARY,
        inplace_safe=False,
        pto="tfmod",
    ),
    _two("tile.and", "Bitwise and of two integer tiles.", _PAIR, _BINARY_INT, pto="tand"),
    _two("tile.or", "Bitwise or of two integer tiles.", _PAIR, _BINARY_INT, pto="tor"),
    _two(
        "tile.div",
        "Divides two tiles of equal shape and valid region.",
        "lhs: tile, rhs: tile, high_precision: @bool? = False",
        Typing(
            checks=(
                "tile(0,1)",
                "same_dtype(0,1)",
                "dtype_in(0,divisible)",
                "same_rank(0,1)",
                "proven_same_shape(0,1)",
                "proven_same_valid(0,1)",
                "precise_only(0)",
            )
        ),
        pto="tdiv",
    ),
    _two("tile.shl", "Shifts the elements of an integer tile to the left.", _PAIR, _SHIFT, pto="tshl"),
    _two("tile.shr", "Shifts the elements of an integer tile to the right.", _PAIR, _SHIFT, pto="tshr"),
    _scalar("tile.adds", "Adds a scalar to every element.", _WITH_SCALAR, _TILE_SCALAR, pto="tadds"),
    _scalar(
        "tile.subs",
        "Subtracts a scalar from every element.",
        _WITH_SCALAR,
        Typing(checks=("tile(0)", "scalar(1)", "dtype_in(0,1,subtractable)")),
        pto="tsubs",
    ),
    _scalar("tile.muls", "Multiplies every element by a scalar.", _WITH_SCALAR, _TILE_SCALAR, pto="tmuls"),
    _scalar("tile.divs", "Divides every element by a scalar.", _WITH_SCALAR, _TILE_SCALAR, pto="tdivs"),
    _scalar(
        "tile.fmods",
        "Floating-point remainder of every element by a scalar.",
        _WITH_SCALAR,
        _TILE_SCALAR,
        inplace_safe=False,
        pto="tfmods",
    ),
    _scalar(
        "tile.maximums", "Takes the larger of every element and a scalar.", _WITH_SCALAR, _TILE_SCALAR, pto="tmaxs"
    ),
    _scalar(
        "tile.minimums", "Takes the smaller of every element and a scalar.", _WITH_SCALAR, _TILE_SCALAR, pto="tmins"
    ),
    _scalar(
        "tile.lrelu",
        "Leaky ReLU: negative elements are multiplied by a scalar slope.",
        "tile: tile, slope: float32",
        _TILE_SCALAR,
        pto="tlrelu",
    ),
    _scalar("tile.shls", "Shifts every element to the left by a scalar.", _WITH_SCALAR, _TILE_INT_SCALAR, pto="tshls"),
    _scalar("tile.shrs", "Shifts every element to the right by a scalar.", _WITH_SCALAR, _TILE_INT_SCALAR, pto="tshrs"),
    _scalar(
        "tile.ands",
        "Bitwise and of every element with a scalar.",
        _WITH_SCALAR,
        _TILE_INT_SCALAR,
        inplace_safe=False,
        pto="tands",
    ),
    _scalar(
        "tile.ors",
        "Bitwise or of every element with a scalar.",
        _WITH_SCALAR,
        _TILE_INT_SCALAR,
        inplace_safe=False,
        pto="tors",
    ),
    _scalar_third(
        "tile.xors",
        "Bitwise exclusive or of every element with a scalar; needs scratch.",
        "lhs: tile, rhs: scalar(lhs), tmp: tile",
        Typing(checks=("tile(0)", "scalar(1)", "int(0,1)", "tile(2)")),
        inplace_safe=False,
        access="unknown",
        pto="txors",
    ),
    _three("tile.rem", "Remainder of two tiles; needs scratch.", _WITH_TMP, _BINARY_TMP, access="unknown", pto="trem"),
    _three(
        "tile.xor",
        "Bitwise exclusive or of two integer tiles; needs scratch.",
        _WITH_TMP,
        _BINARY_INT_TMP,
        access="unknown",
        pto="txor",
    ),
    _scalar_third(
        "tile.rems",
        "Remainder of every element by a scalar; needs scratch.",
        "lhs: tile, rhs: scalar(lhs), tmp: tile",
        _TILE_SCALAR_TILE,
        access="unknown",
        pto="trems",
        notes="The scratch tile takes part in promotion and broadcasting.",
    ),
    _scalar_third(
        "tile.addsc",
        "Adds a scalar and a second tile.",
        "lhs: tile, rhs: scalar(lhs), rhs2: tile",
        _TILE_SCALAR_TILE,
        pto="taddsc",
    ),
    _scalar_third(
        "tile.subsc",
        "Subtracts a scalar and a second tile.",
        "lhs: tile, rhs: scalar(lhs), rhs2: tile",
        _TILE_SCALAR_TILE,
        pto="tsubsc",
    ),
    _three("tile.addc", "Adds three tiles.", _TRIPLE, _TERNARY, pto="taddc"),
    _three("tile.subc", "Subtracts two tiles from the first.", _TRIPLE, _TERNARY, pto="tsubc"),
    _three(
        "tile.prelu",
        "ReLU with a slope for every element; needs scratch.",
        "tile: tile, slope: tile, tmp: tile",
        Typing(
            checks=(
                "tile(0,1,2)",
                "dtype_in(0,half_or_single)",
                "same_dtype(0,1)",
                "rank(0,2)",
                "proven_same_shape(0,1)",
                "proven_same_valid(0,1)",
                "rank(2,2)",
            )
        ),
        inplace_safe=False,
        access="unknown",
        pto="tprelu",
    ),
    row(
        "tile.sel",
        "Selects from two tiles by a packed mask; needs scratch.",
        "mask: tile, lhs: tile, rhs: tile, tmp: tile",
        Typing(
            dtype="promote(1,2)", shape="broadcast(1,2)", valid="valid(1)", layout="like(1)", checks=("tile(0,1,2,3)",)
        ),
        inputs="Vec Vec Vec Vec",
        space="Vec",
        forbid_output_alias=(0, 3),
        access="unknown",
        pto="tsel",
        notes="The mask comes from cmp or cmps; the scratch is UINT8 [1, 32] by convention.",
    ),
    row(
        "tile.sels",
        "Selects from a tile and a scalar by a packed mask; needs scratch.",
        "mask: tile, src: tile, tmp: tile, scalar: scalar(src,signed)",
        Typing(
            dtype="dtype(1)",
            shape="shape(1)",
            valid="valid(1)",
            layout="like(1)",
            checks=(
                "tile(0,1,2)",
                "scalar(3)",
                "rank(0,2)",
                "dtype_in(0,mask)",
                "rank(1,2)",
                "dtype_in(1,selectable)",
                "rank(2,2)",
                "select_scalar(1,3)",
                "mask_covers(0,1)",
            ),
        ),
        inputs="Vec Vec Vec -",
        space="Vec",
        forbid_output_alias=(0,),
        pto="tsels",
    ),
    _two(
        "tile.cmp",
        "Compares two tiles into a packed mask of bits.",
        "lhs: tile, rhs: tile, cmp_type: @int = 0",
        _MASK,
        pto="tcmp",
        notes="cmp_type: 0 equal, 1 not equal, 2 less, 3 less or equal, 4 greater, 5 greater or equal.",
    ),
    _scalar(
        "tile.cmps",
        "Compares every element with a scalar into a packed mask of bits.",
        "lhs: tile, rhs: scalar(lhs), cmp_type: @int = 0",
        _MASK_SCALAR,
        pto="tcmps",
    ),
    _one(
        "tile.fillpad",
        "Copies a tile and fills what is not valid with a pad value.",
        "tile: tile, pad_value: @pad = zero",
        _FILLED,
        space="inherit(Vec)",
        access="unknown",
        pto="tfillpad",
    ),
    _one(
        "tile.fillpad_inplace",
        "Fills what is not valid of a tile, in its own buffer.",
        "tile: tile, pad_value: @pad = zero",
        _FILLED,
        space="inherit(Vec)",
        storage=reuse(0),
        effects={0: "RW"},
        access="unknown",
        pto="tfillpad",
    ),
    _one(
        "tile.fillpad_expand",
        "Copies a tile into a larger one and fills the rest with a pad value.",
        "tile: tile, shape: shape, pad_value: @pad = zero",
        Typing(
            shape="literal(1)",
            valid="full",
            layout="like_padded(0)",
            checks=("tile(0)", "grows(0,1)"),
        ),
        space="inherit(Vec)",
        inplace_safe=False,
        pto="tfillpad_expand",
    ),
    _one("tile.neg", "Changes the sign of every element.", _ONE, _UNARY, pto="tneg"),
    _one("tile.exp", "Exponential of every element.", _ONE, _UNARY, pto="texp"),
    _one("tile.sqrt", "Square root of every element.", _ONE, _UNARY, pto="tsqrt"),
    _one("tile.abs", "Absolute value of every element.", _ONE, _UNARY, pto="tabs"),
    _one("tile.relu", "Replaces negative elements by zero.", _ONE, _UNARY, pto="trelu"),
    _one(
        "tile.log",
        "Natural logarithm of every element.",
        "tile: tile, high_precision: @bool? = False",
        Typing(checks=("tile(0)", "dtype_in(0,half_or_single)")),
        pto="tlog",
    ),
    _one(
        "tile.recip",
        "Reciprocal of every element.",
        "tile: tile, high_precision: @bool? = False",
        Typing(checks=("tile(0)", "precise_only(0,half_or_single)")),
        inplace_safe=False,
        pto="trecip",
    ),
    _one(
        "tile.sin",
        "Sine of every element, in radians.",
        _ONE,
        Typing(checks=("tile(0)", "dtype_in(0,single)")),
        pto="",
        notes="Expanded into several ops with temporaries.",
    ),
    _one(
        "tile.cos",
        "Cosine of every element, in radians.",
        _ONE,
        Typing(checks=("tile(0)", "dtype_in(0,single)")),
        pto="",
        notes="Expanded into several ops with temporaries.",
    ),
    _one("tile.not", "Bitwise complement.", _ONE, Typing(checks=("tile(0)", "dtype_in(0,bits16)")), pto="tnot"),
    _two(
        "tile.rsqrt",
        "Reciprocal square root; a scratch tile selects the precise form.",
        "tile: tile, tmp: tile = None",
        Typing(checks=("tile(0)", "optional_scratch_like(1,0)")),
        inplace_safe=False,
        access="unknown",
        pto="trsqrt",
    ),
    _one(
        "tile.cast",
        "Converts every element to another dtype.",
        "tile: tile, target_type: @dtype, mode: @cast_mode = round",
        Typing(dtype="attr(target_type)", checks=("tile(0)", "attr_present(mode)", "changes_dtype(0,target_type)")),
        pto="tcvt",
        notes="A pair that the target cannot convert in one step becomes a chain of casts.",
    ),
)
