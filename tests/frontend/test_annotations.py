"""Type annotations in every form, and their agreement with values (reference: DSL section b)."""

from __future__ import annotations

import pytest

from pto_analysis.frontend.issues import IssueKind
from pto_analysis.ir.function import Direction
from pto_analysis.ir.spelling import type_text
from pto_analysis.ir.types import MemRef, ScalarType, TensorType, TileType, TupleType, UnknownType
from tests.frontend.reader import function, issues, kernels, read, read_body, type_named

MODULE = """\
import pypto.language as pl
import pypto.language.distributed as pld
from pypto.language import FP16, Mem
M, N = 16, 64
SHAPE = [M, N]
DT = pl.BF16
D = pl.dynamic("D")
STRIDED = pl.TensorView(stride=[128, 1], layout=pl.TensorLayout.ND)
RING = pl.MemRef(slots=2)
"""


def parameter(annotation: str, form: str = "@pl.function(type=pl.FunctionType.InCore)") -> tuple[object, Direction]:
    facts = read(f"{MODULE}\n{form}\ndef k(a: {annotation}):\n    return a\n")
    assert [issue.message for issue in issues(facts)] == []
    param = function(facts, "k").params[0]
    return param.var.type, param.direction


@pytest.mark.parametrize(
    ("annotation", "text"),
    [
        ("pl.Tensor[[16, 64], pl.FP32]", "pl.Tensor[[16, 64], pl.FP32]"),
        ("pl.Tensor[(16, 64), FP16]", "pl.Tensor[[16, 64], pl.FP16]"),
        ("pl.Tensor[[M, N // 2], DT]", "pl.Tensor[[16, 32], pl.BF16]"),
        ("pl.Tensor[SHAPE, DT]", "pl.Tensor[[16, 64], pl.BF16]"),
        ("pl.Tensor[[D, max(M, 8)], pl.FP32]", "pl.Tensor[[D, 16], pl.FP32]"),
        ("pl.Tensor[[D * 2, 8], pl.FP32]", "pl.Tensor[[D * 2, 8], pl.FP32]"),
        ("pl.Tensor[[pl.const(32, pl.INT64), 8], pl.FP32]", "pl.Tensor[[32, 8], pl.FP32]"),
        ("pl.Tensor([16, 64], pl.FP32)", "pl.Tensor[[16, 64], pl.FP32]"),
        ("pl.Tensor[[16, 64], pl.FP32, pl.ND]", "pl.Tensor[[16, 64], pl.FP32]"),
        (
            "pl.Tensor[[16, 64], pl.FP32, pl.NZ]",
            "pl.Tensor[[16, 64], pl.FP32, pl.TensorView(layout=pl.TensorLayout.NZ)]",
        ),
        (
            "pl.Tensor[[16, 64], pl.FP32, pl.TensorView(stride=[1, 16], layout=pl.TensorLayout.DN)]",
            "pl.Tensor[[16, 64], pl.FP32, pl.TensorView(stride=[1, 16], layout=pl.TensorLayout.DN)]",
        ),
        (
            "pl.Tensor[[16, 64], pl.FP32, pl.MemRef('ddr', 0, 4096)]",
            'pl.Tensor[[16, 64], pl.FP32, pl.MemRef("ddr", pl.const(0, pl.INT64), 4096)]',
        ),
        ("pld.DistributedTensor[[16, 64], pl.FP32]", "pld.DistributedTensor[[16, 64], pl.FP32]"),
        ("pl.Tile[[16, 64], pl.FP32]", "pl.Tile[[16, 64], pl.FP32]"),
        ("pl.Tile[[16, 64], pl.FP32, pl.MemorySpace.Acc]", "pl.Tile[[16, 64], pl.FP32, pl.Mem.Acc]"),
        ("pl.Tile[[16, 64], pl.FP32, Mem.Vec]", "pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec]"),
        (
            "pl.Tile[[16, 64], pl.FP32, pl.TileView(valid_shape=[16, 40]), pl.Mem.Vec]",
            "pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec, pl.TileView(valid_shape=[16, 40])]",
        ),
        ("pl.Tile[[16, 64], pl.FP32, pl.Mem.Acc, pl.TileView(fractal=1024)]", "pl.Tile[[16, 64], pl.FP32, pl.Mem.Acc]"),
        ("pl.Scalar[pl.INT32]", "pl.Scalar[pl.INT32]"),
        ("pl.TaskId", "pl.TaskId"),
    ],
)
def test_parameter_types(annotation: str, text: str) -> None:
    type_, direction = parameter(annotation)
    assert isinstance(type_, (TensorType, TileType, ScalarType))
    assert type_text(type_) == text
    assert direction is Direction.IN


@pytest.mark.parametrize(("wrapper", "direction"), [("Out", Direction.OUT), ("InOut", Direction.INOUT)])
def test_directions(wrapper: str, direction: Direction) -> None:
    assert parameter(f"pl.{wrapper}[pl.Tensor[[16, 64], pl.FP32]]")[1] is direction


def test_bare_types_of_jit_code() -> None:
    assert isinstance(parameter("pl.Tensor", "@pl.jit")[0], UnknownType)
    scalar, _ = parameter("pl.FP32", "@pl.jit")
    assert isinstance(scalar, ScalarType)


@pytest.mark.parametrize(
    ("memref", "expected"),
    [
        ("pl.MemRef()", MemRef()),
        ("pl.MemRef('ring', slots=3)", MemRef("ring", slots=3)),
        ("pl.MemRef('ring', slots=3)[1]", MemRef("ring", slots=3, slot=1)),
        ("pl.MemRef(mem_vec_0, 64, 1024)", MemRef("mem_vec_0", 64, 1024)),
        ("pl.MemRef('mem_vec_0', -1, 1024)", MemRef("mem_vec_0", -1, 1024)),
        ("pl.MemRef(128, 1024, 3)", MemRef("mem_3", 128, 1024)),
        ("RING", MemRef("RING", slots=2)),
        ("RING[1]", MemRef("RING", slots=2, slot=1)),
    ],
)
def test_buffers(memref: str, expected: MemRef) -> None:
    type_, _ = parameter(f"pl.Tile[[16, 64], pl.FP32, {memref}, pl.Mem.Vec]")
    assert isinstance(type_, TileType)
    assert type_.memref is not None
    found = type_.memref
    assert (found.base, found.byte_offset, found.size) == (expected.base, expected.byte_offset, expected.size)
    assert (found.slots, found.slot) == (expected.slots, expected.slot)


def test_a_slot_may_turn_with_a_loop() -> None:
    facts = read_body(
        "for k in pl.range(4):\n"
        "    b: pl.Tile[[8, 64], pl.FP32, pl.MemRef('ring', slots=3)[k % 3], pl.Mem.Vec] = "
        "pl.load(x, [k, 0], [8, 64])\n"
    )
    assert [issue.message for issue in facts.issues] == []
    type_ = type_named(facts, "b")
    assert type_text(type_) == 'pl.Tile[[8, 64], pl.FP32, pl.MemRef("ring", slots=3)[k % 3], pl.Mem.Vec]'


@pytest.mark.parametrize(
    "annotation",
    [
        "pl.Tensor[[16, 64], pl.FP32, pl.DN]",
        "pl.Tile[[16, 64], pl.FP32, pl.MemRef('m')]",
        "pl.Tile[[16, 64], pl.FP32, pl.NZ]",
        "pl.InOut[pl.Scalar[pl.FP32]]",
        "pl.Tuple[pl.Scalar[pl.FP32], pl.Scalar[pl.FP32]]",
        "pl.Matrix[[16, 64], pl.FP32]",
        "pl.Tensor",
        "pl.Scalar",
        "([16, 64], pl.FP32)",
    ],
)
def test_annotations_that_the_compiler_refuses(annotation: str) -> None:
    facts = read(f"{MODULE}\n@pl.function\ndef k(a: {annotation}):\n    return a\n")
    assert {issue.kind for issue in issues(facts)} == {IssueKind.ANNOTATION}


def test_a_parameter_needs_a_type() -> None:
    facts = read(f"{MODULE}\n@pl.function\ndef k(a):\n    return a\n")
    assert [issue.kind for issue in issues(facts)] == [IssueKind.ANNOTATION]


@pytest.mark.parametrize(
    ("annotation", "agrees"),
    [
        ("pl.Tile[[8, 64], pl.FP32]", True),
        ("pl.Tile[[8, 64], pl.FP32, pl.Mem.Vec]", True),
        ("pl.Tile[[8, n], pl.FP32]", True),
        ("'anything'", True),
        ("pl.Tile[[8, 32], pl.FP32]", False),
        ("pl.Tile[[8, 64], pl.FP16]", False),
        ("pl.Tile[[8, 64, 1], pl.FP32]", False),
        ("pl.Tensor[[8, 64], pl.FP32]", False),
        ("pl.Scalar[pl.FP32]", False),
    ],
)
def test_annotations_must_agree_with_the_value(annotation: str, agrees: bool) -> None:
    facts = read_body(f"t: {annotation} = pl.load(x, [0, 0], [8, 64])")
    assert [issue.kind for issue in facts.issues] == ([] if agrees else [IssueKind.ANNOTATION_MISMATCH])


def test_an_annotated_space_overrides_the_inferred_one() -> None:
    facts = read_body("t: pl.Tile[[8, 64], pl.FP32, pl.Mem.Mat] = pl.load(x, [0, 0], [8, 64])")
    type_ = type_named(facts, "t")
    assert isinstance(type_, TileType)
    assert type_.space is not None
    assert type_.space.value == "Mat"


@pytest.mark.parametrize(("annotation", "dtype"), [("pl.INDEX", "INDEX"), ("pl.INT64", "INT64"), ("pl.INT32", "INT32")])
def test_a_literal_takes_the_annotated_dtype(annotation: str, dtype: str) -> None:
    type_ = type_named(read_body(f"v: pl.Scalar[{annotation}] = 3"), "v")
    assert isinstance(type_, ScalarType)
    assert type_.dtype.name == dtype


def test_results_are_declared_or_follow_from_the_return() -> None:
    facts = read(
        f"{MODULE}\n"
        "@pl.function\n"
        "def a(x: pl.Tensor[[M, N], DT]) -> tuple[pl.Tensor[[M, N], DT], pl.Scalar[pl.INT32]]:\n    return x, 1\n"
        "@pl.function\ndef b(x: pl.Tensor[[M, N], DT]) -> pl.Tensor[[M, N], DT]:\n    return x\n"
        "@pl.jit\ndef c(x: pl.Tensor[[M, N], DT]):\n    return x\n"
        "@pl.jit\ndef d(x: pl.Tensor[[M, N], DT]) -> None:\n    y = x\n"
    )
    tensor = function(facts, "c").params[0].var.type
    assert [len(kernel.function.returns) for kernel in kernels(facts)] == [2, 1, 1, 0]
    assert function(facts, "c").returns == (tensor,)
    assert not any(isinstance(type_, TupleType) for type_ in function(facts, "a").returns)
