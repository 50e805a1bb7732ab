"""Random kernels in random formatting: a fix removes its finding, keeps comments and line ends, and what is stored."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
from attrs import frozen
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.fixes.fixing import findings, fixed
from tests.fixes.machine import Machine

COMMENT = re.compile(r"#[^\r\n]*")
FEW = settings(
    max_examples=15,
    deadline=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow],
)


@st.composite
def formatted(draw: st.DrawFn, statement: str, depth: int, tab: str) -> str:
    """A statement with line breaks, comments and blanks at its commas inside brackets, and behind and before it."""
    pieces = statement.split(", ")
    text, opened = pieces[0], 0
    for piece in pieces[1:]:
        opened = text.count("(") + text.count("[") - text.count(")") - text.count("]")
        gaps = [", ", ",", ",  ", f",\n{tab * (depth + 1)}", f",  # note\n{tab * depth}"] if opened else [", "]
        text += draw(st.sampled_from(gaps)) + piece
    before = draw(st.sampled_from(["", "", "\n", f"{tab * depth}# above\n"]))
    return f"{before}{tab * depth}{text}{draw(st.sampled_from(['', '', '  # behind', ' ']))}\n"


@frozen
class Kernel:
    """A module, and the shapes of its tensors; the last one is written."""

    text: str
    shapes: tuple[tuple[int, int], ...]


@st.composite
def written(draw: st.DrawFn, params: str, statements: list[tuple[int, str]]) -> str:
    tab = draw(st.sampled_from(["    ", "  ", "\t"]))
    body = "".join(draw(formatted(text, 2 + depth, tab)) for depth, text in statements)
    head = "import pypto.language as pl\n\nR = {R}\nT = {T}\nN = {N}\n\n\n@pl.program\nclass K:\n"
    text = f"{head}{tab}@pl.function(type=pl.FunctionType.InCore)\n{tab}def kernel(self, {params}):\n{body}"
    return text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))


@st.composite
def strided(draw: st.DrawFn) -> Kernel:
    """Bands of an accumulator, each accumulated into, then stored as a whole or one by one."""
    rows, count, cols = draw(st.sampled_from([16, 32])), draw(st.integers(2, 4)), draw(st.sampled_from([24, 32, 48]))
    named = draw(st.booleans())
    r, t, n = ("R", "T", "N") if named else (str(rows), str(count), str(cols))
    height = draw(st.sampled_from([f"{r} * {t}", f"{t} * {r}", str(rows * count)]))
    row, bounds = draw(
        st.sampled_from(
            [
                (f"i * {r}", f"{t}"),
                (f"{r} * i", f"0, {t}"),
                (f"(i + 0) * {rows}", f"{t}"),
                ("i", f"0, {rows * count}, {rows}"),
                (f"{rows * (count - 1)} - i * {r}", f"{t}"),
                ("at", f"{t}"),
            ]
        )
    )
    window = draw(st.sampled_from(["acc, [{0}, {1}], [{2}, 0]", "acc, shape=[{0}, {1}], offset=[{2}, 0]"]))
    window = window.format(r, n, row)
    load = f"pl.load(a, [{row}, 0], [{rows}, 32], target_memory=pl.Mem.Mat)"
    body = [
        (0, f"acc = pl.tile.create([{height}, {n}], pl.FP32, target_memory=pl.Mem.Acc)"),
        (0, f"bm = pl.move(pl.load(b, [0, 0], [32, {n}], target_memory=pl.Mem.Mat), target_memory=pl.Mem.Right)"),
        (0, f"for i in pl.range({bounds}):"),
        *([(1, f"at = i * {r}")] if row == "at" else []),
        (1, f"am = pl.move({load}, target_memory=pl.Mem.Left)"),
        (1, f"band = pl.tile.slice({window})"),
        (1, "band = pl.tile.matmul_acc(band, am, bm)"),
    ]
    one_by_one = [(1, f"c = pl.store(band, [{row}, 0], c)"), (0, "return c")]
    whole = [(0, "c = pl.store(acc, [0, 0], c)"), (0, "return c")]
    body += draw(st.sampled_from([one_by_one, whole, [(0, "return pl.store(acc, [0, 0], c)")]]))
    shapes = ((rows * count, 32), (32, cols), (rows * count, cols))
    params = (
        f"a: pl.Tensor[[{shapes[0][0]}, 32], pl.FP16], b: pl.Tensor[[32, {cols}], pl.FP16], "
        f"c: pl.Out[pl.Tensor[[{shapes[2][0]}, {cols}], pl.FP32]]"
    )
    text = draw(written(params, body))
    return Kernel(text.replace("{R}", str(rows)).replace("{T}", str(count)).replace("{N}", str(cols)), shapes)


OFFSETS = [
    ("0", "6"),
    ("0", "i"),
    ("0", "i * 8"),
    ("i", "0"),
    ("i * 2", "i + 1"),
    ("0", "k"),
    ("0", "i * 16 // 2"),
    ("0", "4"),
]


@st.composite
def unaligned(draw: st.DrawFn) -> Kernel:
    """Windows of a vector tile at all kinds of offsets, read by one or several operations."""
    body: list[tuple[int, str]] = [(0, "t = pl.load(x, [0, 0], [16, 64])"), (0, "for i in pl.range(3):")]
    body.append((1, "k = i * 3"))
    for number in range(draw(st.integers(1, 3))):
        row, col = draw(st.sampled_from(OFFSETS))
        window = f"pl.tile.slice(t, [4, 8], [{row}, {col}])"
        body.append((1, f"w = {window}"))
        if draw(st.booleans()):
            body.append((1, draw(st.sampled_from(["k = k + 1", "v = t", "t = pl.add(t, 1.0)"]))))
        operand = draw(st.sampled_from(["w", window]))
        body.append((1, f"u{number} = pl.mul({operand}, 2.0)"))
        body.append((1, f"y = pl.store(pl.add(u{number}, w), [{4 * number}, i * 8], y)"))
    body.append((0, "return y"))
    params = "x: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]"
    text = draw(written(params, body)).replace("{R}", "1").replace("{T}", "1").replace("{N}", "1")
    return Kernel(text, ((16, 64), (16, 64)))


def stored(text: str, kernel: Kernel, *, is_ideal: bool) -> list[list[float]]:
    random = np.random.default_rng(1)
    arrays = [random.integers(-4, 5, shape).astype(float) for shape in kernel.shapes]
    return Machine(is_ideal=is_ideal).run(text, *arrays).tolist()


def keeps_what_is_written(before: str, after: str) -> None:
    lost = Counter(COMMENT.findall(before)) - Counter(COMMENT.findall(after))
    assert not lost, after
    assert ("\r\n" in before) == ("\r\n" in after)
    assert after.count("\n") == after.count("\r\n") or "\r" not in after


@given(strided())
@FEW
def test_packing_random_kernels(kernel: Kernel) -> None:
    packed = fixed(kernel.text, "PTO201")
    keeps_what_is_written(kernel.text, packed)
    assert stored(kernel.text, kernel, is_ideal=True) == stored(packed, kernel, is_ideal=False)


@given(unaligned())
@FEW
def test_copying_random_windows(kernel: Kernel) -> None:
    """PTO107 first, as `--fix` has it: what is left of PTO104 are true copies, or has no fix."""
    text = kernel.text
    for code in ("PTO107", "PTO104"):
        if any(finding.fix is not None for finding in findings(text, code)):
            text = fixed(text, code, partly=True)
    keeps_what_is_written(kernel.text, text)
    assert stored(kernel.text, kernel, is_ideal=True) == stored(text, kernel, is_ideal=True)
