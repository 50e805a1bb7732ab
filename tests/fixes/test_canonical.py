"""The canonical form written into a kernel: it is what the compiler makes, and nothing else of the text changes."""

from __future__ import annotations

import ast
import re
from textwrap import dedent, indent

import pytest

from pto_analysis.check import UnitKernels, read_unit
from pto_analysis.frontend.module import Modules
from pto_analysis.ide.rewriting import is_rewritten
from pto_analysis.rules.facts import FileFacts
from pto_analysis.source.unit import split_units
from pto_analysis.source.workspace import Workspace
from pto_analysis.toolchain import Toolchain
from pto_lsp.workspace.rewriting import canonical_text
from tests.fixes.test_extract import END, HEAD, body_of, module
from tests.support.cases import load_cases
from tests.support.checking import PATH, Texts


def read(text: str) -> UnitKernels | None:
    """The last unit of a module."""
    source = split_units(text)
    file = FileFacts(PATH, source, Modules(Workspace(Texts({PATH: text}))), Toolchain())
    return read_unit(file, source.units[-1])


def rewritten(text: str) -> str | None:
    """The text with the canonical form of its only kernel; None where it cannot be written."""
    found = read(text)
    assert found is not None
    kernel = next(each for each in found.kernels if each.written is None)
    assert is_rewritten(kernel)
    return canonical_text(text, read, kernel.function.qualname)


CASES = {
    "copies before their consumers, comments and quotes kept": (
        """
        # one window
        w = pl.tile.slice(t, [16, 8], [0, 6])  # of eight columns

        u = pl.exp(t)  # not touched:   spaces   stay
        v = pl.mul(
            w,  # first
            2.0,
        )
        y = pl.store(v, [0, 0], y)
        """,
        """
        # one window
        # of eight columns

        u = pl.exp(t)  # not touched:   spaces   stay
        w_copy = pl.tile.extract(t, 0, 6, shape=[16, 8], target_memory=pl.Mem.Vec)
        v = pl.mul(
            w_copy,  # first
            2.0,
        )
        y = pl.store(v, [0, 0], y)
        """,
    ),
    "an extract of a slice": (
        """
        w = pl.tile.slice(t, [8, 64], [n, 0])
        v = pl.tile.extract(w, 4, STEP, shape=[1, 16], target_memory=pl.Mem.Vec)  # a row of it
        y = pl.store(v, [0, 0], y)
        """,
        """
        v = pl.tile.extract(t, 4 + n, STEP, shape=[1, 16], target_memory=pl.Mem.Vec)  # a row of it
        y = pl.store(v, [0, 0], y)
        """,
    ),
    "a slice of a slice, and one that nothing reads": (
        """
        w = pl.tile.slice(t, [8, 64], [0, 4])
        unused = pl.tile.slice(t, [8, 8], [0, 0])
        v = pl.tile.slice(w, [8, 8], [0, 2])
        y = pl.store(pl.exp(v), [0, 0], y)
        """,
        """
        v = pl.tile.extract(t, 0, 6, shape=[8, 8], target_memory=pl.Mem.Vec)
        y = pl.store(pl.exp(v), [0, 0], y)
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES)
def test_what_becomes_of_a_kernel(before: str, after: str) -> None:
    found = rewritten(module(before))
    assert found is not None
    assert body_of(found) == dedent(after).strip("\n")


def test_a_slice_on_both_sides_of_a_product_is_not_written() -> None:
    """It needs one copy in Left and one in Right, and the source has one name."""
    body = """
        m = pl.load(x, [0, 0], [16, 16], target_memory=pl.Mem.Mat)
        w = pl.tile.slice(m, [16, 16], [0, 0])
        p = pl.matmul(w, w)
        y = pl.store(p, [0, 0], y)
    """
    assert rewritten(HEAD + indent(dedent(body).strip("\n"), " " * 8) + END) is None


def numbered(text: str) -> str:
    """A comment behind every statement of the body, as far as statements stand on one line."""
    lines = text.splitlines()
    start = next(index for index, line in enumerate(lines) if line.lstrip().startswith("def ")) + 1
    return "".join(f"{line}  # {index}\n" if index >= start else f"{line}\n" for index, line in enumerate(lines))


def test_the_compilers_cases_keep_their_comments() -> None:
    """Nearly all kernels that the compiler rewrites can be written; each keeps every comment, in order."""
    written = missed = 0
    for case in load_cases("canonicalize"):
        text = numbered(case.source)
        found = read(text)
        assert found is not None
        if not any(each.written is None and is_rewritten(each) for each in found.kernels):
            continue
        result = rewritten(text)
        if result is None:
            missed += 1
            continue
        written += 1
        ast.parse(result)
        assert sorted(re.findall(r"# \d+", result)) == sorted(re.findall(r"# \d+", text))
    assert missed <= 0.1 * written, (written, missed)
