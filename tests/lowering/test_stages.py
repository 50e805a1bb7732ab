"""What each stage of the lowering does, on kernels of a few lines."""

from __future__ import annotations

import pytest

from pto_analysis.ir import walk
from pto_analysis.ir.expr import Var
from pto_analysis.ir.function import Direction, Function
from pto_analysis.ir.stmt import Assign, For
from pto_analysis.ir.types import Space, TileType
from pto_analysis.passes.lowering.tree import tuple_items
from pto_analysis.toolchain import Toolchain, parse_toolchain
from tests.lowering.reading import bound_calls, lower_all, operations, region

IN = "a: pl.Tensor[[16, 64], pl.FP32]"
OUT = "out: pl.Out[pl.Tensor[[16, 64], pl.FP32]]"
OLD = parse_toolchain("pypto=2026-08-21", Toolchain())


def _loops(function: Function) -> list[For]:
    return [stmt for stmt in walk.statements(function.body) if isinstance(stmt, For)]


# Preparation


def test_unroll_writes_every_turn_out() -> None:
    body = "for k in pl.unroll(3):\n    a = pl.add(a, 1.0)\nout[:, :] = a"
    function = lower_all(region(body, f"{IN}, {OUT}"))["main_incore_0"]
    assert operations(function.lowered) == ["load", "adds", "adds", "adds", "store"]


def test_too_many_turns_are_kept_and_noted() -> None:
    body = "for k in pl.unroll(5000):\n    a = pl.add(a, 1.0)\nout[:, :] = a"
    (note,) = lower_all(region(body, f"{IN}, {OUT}"))["main_incore_0"].notes
    assert note.kind == "unknown"
    assert "1024" in note.why


@pytest.mark.parametrize(
    ("loop", "kept"), [("pl.range(1)", 0), ("pl.range(2)", 1), ("pl.pipeline(0, 1, 1, stage=2)", 1)]
)
def test_a_plain_loop_of_one_turn_is_inlined(loop: str, kept: int) -> None:
    body = f"x = a\nfor k in {loop}:\n    x = pl.add(x, 1.0)\nout[:, :] = x"
    function = lower_all(region(body, f"{IN}, {OUT}"))["main_incore_0"]
    assert len(_loops(function.lowered)) == kept


def test_a_plain_loop_without_turns_leaves_a_name_for_what_it_carried() -> None:
    body = "x = pl.exp(a)\nfor k in pl.range(4, 4):\n    x = pl.add(x, 1.0)\nout[:, :] = x"
    lowered = lower_all(region(body, f"{IN}, {OUT}"))["main_incore_0"].lowered
    assert operations(lowered) == ["load", "exp", "store"]
    assert any(isinstance(stmt, Assign) and isinstance(stmt.value, Var) for stmt in walk.statements(lowered.body))


def test_a_branch_that_never_runs_is_dropped() -> None:
    body = "x = pl.exp(a)\nfor k in pl.range(4):\n    if k > 5:\n        x = pl.neg(x)\nout[:, :] = x"
    assert "neg" not in operations(lower_all(region(body, f"{IN}, {OUT}"))["main_incore_0"].lowered)


# Regions

_TWO_REGIONS = """
import pypto.language as pl


@pl.program
class P:
    @pl.function
    def main(self, b: pl.Tensor[[16, 64], pl.FP32], a: pl.Tensor[[16, 64], pl.FP32],
             out: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        with pl.at(level=pl.Level.CORE_GROUP{first}):
            x = pl.sub(a, b)
        with pl.at(level=pl.Level.CORE_GROUP{second}):
            out[:, :] = pl.exp(x)
        return out
"""


@pytest.mark.parametrize(
    ("first", "second", "names"),
    [
        ("", "", ["main_incore_0", "main_incore_1"]),
        (', name_hint="one"', "", ["one", "main_incore_1"]),
        (', name_hint="one"', ', name_hint="one"', ["one", "main_one"]),
    ],
)
def test_regions_have_the_compilers_names(first: str, second: str, names: list[str]) -> None:
    found = list(lower_all(_TWO_REGIONS.replace("{first}", first).replace("{second}", second)))
    assert found[0] == names[0]
    assert len(found) == 2
    if names[1] != "main_one":
        assert found == names


def test_parameters_come_in_order_of_first_use_and_results_leave_through_added_ones() -> None:
    first = lower_all(_TWO_REGIONS.replace("{first}", "").replace("{second}", ""))["main_incore_0"].lowered
    assert [param.var.name.split("__")[0] for param in first.params] == ["a", "b", "ret0"]
    assert [param.direction for param in first.params] == [Direction.IN, Direction.IN, Direction.OUT]
    assert operations(first)[-1] == "store"


def test_a_tensor_that_is_read_and_written_is_inout() -> None:
    body = "x = pl.add(out[0:16, :], 1.0)\nout[:, :] = x"
    (param,) = lower_all(region(body, OUT))["main_incore_0"].lowered.params
    assert param.direction is Direction.INOUT


def test_stores_and_single_elements_in_one_tensor_are_refused() -> None:
    body = "out[:, :] = pl.exp(a)\npl.write(out, [0, 0], 1.0)"
    notes = lower_all(region(body, f"{IN}, {OUT}"))["main_incore_0"].notes
    assert [note.kind for note in notes] == ["refused"]


def test_spmd_loops_are_regions_that_ask_for_their_block() -> None:
    text = """
import pypto.language as pl


@pl.program
class P:
    @pl.function
    def main(self, a: pl.Tensor[[64, 64], pl.FP32], out: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
        for i in pl.spmd(4, name_hint="rows_spmd"):
            out[i * 16 : i * 16 + 16, :] = pl.exp(a[i * 16 : i * 16 + 16, :])
        return out
"""
    assert operations(lower_all(text)["rows"].lowered) == ["get_block_idx", "load", "exp", "store"]


_RANKS = """
import pypto.language as pl
import pypto.language.distributed as pld


@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, dst: pld.DistributedTensor[[4, 8, 64], pl.FP16], src: pld.DistributedTensor[[4, 8, 64], pl.FP16],
               peer: pl.Scalar[pl.INT32]):
        pld.tensor.{call}
"""


@pytest.mark.parametrize(
    ("call", "stages"),
    [
        ("put(dst, peer=peer, src=src)", [(32, 64)]),
        ("get(dst, peer=peer, src=src)", [(32, 64)]),
        ("put(dst, peer=peer, src=src, chunk_rows=4, chunk_cols=32, pipeline=True)", [(4, 32), (4, 32)]),
    ],
)
def test_transfers_between_ranks_get_staging_tiles(call: str, stages: list[tuple[int, int]]) -> None:
    lowered = lower_all(_RANKS.replace("{call}", call))["kernel"].lowered
    created = [made.type for made in bound_calls(lowered, "tile.create")]
    assert [kind.shape for kind in created if isinstance(kind, TileType)] == stages
    assert operations(lowered)[-1] == f"pld.tile.{call[:3]}"


# After the conversion


def test_three_axes_become_two() -> None:
    params = "a: pl.Tensor[[2, 16, 64], pl.FP32], out: pl.Out[pl.Tensor[[2, 16, 64], pl.FP32]]"
    before = lower_all(region("out[:, :, :] = pl.exp(a)", params))["main_incore_0"].before
    (call,) = bound_calls(before, "tile.exp")
    assert isinstance(call.type, TileType)
    assert call.type.shape == (32, 64)
    (store,) = bound_calls(before, "tile.store")
    assert tuple_items(store.args[3]) == (2, 16, 64)


_BATCHED = (
    "p: pl.Tensor[[2, 16, 64], pl.BF16], q: pl.Tensor[[2, 64, 32], pl.BF16], "
    "out: pl.Out[pl.Tensor[[2, 16, 32], pl.FP32]]"
)


def test_a_batched_product_is_one_product_a_page() -> None:
    function = lower_all(region("out[:, :, :] = pl.matmul(p, q, out_dtype=pl.FP32)", _BATCHED))["main_incore_0"]
    assert operations(function.lowered).count("batch_matmul") == 1
    assert operations(function.before).count("matmul") == 2
    assert {tuple_items(store.args[1]) for store in bound_calls(function.before, "tile.store")} == {
        (0, 0, 0),
        (1, 0, 0),
    }


@pytest.mark.parametrize(("toolchain", "shape"), [(OLD, (32, 32)), (Toolchain(), (16, 64))])
def test_batched_accumulators_are_packed_by_rows_and_later_by_columns(
    toolchain: Toolchain, shape: tuple[int, int]
) -> None:
    body = "acc = pl.matmul(p, q, out_dtype=pl.FP32)\nacc = pl.matmul_acc(acc, p, q)\nout[:, :, :] = acc"
    before = lower_all(region(body, _BATCHED), toolchain)["main_incore_0"].before
    shapes = {call.type.shape for call in bound_calls(before, "tile.assemble") if isinstance(call.type, TileType)}
    assert shapes == {shape}


def test_a_cast_that_the_chip_cannot_do_goes_through_another_dtype() -> None:
    params = "a: pl.Tensor[[16, 64], pl.BF16], out: pl.Out[pl.Tensor[[16, 64], pl.FP16]]"
    function = lower_all(region("out[:, :] = pl.cast(a, target_type=pl.FP16)", params))["main_incore_0"]
    assert operations(function.lowered).count("cast") == 1
    assert operations(function.before).count("cast") == 2


def test_a_bare_store_of_three_axes_stores_a_tile_of_two() -> None:
    text = """\
import pypto.language as pl
@pl.program
class K:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tile[[2, 16, 64], pl.FP32], y: pl.Out[pl.Tensor[[2, 16, 64], pl.FP32]]):
        pl.store(x, [0, 0, 0], y)
        return y
"""
    assert operations(lower_all(text)["kernel"].before) == ["reshape", "store"]


def test_sine_is_computed_from_simpler_operations() -> None:
    function = lower_all(region("out[:, :] = pl.sin(a)", f"{IN}, {OUT}"))["main_incore_0"]
    assert "sin" in operations(function.lowered)
    assert "sin" not in operations(function.before)
    assert operations(function.before).count("mul") > 3


def test_a_product_that_does_not_fit_is_cut_along_k() -> None:
    params = "p: pl.Tensor[[16, 512], pl.BF16], q: pl.Tensor[[512, 256], pl.BF16], "
    params += "out: pl.Out[pl.Tensor[[16, 256], pl.FP32]]"
    before = lower_all(region("out[:, :] = pl.matmul(p, q, out_dtype=pl.FP32)", params))["main_incore_0"].before
    (loop,) = _loops(before)
    assert loop.kind == "pipeline"
    assert loop.attrs["stage"] == 2
    spaces = {call.attrs["target_memory"] for call in bound_calls(before, "tile.extract")}
    assert spaces == {Space.LEFT, Space.RIGHT}


def test_operands_are_moved_to_where_they_are_wanted() -> None:
    params = (
        "p: pl.Tensor[[16, 64], pl.BF16], q: pl.Tensor[[64, 32], pl.BF16], out: pl.Out[pl.Tensor[[16, 32], pl.FP32]]"
    )
    body = "x = pl.matmul(p, q, out_dtype=pl.FP32)\nout[:, :] = pl.exp(x)"
    placed = lower_all(region(body, params))["main_incore_0"].placed
    targets = [call.attrs["target_memory"] for call in bound_calls(placed, "tile.move")]
    assert targets == [Space.LEFT, Space.RIGHT, Space.VEC]


# What is not known


def test_bare_tensors_stop_nothing_but_themselves() -> None:
    text = """
import pypto.language as pl


@pl.jit
def main(a: pl.Tensor, out: pl.Out[pl.Tensor]):
    with pl.at(level=pl.Level.CORE_GROUP):
        y = pl.exp(a)
        z = pl.full([16, 32], dtype=pl.FP32, value=0.0)
        w = pl.neg(z)
        v = pl.add(y, w)
        out[0:16, :] = w
    return out
"""
    function = lower_all(text)["main_incore_0"]
    assert operations(function.placed)[:2] == ["full", "neg"]
    assert all(note.kind == "unknown" for note in function.notes)


def test_an_extent_of_the_caller_stays_a_symbol() -> None:
    text = """
import pypto.language as pl

N = pl.dynamic("N")


@pl.program
class P:
    @pl.function
    def main(self, a: pl.Tensor[[N, 64], pl.FP32], out: pl.Out[pl.Tensor[[N, 64], pl.FP32]]):
        with pl.at(level=pl.Level.CORE_GROUP):
            for i in pl.range(0, N, 16):
                out[i : i + 16, :] = pl.exp(a[i : i + 16, :])
        return out
"""
    function = lower_all(text)["main_incore_0"]
    assert operations(function.lowered) == ["load", "exp", "store"]
    assert not function.notes
