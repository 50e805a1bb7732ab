"""Random kernels in random formatting: a fix removes its finding, keeps comments and line ends, and what is stored."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
from attrs import frozen
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from pto_analysis.findings import Applicability
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


@frozen
class Sizes:
    """An accumulator of `count` bands, in numbers and as the module's constants may call them."""

    rows: int
    count: int
    cols: int
    r: str
    t: str
    n: str

    @property
    def height(self) -> int:
        return self.rows * self.count


@st.composite
def sizes(draw: st.DrawFn) -> Sizes:
    rows, count, cols = draw(st.sampled_from([16, 32])), draw(st.integers(2, 4)), draw(st.sampled_from([24, 32, 48]))
    names = ("R", "T", "N") if draw(st.booleans()) else (str(rows), str(count), str(cols))
    return Sizes(rows, count, cols, *names)


def called(draw: st.DrawFn, function: str, arguments: dict[str, str], positional: int) -> str:
    """A call with the first arguments by position, as far as that may go, and the others by name in any order."""
    by_position = draw(st.integers(1, positional))
    given = list(arguments.items())
    named = draw(st.permutations(given[by_position:]))
    return f"{function}({', '.join([*(value for _, value in given[:by_position]), *(f'{k}={v}' for k, v in named)])})"


def loaded(size: Sizes, row: str) -> str:
    load = f"pl.load(a, [{row}, 0], [{size.rows}, 32], target_memory=pl.Mem.Mat)"
    return f"am = pl.move({load}, target_memory=pl.Mem.Left)"


MULTIPLY = "band = pl.tile.matmul_acc(band, am, bm)"
Lines = list[tuple[int, str]]


@st.composite
def band_by_band(draw: st.DrawFn, size: Sizes, acc: str) -> Lines:
    """A loop over the bands, whose row is written in one of many ways."""
    r, rows, last = size.r, size.rows, size.rows * (size.count - 1)
    ways = [
        (f"i * {r}", size.t),
        (f"{r} * i", f"0, {size.t}"),
        (f"(i + 0) * {rows}", size.t),
        (f"i * {rows} + 0", size.t),
        ("i", f"0, {size.height}, {rows}"),
        (f"{last} - i * {r}", size.t),
        (f"(i + 1) % {size.t} * {r}", size.t),
        ("at", size.t),
    ]
    row, bounds = draw(st.sampled_from(ways))
    window = {"tile": acc, "shape": f"[{r}, {size.n}]", "offset": f"[{row}, 0]"}
    annotation = draw(st.sampled_from(["", "", f": pl.Tile[[{r}, {size.n}], pl.FP32, pl.Mem.Acc]"]))
    body = [(1, f"band{annotation} = {called(draw, 'pl.tile.slice', window, 3)}"), (1, MULTIPLY)]
    if draw(st.booleans()):
        body = [body[0], (1, f"for k in pl.range({draw(st.integers(1, 2))}):"), (2, MULTIPLY)]
    computed = [(1, f"at = i * {r}")] if row == "at" else []
    return [(0, f"for i in pl.range({bounds}):"), *computed, (1, loaded(size, row)), *body]


@st.composite
def halves(draw: st.DrawFn, size: Sizes, acc: str) -> Lines:
    """Windows of two bands, and bands cut from those."""
    number = draw(st.sampled_from(["i", "1 - i"]))
    shape = f"[{2 * size.rows}, {size.n}]"
    half = {"tile": acc, "shape": shape, "offset": draw(st.sampled_from([f"[h * {2 * size.rows}, 0]"]))}
    band = {"tile": "half", "shape": f"[{size.r}, {size.n}]", "offset": f"[({number}) * {size.r}, 0]"}
    return [
        (0, f"for h in pl.range({size.count // 2}):"),
        (1, f"half = {called(draw, 'pl.tile.slice', half, 3)}"),
        (1, "for i in pl.range(2):"),
        (2, loaded(size, f"h * {2 * size.rows} + ({number}) * {size.rows}")),
        (2, f"band = {called(draw, 'pl.tile.slice', band, 3)}"),
        (2, MULTIPLY),
    ]


@st.composite
def one_after_another(draw: st.DrawFn, size: Sizes, acc: str) -> Lines:
    """Some of the bands, by constants or subscripts."""
    body: Lines = []
    for band in sorted(draw(st.sets(st.integers(0, size.count - 1), min_size=1))):
        row, end = band * size.rows, (band + 1) * size.rows
        spellings = [
            f"pl.tile.slice({acc}, [{size.r}, {size.n}], [{row}, 0])",
            f"pl.tile.slice({acc}, [{size.r}, {size.n}], [{band} * {size.r}, 0])",
            f"{acc}[{row}:{end}]",
            f"{acc}[{row}:{end}, :]",
            f"{acc}[{row}:{end}, 0:{size.cols}]",
        ]
        body += [(0, loaded(size, str(row))), (0, f"band = {draw(st.sampled_from(spellings))}"), (0, MULTIPLY)]
    return body


@st.composite
def strided(draw: st.DrawFn) -> Kernel:
    """Bands of an accumulator, each accumulated into, then stored as a whole or in parts."""
    size = draw(sizes())
    r, t, n = size.r, size.t, size.n
    height = draw(st.sampled_from([f"{r} * {t}", f"{t} * {r}", str(size.height)]))
    create = {"shape": f"[{height}, {n}]", "dtype": "pl.FP32", "target_memory": "pl.Mem.Acc"}
    annotation = draw(st.sampled_from(["", "", f": pl.Tile[[{height}, {n}], pl.FP32, pl.Mem.Acc]"]))
    body: Lines = [
        (0, f"acc{annotation} = {called(draw, 'pl.tile.create', create, 2)}"),
        (0, f"bm = pl.move(pl.load(b, [0, 0], [32, {n}], target_memory=pl.Mem.Mat), target_memory=pl.Mem.Right)"),
    ]
    acc = draw(st.sampled_from(["acc", "acc", "other"]))
    if acc == "other":
        body.append((0, draw(st.sampled_from(["other = acc", f"other = pl.tile.reshape(acc, [{height}, {n}])"]))))
    forms = [band_by_band(size, acc), one_after_another(size, acc)]
    body += draw(st.one_of([*forms, halves(size, acc)] if size.count == 4 else forms))
    store = {"tile": acc, "offsets": "[0, 0]", "output_tensor": "c"}
    whole = called(draw, "pl.store", store, 3)
    ends: list[Lines] = [
        [(0, f"c = {whole}"), (0, "return c")],
        [(0, f"return {whole}")],
        [(0, f"done = {whole}"), (0, "return done")],
    ]
    body += draw(st.sampled_from(ends))
    shapes = ((size.height, 32), (32, size.cols), (size.height, size.cols))
    params = (
        f"a: pl.Tensor[[{size.height}, 32], pl.FP16], b: pl.Tensor[[32, {size.cols}], pl.FP16], "
        f"c: pl.Out[pl.Tensor[[{size.height}, {size.cols}], pl.FP32]]"
    )
    text = draw(written(params, body))
    for name, value in (("R", size.rows), ("T", size.count), ("N", size.cols)):
        text = text.replace(f"{{{name}}}", str(value))
    return Kernel(text, shapes)


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
    assert {f.fix and f.fix.applicability for f in findings(kernel.text, "PTO201")} == {Applicability.SAFE}
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
