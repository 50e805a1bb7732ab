"""How the arguments of a DSL call become the operands and attributes of an IR call."""

from __future__ import annotations

import pytest

from pto_analysis.ir.dtypes import DTYPES, FP32, INDEX
from pto_analysis.ir.expr import Const, Expr, Tuple, Var
from pto_analysis.ir.types import Atomic, Pad, ScalarType, Space, UnknownType
from pto_analysis.ops import Bound, Refusal, ScalarCall, resolve
from tests.ops.notation import read_type

N = Var("n", ScalarType(INDEX))
I32 = Var("i", ScalarType(DTYPES["INT32"]))


def var(text: str) -> Var:
    return Var("v", read_type(text))


TILE = var("Vec FP16 [8, 16]")
INTS = var("Vec INT32 [8, 16]")
TENSOR = var("GM FP16 [64, 128]")


def index(value: int) -> Const:
    return Const(value, INDEX)


def bound(spelling: str, *positional: object, **keywords: object) -> Bound:
    result = resolve(spelling, positional, keywords)
    assert isinstance(result, Bound), result
    return result


def refused(spelling: str, *positional: object, **keywords: object) -> Refusal:
    result = resolve(spelling, positional, keywords)
    assert isinstance(result, Refusal), result
    return result


def numbers(expr: Expr) -> list[object]:
    assert isinstance(expr, Tuple)
    return [item.value if isinstance(item, Const) else item for item in expr.items]


class TestLoad:
    def test_valid_shape_is_the_window_unless_given(self) -> None:
        call = bound("load", TENSOR, [0, 0], [16, 32])
        assert call.op == "tile.load"
        assert [numbers(arg) for arg in call.args[1:]] == [[0, 0], [16, 32], [16, 32]]
        assert call.attrs == {"target_memory": Space.VEC}
        assert numbers(bound("load", TENSOR, [0, 0], [16, 32], [N, 32]).args[3]) == [N, 32]

    def test_defaults_that_are_not_printed_are_not_attributes(self) -> None:
        assert "clamp" not in bound("load", TENSOR, [0, 0], [16, 32], clamp=False).attrs
        assert bound("load", TENSOR, [0, 0], [16, 32], clamp=True).attrs["clamp"] is True

    def test_keywords_in_any_order(self) -> None:
        call = bound("load", shapes=[16, 32], tensor=TENSOR, target_memory=Space.MAT, offsets=[0, 0])
        assert call.args[0] is TENSOR
        assert list(call.attrs) == ["target_memory"]


class TestSlice:
    def test_optional_operands_at_the_end_are_left_out(self) -> None:
        assert len(bound("tile.slice", TILE, [8, 8], [0, 0]).args) == 3
        assert len(bound("tile.slice", TILE, [8, 8], [0, 0], [N, 8]).args) == 4
        assert len(bound("tile.slice", TILE, [8, 8], [0, 0], None, None).args) == 3

    def test_a_gap_before_dropped_axes_is_an_empty_valid_shape(self) -> None:
        call = bound("tile.slice", TILE, [1, 16], [0, 0], drop_dims=[0])
        assert [numbers(arg) for arg in call.args[1:]] == [[1, 16], [0, 0], [], [0]]

    def test_pad_value_takes_numbers_too(self) -> None:
        assert bound("slice", TILE, [8, 8], [0, 0], pad_value=0).attrs["pad_value"] is Pad.ZERO
        assert bound("slice", TILE, [8, 8], [0, 0], pad_value=float("-inf")).attrs["pad_value"] is Pad.MIN
        assert refused("slice", TILE, [8, 8], [0, 0], pad_value=3).kind == "attribute"


class TestScalars:
    """A number takes the dtype of the tile it meets; a positional float literal stays FP32."""

    @pytest.mark.parametrize(
        ("operand", "value", "expected"),
        [
            (TILE, index(2), Const(2.0, DTYPES["FP16"])),
            (INTS, index(2), Const(2, DTYPES["INT32"])),
            (TILE, Const(2.5, FP32), Const(2.5, FP32)),
            (TILE, I32, I32),
        ],
    )
    def test_positional(self, operand: Var, value: Expr, expected: Expr) -> None:
        assert bound("tile.muls", operand, value).args[1] == expected

    def test_keyword_numbers_are_retyped(self) -> None:
        assert bound("tile.muls", TILE, rhs=2.5).args[1] == Const(2.5, DTYPES["FP16"])
        assert bound("tile.muls", INTS, rhs=2).args[1] == Const(2, DTYPES["INT32"])

    def test_index_scalars_are_refused(self) -> None:
        assert refused("tile.muls", TILE, N).kind == "dtype"
        assert refused("mul", TILE, N).kind == "dtype"

    def test_unknown_scalars_are_not(self) -> None:
        unknown = Var("u", UnknownType())
        assert bound("tile.muls", TILE, unknown).args[1] is unknown

    def test_select_takes_the_signed_bits(self) -> None:
        mask, words = var("Vec UINT8 [8, 32]"), var("Vec UINT16 [8, 16]")
        call = bound("sels", mask, words, mask, index(65535))
        assert call.args[3] == Const(-1, DTYPES["INT16"])

    def test_generators(self) -> None:
        assert bound("tile.ci", index(3), [1, 32], dtype=DTYPES["INT16"]).args[0] == Const(3, DTYPES["INT16"])
        assert bound("tile.full", [8, 16], FP32, index(1)).args[1] == Const(1, FP32)
        assert bound("tile.tri", index(1), [8, 8]).args[0] == Const(1, DTYPES["INT32"])


class TestAttributes:
    def test_modes_by_name_or_number(self) -> None:
        assert bound("tile.cast", TILE, FP32).attrs == {"target_type": FP32, "mode": "round"}
        assert bound("tile.cast", TILE, FP32, mode=1).attrs["mode"] == "rint"
        assert refused("tile.cast", TILE, FP32, mode="upwards").keyword == "mode"

    def test_atomic_is_kept_only_when_it_adds(self) -> None:
        assert bound("store", TILE, [0, 0], TENSOR).attrs == {}
        assert bound("store", TILE, [0, 0], TENSOR, atomic=Atomic.NONE).attrs == {}
        assert bound("store", TILE, [0, 0], TENSOR, atomic=Atomic.ADD).attrs == {"atomic": Atomic.ADD}

    def test_order_is_that_of_the_signature(self) -> None:
        call = bound("tile.create", [16, 32], transpose=True, target_memory=Space.MAT, dtype=FP32)
        assert list(call.attrs) == ["dtype", "target_memory", "transpose"]

    @pytest.mark.parametrize(
        ("spelling", "arguments", "keyword"),
        [
            ("tile.move", {"tile": TILE, "target_memory": "Left"}, "target_memory"),
            ("tile.create", {"shape": [8, 8], "dtype": 3}, "dtype"),
            ("tile.cmp", {"lhs": TILE, "rhs": TILE, "cmp_type": "eq"}, "cmp_type"),
            ("tile.log", {"tile": TILE, "high_precision": 1}, "high_precision"),
            ("tile.fillpad", {"tile": TILE, "pad_value": "zero"}, "pad_value"),
        ],
    )
    def test_wrong_values(self, spelling: str, arguments: dict[str, object], keyword: str) -> None:
        refusal = refused(spelling, **arguments)
        assert (refusal.kind, refusal.keyword) == ("attribute", keyword)


class TestOptionalTensors:
    """mgather: scratch and valid_shape keep their places."""

    def test_places(self) -> None:
        rows_ = var("GM INT32 [1, 16]")
        call = bound("mgather", TENSOR, rows_, target_memory=Space.MAT, valid_shape=[8, 128])
        assert len(call.args) == 3
        scratch = var("GM FP16 [4096]")
        call = bound("mgather", TENSOR, rows_, "elem", target_memory=Space.MAT, scratch=scratch, valid_shape=[1, 16])
        assert call.args[2] is scratch
        assert numbers(call.args[3]) == [1, 16]


class TestMixedForms:
    """scatter_update takes dim, index and src in several mixes of position and keyword."""

    @pytest.mark.parametrize(
        ("positional", "keywords"),
        [
            ((TILE, -2, INTS, TILE), {}),
            ((TILE, INTS, TILE), {"dim": -2}),
            ((TILE, -2), {"index": INTS, "src": TILE}),
            ((TILE,), {"dim": -2, "index": INTS, "src": TILE}),
            ((TILE,), {"index": INTS, "src": TILE}),
        ],
    )
    def test_all_mean_the_same(self, positional: tuple[object, ...], keywords: dict[str, object]) -> None:
        call = bound("tile.scatter_update", *positional, **keywords)
        assert call.args == (TILE, INTS, TILE)
        assert call.attrs == {"dim": -2}


class TestArity:
    @pytest.mark.parametrize(
        ("spelling", "positional", "keywords", "kind", "word"),
        [
            ("tile.add", (TILE,), {}, "arity", "rhs"),
            ("tile.add", (TILE, TILE, TILE), {}, "arity", "2"),
            ("tile.add", (TILE, TILE), {"rhs": TILE}, "arity", "rhs"),
            ("tile.move", (TILE,), {"target_memry": Space.LEFT}, "keyword", "target_memory"),
            ("tile.move", (TILE,), {"xyz": Space.LEFT}, "keyword", "xyz"),
            ("tile.ad", (TILE, TILE), {}, "unknown-op", "pl.tile.add"),
        ],
    )
    def test_refusals(
        self, spelling: str, positional: tuple[object, ...], keywords: dict[str, object], kind: str, word: str
    ) -> None:
        refusal = refused(spelling, *positional, **keywords)
        assert refusal.kind == kind
        assert word in refusal.message

    def test_suggestions_are_data(self) -> None:
        assert refused("tile.move", TILE, target_memry=Space.LEFT).suggestions[0] == "target_memory"
        assert "tile.add" in refused("tile.ad", TILE, TILE).suggestions


def test_scalar_arithmetic_is_no_op() -> None:
    assert resolve("max", (N, index(4)), {}) == ScalarCall("max", (N, index(4)))
    assert resolve("add", (N, index(4)), {}) == ScalarCall("+", (N, index(4)))
    cast = resolve("cast", (N, DTYPES["INT32"]), {})
    assert isinstance(cast, ScalarCall)
    assert cast.operator == "cast"
