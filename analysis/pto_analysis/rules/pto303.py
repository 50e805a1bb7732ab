"""PTO303: a window that provably reads past its source."""

from __future__ import annotations

from collections.abc import Iterable

from pto_analysis.findings import Finding, Fix, Severity
from pto_analysis.fixes.forms import clamped_read
from pto_analysis.frontend.issues import IssueKind
from pto_analysis.ir.expr import type_of
from pto_analysis.ir.types import Dim, TensorType
from pto_analysis.passes.bounds import OutsideWindow
from pto_analysis.rules.example import incore
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.loop_windows import outside_of_loops
from pto_analysis.rules.rule import Example, Reference, Rule
from pto_analysis.rules.slice_text import quoted, source_text


def check(kernel: KernelFacts) -> Iterable[Finding]:
    yield from kernel.findings_of(RULE, IssueKind.OUT_OF_BOUNDS)
    refused = {issue.origin for issue in kernel.issues if issue.kind is IssueKind.OUT_OF_BOUNDS}
    for window in outside_of_loops(kernel):
        if window.origin in refused:
            continue
        yield kernel.finding(RULE, window.origin, _message(window), data=_data(window), fix=_fix(kernel, window))
    if not kernel.is_core:
        return
    for window in kernel.analysis.outside:
        if window.origin in refused:
            continue
        yield kernel.finding(RULE, window.origin, _message(window), data=_data(window), fix=_fix(kernel, window))
    rejection = kernel.analysis.canonical.rejection
    if rejection is not None and not kernel.analysis.outside and rejection.slice_origin not in refused:
        message = f"{quoted(rejection.slice)} reads past its source: {rejection.message}"
        yield kernel.finding(RULE, rejection.slice_origin, message)


def _fix(kernel: KernelFacts, window: OutsideWindow) -> Fix | None:
    if kernel.unit is None or not isinstance(type_of(window.source), TensorType):
        return None
    return clamped_read(kernel.unit, window.origin)


_ROUNDS = {"always": "", "first": " in the first round of its loops", "last": " in the last round of its loops"}


def _message(window: OutsideWindow) -> str:
    name = ("rows", "columns")[window.axis] if window.axis < 2 else f"elements of axis {window.axis}"
    start = source_text(window.offset) if window.value is None else str(window.value)
    return (
        f"reads past the end of {quoted(window.source)}: {_shown(window.extent)} {name} from {start} on"
        f"{_ROUNDS[window.round]}, but there are {_shown(window.available)}"
    )


def _shown(extent: Dim) -> object:
    return extent if isinstance(extent, int) else source_text(extent)


def _data(window: OutsideWindow) -> dict[str, object]:
    return {
        "axis": window.axis,
        "offset": source_text(window.offset) if window.value is None else window.value,
        "extent": _shown(window.extent),
        "available": _shown(window.available),
        "round": window.round,
    }


_ROWS = """\
import pypto.language as pl


@pl.jit
def twice(x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[80, 64], pl.FP32]]):
    for r in pl.parallel(0, {rows}, 16):
        with pl.at(level=pl.Level.CORE_GROUP):
            part = x[r : r + 16, :]{mark}
            y[r : r + 16, :] = pl.add(part, part)
    return y
"""

_ALL_ROWS = """\
import pypto.language as pl

N = pl.dynamic("N")


@pl.jit
def twice(x: pl.Tensor[[N, 64], pl.FP32], y: pl.Out[pl.Tensor[[N, 64], pl.FP32]]):
    n = pl.tensor.dim(x, 0)
    for r in pl.parallel(0, 512, 16):
        left = {left}
        with pl.at(level=pl.Level.CORE_GROUP):
            part = pl.slice(x, [16, 64], [r, 0], valid_shape=[left, 64]){mark}
            y = pl.assemble(y, pl.add(part, part), [r, 0])
    return y
"""

_BLOCKS = """\
import pypto.language as pl


@pl.jit
def twice(x: pl.Tensor[[64, 256], pl.FP32], y: pl.Out[pl.Tensor[[64, 320], pl.FP32]]):
    with pl.spmd({blocks}, name_hint="twice"):
        b = pl.tile.get_block_idx()
        y[:, b * 64 : b * 64 + 64] = pl.mul(x[:, b * 64 : b * 64 + 64], 2.0){mark}
    for c in pl.spmd({blocks}, name_hint="again"):
        y[:, c * 64 : c * 64 + 64] = pl.add(x[:, c * 64 : c * 64 + 64], 2.0){mark}
    return y
"""

RULE = Rule(
    code="PTO303",
    name="window-out-of-bounds",
    severity=Severity.ERROR,
    summary="A window that provably reads past its source",
    what="""\
Reports slices, loads, extracts and stores whose offset and extent provably leave the tile or tensor that they
address.""",
    why="""\
The compiler refuses the window where it notices; where the offset is only known after folding it may notice late,
or the device reads its neighbour's bytes.""",
    check=check,
    references=(Reference("hw-native-sys/pypto-lib", 1111), Reference("hw-native-sys/pypto-lib", 653)),
    fix="sometimes",
    fix_note="""\
Adds `clamp=True` to a load or a slice of a tensor. Unsafe: what is not there stays unread, and the result gets a
valid shape.""",
    bad=(
        Example(
            "a slice past the last column",
            incore("""\
                t = pl.load(x, [0, 0], [64, 64])
                u = pl.tile.slice(t, [64, 32], [0, 48])  #! PTO303
                y = pl.store(u, [0, 0], y)
                return y
            """),
        ),
        Example(
            "one round too many",
            incore("""\
                t = pl.load(x, [0, 0], [64, 64])
                for i in pl.range(0, 80, 16):
                    u = pl.tile.slice(t, [16, 64], [i, 0])  #! PTO303 `pl.tile.slice(t, [16, 64], [i, 0])`
                    y = pl.store(u, [0, 0], y)
                return y
            """),
        ),
        Example(
            "a block that reaches past the end of a tensor",
            incore("""\
                for i in pl.range(0, 80, 16):
                    t = pl.load(x, [i, 0], [16, 64])  #! PTO303
                    y = pl.store(t, [0, 0], y)
                return y
            """),
            fixed=incore("""\
                for i in pl.range(0, 80, 16):
                    t = pl.load(x, [i, 0], [16, 64], clamp=True)
                    y = pl.store(t, [0, 0], y)
                return y
            """),
        ),
        Example("a loop around the region", _ROWS.format(rows=72, mark="  #! PTO303")),
        Example(
            "a valid shape that counts all rows, and not those from the offset on",
            _ALL_ROWS.format(left="n", mark="  #! PTO303"),
        ),
        Example("one block too many", _BLOCKS.format(blocks=5, mark="  #! PTO303")),
    ),
    good=(
        Example("as many blocks as the tensor has", _BLOCKS.format(blocks=4, mark="")),
        Example("a valid shape that counts from the offset on", _ALL_ROWS.format(left="pl.min(16, n - r)", mark="")),
        Example("blocks that fit", _ROWS.format(rows=64, mark="")),
        Example(
            "windows that just fit in the last round",
            incore("""\
                t = pl.load(x, [0, 0], [64, 64])
                for i in pl.range(0, 64, 16):
                    u = pl.tile.slice(t, [16, 64], [i, 0])
                    y = pl.store(u, [i, 0], y)
                return y
            """),
        ),
        Example(
            "the last columns",
            incore("""\
                t = pl.load(x, [0, 0], [64, 64])
                u = pl.tile.slice(t, [64, 32], [0, 32])
                y = pl.store(u, [0, 0], y)
                return y
            """),
        ),
    ),
)
