"""The column pack, proved by running both forms: what the author meant, and the packed one on a MAD without stride."""

from __future__ import annotations

from textwrap import dedent, indent

import numpy as np
import pytest

from pto_analysis.findings import Applicability
from tests.fixes.fixing import findings, fixed, fixed_once
from tests.fixes.machine import Array, Machine

HEAD = """\
import pypto.language as pl

ROWS = 16
T = 4
N = 48


@pl.program
class K:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self,
        a: pl.Tensor[[{height}, 32], pl.FP16],
        b: pl.Tensor[[32, {width}], pl.FP16],
        c: pl.Out[pl.Tensor[[{height}, {width}], pl.FP32]],
    ) -> pl.Tensor[[{height}, {width}], pl.FP32]:
        bm = pl.move(pl.load(b, [0, 0], [32, {width}], target_memory=pl.Mem.Mat), target_memory=pl.Mem.Right)
"""
LEFT = "am = pl.move(pl.load(a, [{}, 0], [16, 32], target_memory=pl.Mem.Mat), target_memory=pl.Mem.Left)"


def module(body: str, height: int = 64, width: int = 48) -> str:
    """`LEFT(row)` in a body loads the left operand's 16 rows from there."""
    lines = dedent(body).strip("\n")
    while "LEFT(" in lines:
        head, _, rest = lines.partition("LEFT(")
        row, _, tail = rest.partition(")@")
        lines = head + LEFT.format(row) + tail
    return HEAD.format(height=height, width=width) + indent(lines, " " * 8) + "\n"


def results(text: str, packed: str, height: int, width: int) -> tuple[Array, Array, Array]:
    """What the author means, what the hardware does with it, and what it does with the packed form."""
    random = np.random.default_rng(7)
    arrays = [random.integers(-4, 5, shape).astype(float) for shape in ((height, 32), (32, width), (height, width))]
    meant = Machine(is_ideal=True).run(text, *arrays)
    return meant, Machine(is_ideal=False).run(text, *arrays), Machine(is_ideal=False).run(packed, *arrays)


LOOP = """
for i in pl.range(4):
    LEFT(i * 16)@
    band = {window}
    {use}
"""
USE = "band = pl.tile.matmul_acc(band, am, bm)"
CREATE = "acc = pl.tile.create([64, 48], pl.FP32, target_memory=pl.Mem.Acc)"
STORE = "c = pl.store(acc, [0, 0], c)\nreturn c"


def looped(window: str, use: str = USE, create: str = CREATE, end: str = STORE) -> str:
    return create + LOOP.format(window=window, use=use) + end


CONSTANT = f"""
{CREATE}
LEFT(0)@
w0 = pl.tile.slice(acc, [16, 48], [0, 0])
w0 = pl.tile.matmul_acc(w0, am, bm)
LEFT(16)@
w1 = pl.tile.slice(acc, [16, 48], [16, 0])
w1 = pl.tile.matmul_acc(w1, am, bm)
LEFT(48)@
w3 = pl.tile.slice(acc, [16, 48], [48, 0])
w3 = pl.tile.matmul_acc(w3, am, bm)
{STORE}
"""

SUBSCRIPTS = f"""
{CREATE}
LEFT(0)@
w0 = acc[0:16]
w0 = pl.tile.matmul_acc(w0, am, bm)
LEFT(32)@
w2 = acc[32:48, 0:48]
w2 = pl.tile.matmul_acc(w2, am, bm)
LEFT(48)@
w3 = acc[48:, :]
w3 = pl.tile.matmul_acc(w3, am, bm)
{STORE}
"""

# Each body, and what the packed text must contain.
SAFE: dict[str, tuple[str, tuple[str, ...]]] = {
    "affine": (
        looped("pl.tile.slice(acc, [16, 48], [i * 16, 0])"),
        ("create([16, 192]", "slice(acc, [16, 48], [0, i * 48])", "[0, 144]), [48, 0], c)"),
    ),
    "constants": (CONSTANT, ("w0 = pl.tile.slice(acc, [16, 48], [0, 0])", "[0, 48])", "[0, 144])")),
    "subscripts": (SUBSCRIPTS, ("w0 = acc[:, 0:48]", "w2 = acc[:, 96:144]", "w3 = acc[:, 144:192]")),
    "affine, the other way": (looped("pl.tile.slice(acc, [16, 48], [16 * i, 0])"), ("[0, 48 * i]",)),
    "a sum": (
        looped("pl.tile.slice(acc, [16, 48], [i // 2 * 32 + i % 2 * 16, 0])"),
        ("[0, i // 2 * 96 + i % 2 * 48]",),
    ),
    "a shifted index": (
        looped("pl.tile.slice(acc, [16, 48], [(i + 1) % 4 * 16, 0])"),
        ("[0, (i + 1) % 4 * 48]",),
    ),
    "a difference": (looped("pl.tile.slice(acc, [16, 48], [48 - i * 16, 0])"), ("[0, 144 - i * 48]",)),
    "a loop in steps": (
        looped("pl.tile.slice(acc, [16, 48], [i, 0])")
        .replace("pl.range(4)", "pl.range(0, 64, 16)")
        .replace("LEFT(i * 16)", "LEFT(i)"),
        ("[0, i // 16 * 48]",),
    ),
    "a row of its own name": (
        looped("pl.tile.slice(acc, [16, 48], [r, 0])").replace("    band = pl", "    r = i * 16\n    band = pl"),
        ("[0, r // 16 * 48]",),
    ),
    "named constants": (
        looped(
            "pl.tile.slice(acc, [ROWS, N], [i * ROWS, 0])",
            create="acc = pl.tile.create([T * ROWS, N], dtype=pl.FP32, target_memory=pl.Mem.Acc)",
        ),
        ("create([ROWS, T * N]", "[0, i * N]", "for t in pl.range(T):", "[0, t * N]), [t * ROWS, 0], c)"),
    ),
    "named height": (
        looped(
            "pl.tile.slice(acc, [ROWS, 48], [ROWS * i, 0])",
            create="acc = pl.tile.create([ROWS * T, 48], dtype=pl.FP32, target_memory=pl.Mem.Acc)",
        ),
        ("create([ROWS, T * 48]", "[0, 48 * i]"),
    ),
    "keywords": (
        looped(
            "pl.tile.slice(acc, shape=[16, 48], offset=[i * 16, 0])",
            create="acc = pl.tile.create(dtype=pl.FP32, shape=[64, 48], target_memory=pl.Mem.Acc)",
            end="c = pl.store(acc, offsets=[0, 0], output_tensor=c)\nreturn c",
        ),
        ("shape=[16, 192]", "offset=[0, i * 48]", "offsets=[48, 0], output_tensor=c)"),
    ),
    "annotations": (
        looped(
            "pl.tile.slice(acc, [16, 48], [i * 16, 0])",
            create=(
                "acc: pl.Tile[[64, 48], pl.FP32, pl.Mem.Acc] = "
                "pl.tile.create([64, 48], pl.FP32, target_memory=pl.Mem.Acc)"
            ),
        ),
        ("acc: pl.Tile[[16, 192], pl.FP32, pl.Mem.Acc] = pl.tile.create([16, 192]",),
    ),
    "an annotated window": (
        looped("pl.tile.slice(acc, [16, 48], [i * 16, 0])").replace(
            "band = pl.tile.slice", "band: pl.Tile[[16, 48], pl.FP32, pl.Mem.Acc] = pl.tile.slice"
        ),
        ("band: pl.Tile[[16, 48], pl.FP32, pl.Mem.Acc] = pl.tile.slice(acc, [16, 48], [0, i * 48])",),
    ),
    "an alias": (
        looped("pl.tile.slice(v, [16, 48], [i * 16, 0])", create=f"{CREATE}\nv = acc", end=STORE.replace("acc", "v")),
        ("create([16, 192]", "slice(v, [16, 48], [0, i * 48])", "pl.tile.slice(v, [16, 48], [0, 48]), [16, 0]"),
    ),
    "a window inside the accumulation": (
        looped("am", use="pl.tile.matmul_acc(pl.tile.slice(acc, [16, 48], [i * 16, 0]), am, bm)"),
        ("matmul_acc(pl.tile.slice(acc, [16, 48], [0, i * 48]), am, bm)",),
    ),
    "a bare accumulation": (
        looped("pl.tile.slice(acc, [16, 48], [i * 16, 0])", use="pl.tile.matmul_acc(band, am, bm)"),
        ("[0, i * 48]",),
    ),
    "a first accumulation that overwrites": (
        looped(
            "pl.tile.slice(acc, [16, 48], [i * 16, 0])", use="band = pl.tile.matmul_acc(band, am, bm, init_cond=i >= 0)"
        ),
        ("[0, i * 48]",),
    ),
    "a carried window": (
        looped(
            "pl.tile.slice(acc, [16, 48], [i * 16, 0])",
            use=(
                "for k, (it,) in pl.range(3, init_values=(band,)):\n"
                "        d = pl.tile.matmul_acc(it, am, bm)\n        last = pl.yield_(d)"
            ),
        ),
        ("[0, i * 48]",),
    ),
    "a carried window without a word": (
        looped("pl.tile.slice(acc, [16, 48], [i * 16, 0])", use=f"for k in pl.range(3):\n        {USE}"),
        ("[0, i * 48]",),
    ),
    "a carried accumulator": (
        f"{CREATE}\nfor i, (held,) in pl.range(4, init_values=(acc,)):\n    LEFT(i * 16)@\n"
        "    band = pl.tile.slice(held, [16, 48], [i * 16, 0])\n    band = pl.tile.matmul_acc(band, am, bm)\n"
        "    done = pl.yield_(held)\nc = pl.store(done, [0, 0], c)\nreturn c",
        ("create([16, 192]", "slice(held, [16, 48], [0, i * 48])", "slice(done, [16, 48], [0, 48]), [16, 0]"),
    ),
    "windows stored one by one": (
        looped(
            "pl.tile.slice(acc, [16, 48], [i * 16, 0])",
            use=f"{USE}\n    c = pl.store(band, [i * 16, 0], c)",
            end="return c",
        ),
        ("c = pl.store(band, [i * 16, 0], c)",),
    ),
    "a store that is returned": (
        looped("pl.tile.slice(acc, [16, 48], [i * 16, 0])", end="return pl.store(acc, [0, 0], c)"),
        ("c = pl.store(pl.tile.slice(acc, [16, 48], [0, 0]), [0, 0], c)", "return pl.store(", "[0, 144]), [48, 0], c)"),
    ),
    "a store to another name": (
        looped("pl.tile.slice(acc, [16, 48], [i * 16, 0])", end="done = pl.store(acc, [0, 0], c)\nreturn done"),
        ("done = pl.store(pl.tile.slice(acc, [16, 48], [0, 0]), [0, 0], c)", "[48, 0], done)"),
    ),
    "a bare store": (
        looped("pl.tile.slice(acc, [16, 48], [i * 16, 0])", end="pl.store(acc, [0, 0], c)\nreturn c"),
        ("pl.store(pl.tile.slice(acc, [16, 48], [0, 48]), [16, 0], c)",),
    ),
    "named constants, a store that is returned": (
        looped(
            "pl.tile.slice(acc, [ROWS, N], [i * ROWS, 0])",
            create="acc = pl.tile.create([ROWS * T, N], dtype=pl.FP32, target_memory=pl.Mem.Acc)",
            end="return pl.store(acc, [0, 0], c)",
        ),
        ("    c = pl.store(pl.tile.slice(acc, [ROWS, N], [0, t * N]), [t * ROWS, 0], c)\n        return c",),
    ),
    "named constants, a store to another name": (
        looped(
            "pl.tile.slice(acc, [ROWS, N], [i * ROWS, 0])",
            create="acc = pl.tile.create([ROWS * T, N], dtype=pl.FP32, target_memory=pl.Mem.Acc)",
            end="t = pl.store(acc, [0, 0], c)\nreturn t",
        ),
        ("        t = c\n        for t2 in pl.range(T):\n            t = pl.store(",),
    ),
    "calls over several lines": (
        looped(
            "pl.tile.slice(\n        acc,  # the accumulator\n        [16, 48],\n        [\n"
            "            i * 16,  # band\n            0,\n        ],\n    )",
            end="c = pl.store(\n    acc,\n    [0, 0],  # the corner\n    c,\n)\nreturn c",
        ),
        ("# the accumulator", "0,  # band", "i * 48,", "# the corner"),
    ),
    "a name for several windows": (
        f"{CREATE}\nLEFT(0)@\nw = pl.tile.slice(acc, [16, 48], [0, 0])\nw = pl.tile.matmul_acc(w, am, bm)\n"
        f"LEFT(16)@\nw = pl.tile.slice(acc, [16, 48], [16, 0])\nw = pl.tile.matmul_acc(w, am, bm)\n{STORE}",
        ("[0, 0])", "[0, 48])"),
    ),
    "a window that is itself sliced by columns": (
        looped(
            "pl.tile.slice(acc, [16, 48], [i * 16, 0])",
            use=f"{USE}\n    part = pl.tile.slice(band, [16, 16], [0, 16])\n    c = pl.store(part, [i * 16, 16], c)",
            end="return c",
        ),
        ("slice(band, [16, 16], [0, 16])",),
    ),
}


@pytest.mark.parametrize("name", SAFE)
def test_a_packed_kernel_does_what_its_author_meant(name: str) -> None:
    body, parts = SAFE[name]
    text = module(body)
    assert all(finding.fix is not None for finding in findings(text, "PTO201"))
    assert all(f.fix.applicability is Applicability.SAFE for f in findings(text, "PTO201") if f.fix), "not safe"
    packed = fixed(text, "PTO201")
    for part in parts:
        assert part in packed, packed
    meant, before, after = results(text, packed, 64, 48)
    assert not np.array_equal(meant, before)
    assert np.array_equal(meant, after)


# Height, width, windows' height and width: what the bands become.
SIZES = [(64, 24, 16, 24, "[16, 128]"), (48, 40, 16, 40, "[16, 144]"), (64, 48, 32, 48, "[32, 96]")]


@pytest.mark.parametrize(("height", "width", "rows", "cols", "packed_shape"), SIZES)
def test_bands_start_at_whole_boxes(height: int, width: int, rows: int, cols: int, packed_shape: str) -> None:
    body = looped(
        f"pl.tile.slice(acc, [{rows}, {cols}], [i * {rows}, 0])",
        create=f"acc = pl.tile.create([{height}, {width}], pl.FP32, target_memory=pl.Mem.Acc)",
    )
    text = module(body, height, width).replace("[16, 32]", f"[{rows}, 32]").replace("a, [i * 16", f"a, [i * {rows}")
    text = text.replace("pl.range(4)", f"pl.range({height // rows})")
    packed = fixed(text, "PTO201")
    assert f"create({packed_shape}" in packed
    meant, before, after = results(text, packed, height, width)
    assert not np.array_equal(meant, before)
    assert np.array_equal(meant, after)


def test_windows_narrower_than_the_accumulator_keep_their_columns() -> None:
    body = f"""
    acc = pl.tile.create([64, 96], pl.FP32, target_memory=pl.Mem.Acc)
    for i in pl.range(4):
        LEFT(i * 16)@
        lo = pl.tile.slice(acc, [16, 48], [i * 16, 0])
        lo = pl.tile.matmul_acc(lo, am, bm)
        hi = pl.tile.slice(acc, [16, 48], [i * 16, 48])
        hi = pl.tile.matmul_acc(hi, am, bm)
    part = pl.tile.slice(acc, [16, 48], [16, 48])
    {STORE.splitlines()[0].replace("acc", "part")}
    return c
    """
    text = module(body)
    packed = fixed(text, "PTO201")
    assert "[0, i * 96]" in packed
    assert "[0, i * 96 + 48]" in packed
    assert "[0, 144]" in packed
    meant, before, after = results(text, packed, 64, 48)
    assert not np.array_equal(meant, before)
    assert np.array_equal(meant, after)


def test_many_bands_are_stored_by_a_loop() -> None:
    body = looped(
        "pl.tile.slice(acc, [16, 48], [i * 16, 0])",
        create="acc = pl.tile.create([160, 48], pl.FP32, target_memory=pl.Mem.Acc)",
    ).replace("pl.range(4)", "pl.range(10)")
    text = module(body, 160)
    packed = fixed(text, "PTO201")
    assert "for t in pl.range(10):\n            c = pl.store(" in packed
    meant, _, after = results(text, packed, 160, 48)
    assert np.array_equal(meant, after)


def test_a_carried_band_of_pto202() -> None:
    body = """
    acc = pl.tile.create([64, 48], pl.FP32, target_memory=pl.Mem.Acc)
    whole = pl.tile.create([16, 48], pl.FP32, target_memory=pl.Mem.Acc)
    LEFT(0)@
    band = pl.tile.slice(acc, [16, 48], [32, 0])
    for k, (it,) in pl.range(4, init_values=(whole,)):
        d = pl.tile.matmul_acc(it, am, bm)
        last = pl.yield_(band)
    c = pl.store(acc, [0, 0], c)
    return c
    """
    text = module(body)
    packed = fixed(text, "PTO202")
    assert "band = pl.tile.slice(acc, [16, 48], [0, 96])" in packed
    meant, before, after = results(text, packed, 64, 48)
    assert not np.array_equal(meant, before)
    assert np.array_equal(meant, after)


def titles(text: str, code: str = "PTO201") -> list[tuple[str, str] | None]:
    fixes = [finding.fix for finding in findings(text, code)]
    return [None if fix is None else (fix.title, fix.applicability.value) for fix in fixes]


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
        "x = 1; c = pl.store(acc, [0, 0], c)\nreturn c",
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
    "windows of two heights": f"{CREATE}\nLEFT(0)@\nw = pl.tile.slice(acc, [16, 48], [0, 0])\n"
    "w = pl.tile.matmul_acc(w, am, bm)\nv = pl.tile.slice(acc, [32, 48], [0, 0])\nc = pl.store(v, [0, 0], c)\n"
    "return c",
    "windows that overlap": f"{CREATE}\nLEFT(0)@\nw = pl.tile.slice(acc, [16, 48], [8, 0])\n"
    "w = pl.tile.matmul_acc(w, am, bm)\nc = pl.store(w, [0, 0], c)\nreturn c",
    "a window of a window": f"{CREATE}\nLEFT(0)@\nv = pl.tile.slice(acc, [32, 48], [0, 0])\n"
    "w = pl.tile.slice(v, [16, 48], [16, 0])\nw = pl.tile.matmul_acc(w, am, bm)\nc = pl.store(w, [0, 0], c)\nreturn c",
    "a shape that has a name": "SHAPE = [64, 48]\nacc = pl.tile.create(SHAPE, pl.FP32, target_memory=pl.Mem.Acc)\n"
    "LEFT(0)@\nw = pl.tile.slice(acc, [16, 48], [16, 0])\nw = pl.tile.matmul_acc(w, am, bm)\n"
    "c = pl.store(w, [0, 0], c)\nreturn c",
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


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("tab", ["    ", "\t", "  "])
def test_line_ends_tabs_and_comments_survive(end: str, tab: str) -> None:
    body = looped("pl.tile.slice(acc, [16, 48], [i * 16, 0])  # one band", end=f"# all of it\n{STORE}  # done")
    text = module(body).replace("    ", tab).replace("\n", end)
    packed = fixed(text, "PTO201")
    assert "[0, i * 48])  # one band" in packed
    assert f"# all of it{end}" in packed
    assert "return c  # done" in packed
    assert packed.count("\n") == packed.count(end)
    changed = set(packed.split(end)) - set(text.split(end))
    assert len(changed) == 6
    meant, _, after = results(text, packed, 64, 48)
    assert np.array_equal(meant, after)


def test_kernels_of_one_file_are_fixed_apart() -> None:
    one = module(looped("pl.tile.slice(acc, [16, 48], [i * 16, 0])"))
    two = "\n\n" + one[one.index("@pl.program") :].replace("class K", "class L")
    packed = fixed(one + two, "PTO201")
    assert packed == fixed(one, "PTO201") + "\n\n" + fixed(one, "PTO201").partition("@pl.program")[2].replace(
        "\nclass K", "@pl.program\nclass L"
    )


def test_two_findings_of_one_accumulator_are_one_fix() -> None:
    text = module(CONSTANT)
    found = findings(text, "PTO201")
    assert len(found) == 3
    assert len({finding.fix for finding in found}) == 1
    once = fixed_once(text, "PTO201")
    assert findings(once, "PTO201") == []
