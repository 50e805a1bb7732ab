"""PTO201: a matmul accumulates into a window of L0C that the hardware cannot write."""

from __future__ import annotations

from collections.abc import Iterable

from pto_analysis.findings import Finding, Severity
from pto_analysis.rules.example import with_operands
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.rule import Example, Reference, Rule
from pto_analysis.rules.slice_fixes import packed
from pto_analysis.rules.window_text import chain_related, reason_text, remedy_text, window_data, window_text


def check(kernel: KernelFacts) -> Iterable[Finding]:
    for strided in kernel.analysis.windows.rejected:
        if strided.code != RULE.code:
            continue
        op = strided.op.rpartition(".")[2]
        message = (
            f"`{op}` accumulates into {window_text(strided)}: {reason_text(strided.extent)}. {remedy_text(strided)}."
        )
        related = chain_related(kernel, strided.window)
        yield kernel.finding(
            RULE, strided.origin, message, related=related, fix=packed(kernel, strided), data=window_data(strided)
        )


def _kernel(body: str) -> str:
    return with_operands(body, columns=48)


RULE = Rule(
    code="PTO201",
    name="strided-accumulator-window",
    severity=Severity.ERROR,
    summary="A matmul accumulates into a window that is not contiguous in L0C",
    what="""\
Reports an accumulating operation (`matmul_acc`, `gemv_acc`, `matmul_mx_acc`, …), bound to a name or not, whose
accumulator is a window of an L0C tile that neither spans the tile's full height nor lies inside one block of 16
columns. The window need not be the slice itself: aliases, views of the same shape, results of in-place operations,
loop-carried names and merged branches are followed back to it. Symbolic extents and narrow windows at a run-time
column are not reported, since nothing is proved about them.""",
    why="""\
L0C is laid out in boxes of 16 x 16 elements, one column of boxes after the other. A window of some rows is spread over
it with gaps, but the MAD writes its result densely from the window's first byte: every block of columns after the first
lands in the wrong rows. Nothing warns at run time; only the first 16 columns of each row tile are right. The compiler
stops here. An accumulator cannot be copied out and back, so the windows have to be laid out differently: side by side,
each of full height.""",
    check=check,
    fix="sometimes",
    fix_note="""\
Packs the windows side by side: the create, the windows, windows of several bands and the windows in those, views of
the same shape, annotations, and stores of the whole tile or of several bands. A shape or an offset that has a name is
written out. Unsafe, with what is left to do in its title, where a use of the accumulator is not understood. In
tensor-level kernels only windows that are written as tile operations can be packed. A narrow window between two blocks
is moved to the first column of its block, which is unsafe: other columns are meant then.""",
    references=(Reference("hw-native-sys/pto-isa", 253), Reference("hw-native-sys/pypto", 2403)),
    bad=(
        Example(
            "a band of rows",
            _kernel(
                """\
        acc = pl.tile.create([64, 48], pl.FP32, target_memory=pl.Mem.Acc)
        band = pl.tile.slice(acc, [16, 48], [16, 0])
        band = pl.tile.matmul_acc(band, left, right)  #! PTO201 `pl.tile.matmul_acc(band, left, right)`
        c = pl.store(band, [0, 0], c)
        return c
"""
            ),
            fixed=_kernel(
                """\
        acc = pl.tile.create([16, 192], pl.FP32, target_memory=pl.Mem.Acc)
        band = pl.tile.slice(acc, [16, 48], [0, 48])
        band = pl.tile.matmul_acc(band, left, right)
        c = pl.store(band, [0, 0], c)
        return c
"""
            ),
        ),
        Example(
            "a band carried by a loop",
            _kernel(
                """\
        acc = pl.tile.create([64, 48], pl.FP32, target_memory=pl.Mem.Acc)
        band = pl.tile.slice(acc, [16, 48], [16, 0])
        for k in pl.range(4):
            band = pl.tile.matmul_acc(band, left, right)  #! PTO201
        c = pl.store(band, [0, 0], c)
        return c
"""
            ),
            fixed=_kernel(
                """\
        acc = pl.tile.create([16, 192], pl.FP32, target_memory=pl.Mem.Acc)
        band = pl.tile.slice(acc, [16, 48], [0, 48])
        for k in pl.range(4):
            band = pl.tile.matmul_acc(band, left, right)
        c = pl.store(band, [0, 0], c)
        return c
"""
            ),
        ),
    ),
    good=(
        Example(
            "the windows side by side",
            _kernel(
                """\
        acc = pl.tile.create([16, 192], pl.FP32, target_memory=pl.Mem.Acc)
        band = pl.tile.slice(acc, [16, 48], [0, 48])
        band = pl.tile.matmul_acc(band, left, right)
        c = pl.store(band, [0, 0], c)
        return c
"""
            ),
        ),
    ),
)
