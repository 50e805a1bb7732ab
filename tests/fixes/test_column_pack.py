"""The column pack, proved by running both forms: what the author meant, and the packed one on a MAD without stride."""

from __future__ import annotations

import numpy as np
import pytest

from pto_analysis.findings import Applicability
from tests.fixes.fixing import findings, fixed
from tests.fixes.packing import CONSTANT, CREATE, STORE, USE, looped, module, region, results

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
    "a window of a window": (
        f"{CREATE}\nfor h in pl.range(2):\n    half = pl.tile.slice(acc, [32, 48], [h * 32, 0])\n"
        "    for i in pl.range(2):\n        LEFT(h * 32 + i * 16)@\n"
        f"        band = pl.tile.slice(half, [16, 48], [i * 16, 0])\n        {USE}\n{STORE}",
        ("slice(acc, [16, 96], [0, h * 96])", "slice(half, [16, 48], [0, i * 48])"),
    ),
    "a stored window of several bands": (
        f"{CREATE}\nfor i in pl.range(4):\n    LEFT(i * 16)@\n    band = pl.tile.slice(acc, [16, 48], [i * 16, 0])\n"
        f"    {USE}\n"
        "half = pl.tile.slice(acc, [32, 48], [32, 0])\nc = pl.store(half, [32, 0], c)\nreturn c",
        ("slice(acc, [16, 96], [0, 96])", "c = pl.store(pl.tile.slice(half, [16, 48], [0, 48]), [48, 0], c)"),
    ),
    "subscripts of subscripts": (
        f"{CREATE}\nupper = acc[0:32]\nlower = acc[32:, :]\nLEFT(16)@\nw1 = upper[16:32]\n"
        "w1 = pl.tile.matmul_acc(w1, am, bm)\nLEFT(32)@\nw2 = lower[0:16, 0:48]\n"
        f"w2 = pl.tile.matmul_acc(w2, am, bm)\n{STORE}",
        ("upper = acc[:, 0:96]", "lower = acc[:, 96:192]", "w1 = upper[:, 48:96]", "w2 = lower[:, 0:48]"),
    ),
    "annotated windows of windows with constants": (
        f"acc = pl.tile.create([T * ROWS, N], dtype=pl.FP32, target_memory=pl.Mem.Acc)\nfor h in pl.range(2):\n"
        "    half: pl.Tile[[2 * ROWS, N], pl.FP32, pl.Mem.Acc] = pl.tile.slice(acc, [2 * ROWS, N], [h * 2 * ROWS, 0])\n"
        "    for i in pl.range(2):\n        LEFT(h * 32 + i * 16)@\n"
        f"        band = pl.tile.slice(half, [ROWS, N], [i * ROWS, 0])\n        {USE}\n{STORE}",
        ("half: pl.Tile[[ROWS, 2 * N], pl.FP32, pl.Mem.Acc] = pl.tile.slice(acc, [ROWS, 2 * N], ",),
    ),
    "a branch between halves": (
        f"{CREATE}\nfor h in pl.range(2):\n    half = pl.tile.slice(acc, [32, 48], [0, 0])\n"
        "    if h == 1:\n        half = pl.tile.slice(acc, [32, 48], [32, 0])\n"
        "    for i in pl.range(2):\n        LEFT(h * 32 + i * 16)@\n"
        f"        band = pl.tile.slice(half, [16, 48], [i * 16, 0])\n        {USE}\n{STORE}",
        ("half = pl.tile.slice(acc, [16, 96], [0, 96])",),
    ),
    "a carried half": (
        f"{CREATE}\nupper = pl.tile.slice(acc, [32, 48], [0, 0])\n"
        "for i, (held,) in pl.range(2, init_values=(upper,)):\n    LEFT(i * 16)@\n"
        "    band = pl.tile.slice(held, [16, 48], [i * 16, 0])\n    band = pl.tile.matmul_acc(band, am, bm)\n"
        f"    done = pl.yield_(held)\n{STORE}",
        ("slice(held, [16, 48], [0, i * 48])",),
    ),
    "a view of the same shape": (
        looped("pl.tile.slice(v, [16, 48], [i * 16, 0])", create=f"{CREATE}\nv = pl.tile.reshape(acc, [64, 48])"),
        ("v = pl.tile.reshape(acc, [16, 192])",),
    ),
    "shapes and offsets that have names": (
        "acc = pl.tile.create(WHOLE, pl.FP32, target_memory=pl.Mem.Acc)\nLEFT(16)@\n"
        f"band = pl.tile.slice(acc, BAND, SECOND)\n{USE}\n{STORE}",
        ("create([ROWS, T * N], pl.FP32", "slice(acc, BAND, [0, N])"),
    ),
    "a store on the line of another statement": (
        f"acc = pl.tile.create([64, 48], pl.FP32, target_memory=pl.Mem.Acc)\nLEFT(16)@\n"
        f"band = pl.tile.slice(acc, [16, 48], [16, 0])\n{USE}\nn = 1; {STORE}",
        ("n = 1; c = pl.store(", "; c = pl.store("),
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


@pytest.mark.parametrize("name", ["affine", "constants", "a window of a window", "named constants", "subscripts"])
def test_a_region_of_tile_operations_is_packed_alike(name: str) -> None:
    text = region(module(SAFE[name][0]).replace("return c\n", "pass\n"))
    packed = fixed(text, "PTO201")
    assert packed == region(fixed(module(SAFE[name][0]), "PTO201").replace("return c\n", "pass\n"))
    meant, before, after = results(text, packed, 64, 48)
    assert not np.array_equal(meant, before)
    assert np.array_equal(meant, after)
