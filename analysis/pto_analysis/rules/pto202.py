"""PTO202: from its second iteration on, a loop accumulates into a window of L0C that the hardware cannot write."""

from __future__ import annotations

from collections.abc import Iterable

from pto_analysis.findings import Finding, Severity
from pto_analysis.rules.example import with_operands
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.rule import Example, Reference, Rule
from pto_analysis.rules.slice_fixes import packed
from pto_analysis.rules.slice_text import source_name
from pto_analysis.rules.window_text import chain_related, reason_text, remedy_text, window_data, window_text


def check(kernel: KernelFacts) -> Iterable[Finding]:
    for strided in kernel.analysis.windows.rejected:
        if strided.code != RULE.code or strided.carried is None:
            continue
        carried, op = source_name(strided.carried), strided.op.rpartition(".")[2]
        message = (
            f"From the second iteration on, `{op}` accumulates through `{carried}` into {window_text(strided)}: "
            f"{reason_text(strided.extent)}. {remedy_text(strided)}."
        )
        related = (
            *chain_related(kernel, strided.window),
            kernel.related(strided.loop_origin, f"this loop carries `{carried}` from one iteration to the next"),
            kernel.related(strided.op_origin, f"`{op}` accumulates into `{carried}`"),
        )
        data = {**window_data(strided), "carried": carried}
        fix = packed(kernel, strided)
        yield kernel.finding(RULE, strided.origin, message, related=related, fix=fix, data=data)


_START = """\
        first = pl.tile.create([16, 96], pl.FP32, target_memory=pl.Mem.Acc)
        start = pl.tile.slice(first, [16, 48], [0, 48])
"""


def _kernel(body: str) -> str:
    return with_operands(_START + body, columns=48)


RULE = Rule(
    code="PTO202",
    name="strided-accumulator-carry",
    severity=Severity.ERROR,
    summary="A loop's back edge carries a window into an accumulation that is not contiguous in L0C",
    what="""\
Reports a loop that accumulates into a carried name, starts with a window that is fine, and yields a window that is not
(see PTO201). It speaks only where the loop provably runs more than once: literal bounds with `start + step < stop`. A
symbolic trip count, a `while` and a carry that is only read are left alone.""",
    why="""\
The first iteration is right, every later one writes through the yielded window, and the MAD has no stride for it: all
but the first 16 columns of each row tile land in the wrong rows, silently.""",
    check=check,
    fix="sometimes",
    fix_note="Packs the windows side by side: the create, the windows, annotations and stores of the whole tile.",
    references=(Reference("hw-native-sys/pto-isa", 253),),
    bad=(
        Example(
            "another accumulator for the later iterations",
            _kernel(
                """\
        other = pl.tile.create([64, 48], pl.FP32, target_memory=pl.Mem.Acc)
        band = pl.tile.slice(other, [16, 48], [16, 0])
        for k, (acc,) in pl.range(4, init_values=(start,)):
            done = pl.tile.matmul_acc(acc, left, right)
            last = pl.yield_(band)  #! PTO202
        c = pl.store(last, [0, 0], c)
        return c
"""
            ),
            fixed=_kernel(
                """\
        other = pl.tile.create([16, 192], pl.FP32, target_memory=pl.Mem.Acc)
        band = pl.tile.slice(other, [16, 48], [0, 48])
        for k, (acc,) in pl.range(4, init_values=(start,)):
            done = pl.tile.matmul_acc(acc, left, right)
            last = pl.yield_(band)
        c = pl.store(last, [0, 0], c)
        return c
"""
            ),
        ),
    ),
    good=(
        Example(
            "the same window all the way",
            _kernel(
                """\
        for k, (acc,) in pl.range(4, init_values=(start,)):
            done = pl.tile.matmul_acc(acc, left, right)
            last = pl.yield_(done)
        c = pl.store(last, [0, 0], c)
        return c
"""
            ),
        ),
    ),
)
