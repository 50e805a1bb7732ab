"""Accumulators that are packed only in part or not at all, and narrow windows, which need no packing."""

from __future__ import annotations

import numpy as np
import pytest

from tests.fixes.fixing import fixed
from tests.fixes.packing import CREATE, STORE, looped, module, results, titles

LEFT_TO_DO = [
    ("the_row_of_nobody", "pl.tile.slice(acc, [16, 48], [i * 8, 0])", STORE, "multiples of 16"),
    (
        "a move",
        "pl.tile.slice(acc, [16, 48], [i * 16, 0])",
        f"m = pl.move(acc, target_memory=pl.Mem.Mat)\n{STORE}",
        "`move`",
    ),
    (
        "a store in a store's place",
        "pl.tile.slice(acc, [16, 48], [i * 16, 0])",
        "c = pl.store(acc, [0, 0], pl.store(acc, [0, 0], c))\nreturn c",
        "its stores",
    ),
]


@pytest.mark.parametrize(("_name", "window", "end", "left"), LEFT_TO_DO, ids=[row[0] for row in LEFT_TO_DO])
def test_what_is_not_understood_is_said_in_the_title(_name: str, window: str, end: str, left: str) -> None:
    found = titles(module(looped(window, end=end)))
    assert found[0] is not None
    assert found[0][1] == "unsafe"
    assert "left to do" in found[0][0]
    assert left in found[0][0]


def test_bands_that_fill_no_box_may_need_more_room() -> None:
    body = looped(
        "pl.tile.slice(acc, [8, 48], [i * 8, 0])",
        create="acc = pl.tile.create([32, 48], pl.FP32, target_memory=pl.Mem.Acc)",
    )
    text = module(body, 32).replace("[i * 16, 0], [16, 32]", "[i * 8, 0], [8, 32]")
    assert [row and (row[1], "fits into L0C" in row[0]) for row in titles(text)] == [("unsafe", True)]
    packed = fixed(text, "PTO201")
    meant, before, after = results(text, packed, 32, 48)
    assert not np.array_equal(meant, before)
    assert np.array_equal(meant, after)


INLINE = """\
import pypto.language as pl


@pl.program
class K:
    @pl.function(type=pl.FunctionType.Inline)
    def band_of(self, acc: pl.Tile[[64, 48], pl.FP32, pl.Mem.Acc], left: pl.Tensor[[16, 32], pl.FP16],
                right: pl.Tensor[[32, 48], pl.FP16]):
        am = pl.move(pl.load(left, [0, 0], [16, 32], target_memory=pl.Mem.Mat), target_memory=pl.Mem.Left)
        bm = pl.move(pl.load(right, [0, 0], [32, 48], target_memory=pl.Mem.Mat), target_memory=pl.Mem.Right)
        band = pl.tile.slice(acc, [16, 48], [16, 0])
        band = pl.tile.matmul_acc(band, am, bm)
        return band

    @pl.function(type=pl.FunctionType.Opaque)
    def kernel(self, a: pl.Tensor[[16, 32], pl.FP16], b: pl.Tensor[[32, 48], pl.FP16],
               c: pl.Out[pl.Tensor[[16, 48], pl.FP32]]) -> pl.Tensor[[16, 48], pl.FP32]:
        with pl.at(level=pl.Level.CORE_GROUP):
            acc = pl.tile.create([64, 48], pl.FP32, target_memory=pl.Mem.Acc)
            done = self.band_of(acc, a, b)
            c = pl.store(done, [0, 0], c)
        return c
"""


def test_windows_in_an_inline_function_are_not_the_kernels_own() -> None:
    assert [row and (row[1], "left to do" in row[0]) for row in titles(INLINE)] == [("unsafe", True)]


def test_int32_is_handed_out_in_blocks_of_32_rows() -> None:
    integers = (
        module(looped("pl.tile.slice(acc, [16, 48], [i * 16, 0])")).replace("FP32", "INT32").replace("FP16", "INT8")
    )
    assert [row and (row[1], "fits into L0C" in row[0]) for row in titles(integers)] == [("unsafe", True)]


SIDES = [("[64, 40]", "safe"), ("[448, 40]", "safe"), ("[640, 40]", "safe"), ("[704, 40]", "unsafe")]


@pytest.mark.parametrize(("shape", "applicability"), SIDES)
def test_bands_that_are_widened_may_need_more_room(shape: str, applicability: str) -> None:
    body = looped("pl.tile.slice(acc, [16, 40], [i * 16, 0])", create=CREATE.replace("[64, 48]", shape), end="return c")
    text = module(body, 64, 40)
    assert [row and row[1] for row in titles(text)] == [applicability]
    staged = text.replace("pl.range(4)", "pl.pipeline(4, stage=2)")
    assert [row and (row[1], "fits into L0C" in row[0]) for row in titles(staged)] == [("unsafe", True)]


def test_a_statement_outside_the_dsl_may_use_the_accumulator() -> None:
    text = module(looped("pl.tile.slice(acc, [16, 48], [i * 16, 0])", end=f"print(acc.shape)\n{STORE}"))
    assert [row and (row[1], "not understood" in row[0]) for row in titles(text)] == [("unsafe", True)]


def test_where_a_name_has_one_value_stores_are_left_to_do() -> None:
    text = module(looped("pl.tile.slice(acc, [16, 48], [i * 16, 0])", use="pl.tile.matmul_acc(band, am, bm)"))
    strict = text.replace("@pl.program", "@pl.program(strict_ssa=True)").replace("c = pl.store", "d = pl.store")
    found = titles(strict.replace("return c", "return d"))
    assert [row and (row[1], "its stores" in row[0]) for row in found] == [("unsafe", True)]


NOT_OFFERED = {
    "a window that would start between two boxes": "acc = pl.tile.create([64, 64], pl.FP32, target_memory=pl.Mem.Acc)\n"
    "LEFT(0)@\nw = pl.tile.slice(acc, [16, 48], [0, 8])\nw = pl.tile.matmul_acc(w, am, bm)\n"
    "c = pl.store(w, [0, 0], c)\nreturn c",
    "windows that overlap": f"{CREATE}\nLEFT(0)@\nw = pl.tile.slice(acc, [16, 48], [8, 0])\n"
    "w = pl.tile.matmul_acc(w, am, bm)\nc = pl.store(w, [0, 0], c)\nreturn c",
    "a window of several bands that takes half of the columns": (
        f"{CREATE}\nLEFT(0)@\nv = pl.tile.slice(acc, [32, 32], [0, 0])\nw = pl.tile.slice(v, [16, 32], [16, 0])\n"
        "w = pl.tile.matmul_acc(w, am, bm)\nc = pl.store(w, [0, 0], c)\nreturn c"
    ),
    "a part of a band that starts between two boxes": (
        f"{CREATE}\nLEFT(0)@\nv = pl.tile.slice(acc, [16, 48], [16, 0])\nw = pl.tile.slice(v, [16, 32], [0, 8])\n"
        "w = pl.tile.matmul_acc(w, am, bm)\nc = pl.store(w, [0, 0], c)\nreturn c"
    ),
    "bands that do not fill it": "acc = pl.tile.create([72, 48], pl.FP32, target_memory=pl.Mem.Acc)\n"
    "LEFT(0)@\nw = pl.tile.slice(acc, [16, 48], [16, 0])\nw = pl.tile.matmul_acc(w, am, bm)\n"
    "c = pl.store(w, [0, 0], c)\nreturn c",
}


@pytest.mark.parametrize("name", NOT_OFFERED)
def test_what_cannot_be_packed_is_not_offered(name: str) -> None:
    assert set(titles(module(NOT_OFFERED[name]))) <= {None}


def test_an_accumulator_from_outside_is_not_offered() -> None:
    text = module(looped("pl.tile.slice(acc, [16, 48], [i * 16, 0])", create="pass")).replace(
        "        b: ", "        acc: pl.Tile[[64, 48], pl.FP32, pl.Mem.Acc],\n        b: ", 1
    )
    assert titles(text) == [None]


NARROW = [
    ("pl.tile.slice(acc, [16, 16], [0, 8])", "pl.tile.slice(acc, [16, 16], [0, 0])"),
    ("pl.tile.slice(acc, shape=[16, 12], offset=[16, 24])", "pl.tile.slice(acc, shape=[16, 12], offset=[16, 16])"),
    ("acc[0:16, 8:24]", "acc[0:16, 0:16]"),
]


@pytest.mark.parametrize(("before", "after"), NARROW)
def test_a_narrow_window_moves_into_one_block(before: str, after: str) -> None:
    width = 12 if "12" in before else 16
    text = module(
        f"{CREATE}\nLEFT(0)@\nw = {before}\nw = pl.tile.matmul_acc(w, am, bm)\nc = pl.store(w, [0, 0], c)\nreturn c"
    )
    text = text.replace("[32, 48], target", f"[32, {width}], target")
    assert [title[1] for title in titles(text) if title] == ["unsafe"]
    assert after in fixed(text, "PTO201")
