"""Where the bands of a packed accumulator lie, and how the packed text is laid out."""

from __future__ import annotations

import numpy as np
import pytest

from tests.fixes.fixing import findings, fixed, fixed_once
from tests.fixes.packing import CONSTANT, STORE, looped, module, results

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
