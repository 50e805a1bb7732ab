"""What the rules about slices and accumulator windows say: the numbers, the places, the data for fixes."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest
from attrs import evolve

from pto_analysis.findings import Finding
from pto_analysis.rules.selection import Selection, resolve
from pto_analysis.rules.window_text import remedy_text
from tests.passes.kernels import windows
from tests.support.checking import check_text

HEAD = """\
import pypto.language as pl


@pl.program
class K:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self,
        a: pl.Tensor[[16, 32], pl.FP16],
        b: pl.Tensor[[32, 48], pl.FP16],
        x: pl.Tensor[[16, 128], pl.FP32],
        n: pl.Scalar[pl.INDEX],
        c: pl.Out[pl.Tensor[[16, 128], pl.FP32]],
    ) -> pl.Tensor[[16, 128], pl.FP32]:
        left = pl.move(pl.load(a, [0, 0], [16, 32], target_memory=pl.Mem.Mat), target_memory=pl.Mem.Left)
        right = pl.move(pl.load(b, [0, 0], [32, 48], target_memory=pl.Mem.Mat), target_memory=pl.Mem.Right)
        t = pl.load(x, [0, 0], [16, 128])
"""
FIRST = HEAD.count("\n")
EVERYTHING = resolve(Selection(select=("ALL",)))


def findings(body: str, code: str) -> list[Finding]:
    text = HEAD + indent(dedent(body).strip("\n"), " " * 8) + "\n        return c\n"
    report = check_text(text, None, EVERYTHING)
    assert report.analysis.errors == ()
    return [finding for finding in report.findings if finding.code == code]


def one(body: str, code: str) -> Finding:
    (finding,) = findings(body, code)
    return finding


def lines(finding: Finding) -> list[int]:
    """Lines of the related places, counted from the body's first."""
    return [related.span.line - FIRST for related in finding.related]


def test_a_strided_accumulator_names_its_numbers_and_its_way() -> None:
    finding = one(
        """
        acc = pl.tile.create([64, 48], dtype=pl.FP32, target_memory=pl.Mem.Acc)
        band = pl.tile.slice(acc, [16, 48], [16, 0])
        v = pl.tile.reshape(band, [16, 48])
        for k, (it,) in pl.range(4, init_values=(v,)):
            d = pl.tile.matmul_acc(it, left, right)
            last = pl.yield_(d)
        """,
        "PTO201",
    )
    for part in ("`matmul_acc`", "16x48", "64x48", "`acc`", "[16, 0]", "column blocks 0 to 2", "first 16 columns"):
        assert part in finding.message
    assert "create `acc` as [16, 192]" in finding.message
    assert "`pl.tile.slice(acc, [16, 48], [0, i * 48])`" in finding.message
    assert finding.span.line - FIRST == 4
    assert lines(finding) == [1, 2, 3]
    assert finding.data["window"] == [16, 48]
    assert finding.data["parent"] == [64, 48]
    assert finding.data["packed"] == [16, 192]
    assert finding.data["route"] == ["slice", "view", "iter-arg"]


def test_a_narrow_window_between_two_blocks_is_told_where_it_could_start() -> None:
    body = """
        acc = pl.tile.create([64, {0}], dtype=pl.FP32, target_memory=pl.Mem.Acc)
        w = pl.tile.slice(acc, [16, 12], [0, 8])
        r = pl.move(pl.load(b, [0, 0], [32, 12], target_memory=pl.Mem.Mat), target_memory=pl.Mem.Right)
        d = pl.tile.matmul_acc(w, left, r)
    """
    assert "Start it at column 0 or 16, inside" in one(body.format(48), "PTO201").message
    assert "Start it at column 0, inside" in one(body.format(24), "PTO201").message


def test_a_strided_carry_names_the_loop_the_yield_and_the_accumulation() -> None:
    finding = one(
        """
        acc = pl.tile.create([64, 48], dtype=pl.FP32, target_memory=pl.Mem.Acc)
        whole = pl.tile.create([16, 48], dtype=pl.FP32, target_memory=pl.Mem.Acc)
        band = pl.tile.slice(acc, [16, 48], [n, 0])
        for k, (it,) in pl.range(4, init_values=(whole,)):
            d = pl.tile.matmul_acc(it, left, right)
            last = pl.yield_(band)
        """,
        "PTO202",
    )
    assert "second iteration" in finding.message
    assert "`it`" in finding.message
    assert finding.span.line - FIRST == 5
    assert lines(finding) == [2, 3, 4]
    assert finding.data["row_offset"] == "n"


def test_an_unaligned_operand_names_the_bytes_the_consumers_and_the_columns_that_would_do() -> None:
    finding = one(
        "w = pl.tile.slice(t, [16, 8], [n, 6])\nu = pl.mul(w, 3.0)\nv = pl.add(w, u)",
        "PTO104",
    )
    for part in ("`w`", "16x8", "`t`", "[n, 6]", "24 bytes", "columns 0 and 8", "2 copies of 512 bytes"):
        assert part in finding.message
    assert lines(finding) == [1, 2]
    assert finding.data["aligned_columns"] == 8
    assert finding.data["residue_bits"] == 192
    assert finding.data["row_offset"] == "n"
    assert finding.data["col_offset"] == 6


def test_what_the_compiler_cannot_prove_is_told_without_numbers_it_does_not_have() -> None:
    finding = one("w = pl.tile.slice(t, [16, 8], [0, n])\nu = pl.mul(w, 3.0)", "PTO104")
    assert "cannot prove" in finding.message
    assert finding.data["residue_bits"] is None


HIDDEN = [
    ("for i in pl.range(0, 64, 8):\n    {}\n    {}", "i", "i // 8 * 8"),
    ("k = n * 16 % 64\n{}\n{}", "k", "k // 8 * 8"),
    ("{}\n{}", "n * 32 // 2", "(n * 32 // 2) // 8 * 8"),
    ("{}\n{}", "n << 3", "(n << 3) // 8 * 8"),
]


@pytest.mark.parametrize(("around", "column", "spelling"), HIDDEN, ids=[row[1] for row in HIDDEN])
def test_hidden_alignment_and_the_spelling_that_shows_it(around: str, column: str, spelling: str) -> None:
    def body(text: str) -> str:
        return around.format(f"w = pl.tile.slice(t, [16, 8], [0, {text}])", "u = pl.mul(w, 3.0)")

    finding = one(body(column), "PTO107")
    assert f"`{spelling}`" in finding.message
    respell = finding.data["respell"]
    assert respell == [{"axis": "column", "index": column, "multiple": 8, "spelling": spelling}]
    assert findings(body(spelling), "PTO107") == []
    assert findings(body(spelling), "PTO104") == []


@pytest.mark.parametrize("column", ["n", "n * 4", "n % 8", "n * 60 // 2", "n * 8 + 4"])
def test_no_hidden_alignment_where_there_is_none(column: str) -> None:
    body = f"w = pl.tile.slice(t, [16, 8], [0, {column}])\nu = pl.mul(w, 3.0)"
    assert findings(body, "PTO107") == []
    assert len(findings(body, "PTO104")) == 1


def test_a_hidden_multiple_in_both_parts_of_the_offset() -> None:
    body = """
        s = pl.load(x, [0, 0], [16, 12])
        for i in pl.range(0, 8, 2):
            w = pl.tile.slice(s, [2, 8], [i, n % 1])
            u = pl.mul(w, 3.0)
    """
    finding = one(body, "PTO107")
    assert [part["axis"] for part in finding.data["respell"]] == ["row", "column"]  # pyright: ignore[reportGeneralTypeIssues, reportUnknownVariableType]


def test_a_window_that_no_slice_in_the_source_makes_gets_no_advice_to_edit_one() -> None:
    params = (
        "acc: pl.Tile[[64, 48], pl.FP32, pl.Mem.Acc], l: pl.Tile[[16, 32], pl.FP16, pl.Mem.Left], "
        "r: pl.Tile[[32, 48], pl.FP16, pl.Mem.Right]"
    )
    (strided,) = windows("w = pl.tile.slice(acc, [16, 48], [0, 0])\nx = pl.tile.matmul_acc(w, l, r)", params).rejected
    made = evolve(strided, window=evolve(strided.window, origin=None))
    assert "slice(" in remedy_text(strided)
    assert "slice(" not in remedy_text(made)
    assert "compiler makes this window" in remedy_text(made)
