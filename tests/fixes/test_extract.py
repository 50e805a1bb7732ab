"""Copies and offsets written out: what each kernel becomes, line by line, and that nothing is left to do."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest

from pto_analysis.findings import Applicability
from pto_analysis.rules.example import on_l1
from tests.fixes.fixing import findings, fixed

HEAD = """\
import pypto.language as pl

STEP = 8


@pl.program
class K:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self,
        x: pl.Tensor[[16, 128], pl.FP32],
        g: pl.Tensor[[1, 128], pl.FP32],
        n: pl.Scalar[pl.INDEX],
        y: pl.Out[pl.Tensor[[16, 128], pl.FP32]],
    ) -> pl.Tensor[[16, 128], pl.FP32]:
        t = pl.load(x, [0, 0], [16, 128])
        gamma = pl.load(g, [0, 0], [1, 128])
"""
END = "\n        return y\n"


def module(body: str) -> str:
    return HEAD + indent(dedent(body).strip("\n"), " " * 8) + END


def body_of(text: str) -> str:
    assert text.startswith(HEAD)
    assert text.endswith(END)
    return dedent(text[len(HEAD) : -len(END)])


def check(code: str, before: str, after: str) -> None:
    assert body_of(fixed(module(before), code)) == dedent(after).strip("\n")


CASES = {
    "a column expansion of the next statement": (
        "PTO102",
        """
        for r in pl.range(16):
            row = pl.tile.slice(t, [1, 128], [r, 0])  # one row
            y = pl.store(pl.col_expand_mul(row, gamma), [r, 0], y)
        """,
        """
        for r in pl.range(16):
            row = pl.tile.extract(t, r, 0, shape=[1, 128], target_memory=pl.Mem.Vec)  # one row
            y = pl.store(pl.col_expand_mul(row, gamma), [r, 0], y)
        """,
    ),
    "a slice inside its consumer": (
        "PTO102",
        "y = pl.store(pl.col_expand_mul(pl.slice(t, offset=[n, 0], shape=[1, 128]), gamma), [0, 0], y)",
        """
        y = pl.store(pl.col_expand_mul(pl.tile.extract(t, n, 0, shape=[1, 128], target_memory=pl.Mem.Vec), gamma), \
[0, 0], y)
        """,
    ),
    "a subscript that is not contiguous": (
        "PTO103",
        """
        h = t[:, 64:128]
        y = pl.store(pl.col_expand_mul(h, gamma[:, 0:64]), [0, 0], y)
        """,
        """
        h = pl.tile.extract(t, 0, 64, shape=[16, 64], target_memory=pl.Mem.Vec)
        y = pl.store(pl.col_expand_mul(h, gamma[:, 0:64]), [0, 0], y)
        """,
    ),
    "constants keep their names": (
        "PTO104",
        """
        w = pl.tile.slice(t, [16, STEP], [0, n + STEP // 8])
        u = pl.mul(w, 3.0)
        y = pl.store(u, [0, 0], y)
        """,
        """
        w = pl.tile.extract(t, 0, n + STEP // 8, shape=[16, STEP], target_memory=pl.Mem.Vec)
        u = pl.mul(w, 3.0)
        y = pl.store(u, [0, 0], y)
        """,
    ),
    "each consumer its own copy": (
        "PTO104",
        """
        w = pl.tile.slice(t, [16, 8], [0, 6])
        u = pl.mul(w, 3.0)
        # and again
        v = pl.add(w, u)
        y = pl.store(v, [0, 0], y)
        """,
        """
        w_copy = pl.tile.extract(t, 0, 6, shape=[16, 8], target_memory=pl.Mem.Vec)
        u = pl.mul(w_copy, 3.0)
        # and again
        w_copy2 = pl.tile.extract(t, 0, 6, shape=[16, 8], target_memory=pl.Mem.Vec)
        v = pl.add(w_copy2, u)
        y = pl.store(v, [0, 0], y)
        """,
    ),
    "both operands of one consumer": (
        "PTO104",
        """
        w = pl.tile.slice(t, [16, 8], [0, 6])
        u = pl.mul(t, 2.0)
        v = pl.add(w, w)
        y = pl.store(v, [0, 0], y)
        """,
        """
        u = pl.mul(t, 2.0)
        w_copy = pl.tile.extract(t, 0, 6, shape=[16, 8], target_memory=pl.Mem.Vec)
        v = pl.add(w_copy, w_copy)
        y = pl.store(v, [0, 0], y)
        """,
    ),
    "a comment behind a slice keeps its place": (
        "PTO104",
        """
        w = pl.tile.slice(t, [16, 8], [0, 6])  # the odd columns
        u = pl.mul(t, 2.0)
        v = pl.add(w, 1.0)
        y = pl.store(v, [0, 0], y)
        """,
        """
        w = pl.tile.slice(t, [16, 8], [0, 6])  # the odd columns
        u = pl.mul(t, 2.0)
        w_copy = pl.tile.extract(t, 0, 6, shape=[16, 8], target_memory=pl.Mem.Vec)
        v = pl.add(w_copy, 1.0)
        y = pl.store(v, [0, 0], y)
        """,
    ),
    "an annotated slice": (
        "PTO104",
        """
        w: pl.Tile[[16, 8], pl.FP32, pl.Mem.Vec] = pl.tile.slice(t, [16, 8], [0, 6])
        v: pl.Tile[[16, 8], pl.FP32] = pl.add(w, 1.0)
        y = pl.store(v, [0, 0], y)
        """,
        """
        w: pl.Tile[[16, 8], pl.FP32, pl.Mem.Vec] = pl.tile.extract(t, 0, 6, shape=[16, 8], target_memory=pl.Mem.Vec)
        v: pl.Tile[[16, 8], pl.FP32] = pl.add(w, 1.0)
        y = pl.store(v, [0, 0], y)
        """,
    ),
    "an annotated slice that is read later": (
        "PTO104",
        """
        w: pl.Tile[[16, 8], pl.FP32, pl.Mem.Vec] = pl.tile.slice(t, [16, 8], [0, 6])
        u = pl.mul(t, 2.0)
        v = pl.add(w, 1.0)
        y = pl.store(v, [0, 0], y)
        """,
        """
        u = pl.mul(t, 2.0)
        w_copy = pl.tile.extract(t, 0, 6, shape=[16, 8], target_memory=pl.Mem.Vec)
        v = pl.add(w_copy, 1.0)
        y = pl.store(v, [0, 0], y)
        """,
    ),
    "an alias": (
        "PTO104",
        """
        w = pl.tile.slice(t, [16, 8], [0, 6])
        v = w
        y = pl.store(v, [0, 0], y)
        """,
        """
        w = pl.tile.extract(t, 0, 6, shape=[16, 8], target_memory=pl.Mem.Vec)
        v = w
        y = pl.store(v, [0, 0], y)
        """,
    ),
    "a name that is used again elsewhere": (
        "PTO104",
        """
        t = pl.mul(t, 2.0)
        w = pl.tile.slice(t, [16, 8], [0, 6])
        u = pl.mul(gamma, 3.0)
        y = pl.store(w, [0, 0], y)
        t = pl.mul(t, 2.0)
        y = pl.store(t, [0, 0], y)
        """,
        """
        t = pl.mul(t, 2.0)
        u = pl.mul(gamma, 3.0)
        w_copy = pl.tile.extract(t, 0, 6, shape=[16, 8], target_memory=pl.Mem.Vec)
        y = pl.store(w_copy, [0, 0], y)
        t = pl.mul(t, 2.0)
        y = pl.store(t, [0, 0], y)
        """,
    ),
    "a slice of a slice": (
        "PTO104",
        """
        v = pl.tile.slice(t, [16, 64], [0, 64])
        w = pl.tile.slice(v, [16, 8], [0, n])
        y = pl.store(w, [0, 0], y)
        """,
        """
        v = pl.tile.slice(t, [16, 64], [0, 64])
        w = pl.tile.extract(t, 0, 64 + n, shape=[16, 8], target_memory=pl.Mem.Vec)
        y = pl.store(w, [0, 0], y)
        """,
    ),
    "a loop's initial value": (
        "PTO104",
        """
        w = pl.tile.slice(t, [16, 8], [0, 6])
        u = pl.mul(t, 2.0)
        for i, (acc,) in pl.range(4, init_values=(w,)):
            v = pl.mul(acc, 2.0)
            last = pl.yield_(v)
        y = pl.store(last, [0, 0], y)
        """,
        """
        u = pl.mul(t, 2.0)
        w_copy = pl.tile.extract(t, 0, 6, shape=[16, 8], target_memory=pl.Mem.Vec)
        for i, (acc,) in pl.range(4, init_values=(w_copy,)):
            v = pl.mul(acc, 2.0)
            last = pl.yield_(v)
        y = pl.store(last, [0, 0], y)
        """,
    ),
    "a loop in steps": (
        "PTO107",
        """
        for i in pl.range(0, 128, STEP):
            w = pl.tile.slice(t, [16, 8], [0, i])
            y = pl.store(pl.mul(w, 3.0), [0, i], y)
        """,
        """
        for i in pl.range(0, 128, STEP):
            w = pl.tile.slice(t, [16, 8], [0, i // 8 * 8])
            y = pl.store(pl.mul(w, 3.0), [0, i], y)
        """,
    ),
    "a product divided": (
        "PTO107",
        """
        w = pl.tile.slice(t, shape=[16, 8], offset=[0, n * STEP * 2 // 2])
        y = pl.store(pl.mul(w, 3.0), [0, 0], y)
        """,
        """
        w = pl.tile.slice(t, shape=[16, 8], offset=[0, (n * STEP * 2 // 2) // 8 * 8])
        y = pl.store(pl.mul(w, 3.0), [0, 0], y)
        """,
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_fix_writes(name: str) -> None:
    check(*CASES[name])


@pytest.mark.parametrize("name", CASES)
def test_these_fixes_are_safe(name: str) -> None:
    code, before, _ = CASES[name]
    found = findings(module(before), code)
    assert {finding.fix.applicability for finding in found if finding.fix} == {Applicability.SAFE}


@pytest.mark.parametrize("name", [name for name in CASES if CASES[name][0] == "PTO107"])
def test_where_the_offset_can_be_respelled_no_copy_is_offered(name: str) -> None:
    assert [finding.fix for finding in findings(module(CASES[name][1]), "PTO104")] == [None]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("name", CASES)
def test_line_ends_survive(name: str, end: str) -> None:
    code, before, after = CASES[name]
    text = module(before).replace("\n", end)
    assert fixed(text, code) == module(after).replace("\n", end)


NOT_OFFERED = {
    "a loop whose body reads the copy of its initial value": """
        w = pl.tile.slice(t, [16, 8], [0, 6])
        u = pl.mul(t, 2.0)
        for i, (acc,) in pl.range(2, init_values=(w,)):
            v = pl.add(acc, w)
            last = pl.yield_(v)
        y = pl.store(last, [0, 0], y)
        """,
    "an offset that changes in between": """
        k = n * 3
        w = pl.tile.slice(t, [16, 8], [0, k])
        k = k + 1
        y = pl.store(w, [0, k], y)
        """,
    "a source that changes in between": """
        w = pl.tile.slice(t, [16, 8], [0, 6])
        t = pl.mul(t, 2.0)
        y = pl.store(w, [0, 0], y)
        y = pl.store(t, [0, 0], y)
        """,
    "an outer offset that changes in between": """
        k = n * 3
        v = pl.tile.slice(t, [16, 64], [0, k])
        k = k + 1
        w = pl.tile.slice(v, [16, 8], [0, 8])
        y = pl.store(w, [0, k], y)
        """,
    "a source without a name": """
        w = pl.tile.slice(pl.load(x, [0, 0], [16, 128]), [16, 8], [0, 6])
        u = pl.mul(t, 2.0)
        y = pl.store(w, [0, 0], y)
        """,
    "a consumer behind another statement": """
        w = pl.tile.slice(t, [16, 8], [0, 6])
        k = 1; y = pl.store(w, [0, k], y)
        """,
}


@pytest.mark.parametrize("name", NOT_OFFERED)
def test_what_would_have_to_guess_is_not_offered(name: str) -> None:
    found = findings(module(NOT_OFFERED[name]), "PTO104")
    assert found
    assert [finding.fix for finding in found if finding.data["slice"] == "w"] == [None]


def test_the_dsl_keeps_the_name_that_it_is_imported_under() -> None:
    code, before, after = CASES["each consumer its own copy"]
    text = module(before).replace("pl.", "dsl.").replace(" as pl", " as dsl")
    assert fixed(text, code) == module(after).replace("pl.", "dsl.").replace(" as pl", " as dsl")


def test_a_slice_that_a_statement_outside_the_dsl_may_read_stays() -> None:
    text = module(
        "w = pl.tile.slice(t, [16, 8], [0, 6])\nu = pl.mul(t, 2.0)\nprint(w.shape)\ny = pl.store(w, [0, 0], y)"
    )
    assert "w = pl.tile.slice(t" in fixed(text, "PTO104", partly=True)


def test_an_operand_of_a_matmul_is_shown_only() -> None:
    text = on_l1(
        """\
        lo = pl.tile.slice(xm, [32, 64], [0, 64])
        right = pl.move(wm, target_memory=pl.Mem.Right)
        y = pl.store(pl.matmul(lo, right), [0, 0], y)
        return y
        """
    )
    (finding,) = findings(text, "PTO101")
    assert finding.fix is not None
    assert finding.fix.applicability is Applicability.DISPLAY
    assert "pl.tile.extract(xm, 0, 64, shape=[32, 64], target_memory=pl.Mem.Left)" in finding.fix.edits[1].text
