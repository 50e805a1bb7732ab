"""PTO401: what is live at one point does not fit into an on-chip buffer."""

from __future__ import annotations

from collections.abc import Iterable

from pto_analysis.findings import Finding, Severity
from pto_analysis.ir.types import Space
from pto_analysis.rules.example import incore
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.rule import Example, Reference, Rule
from pto_analysis.rules.usage import Budget, budgets, buffer_text, is_known_in_full, is_split, surely_fits

_NAMED = 3
"""Buffers that a message names; the budget lists all."""

_WAYS_OUT = {
    Space.VEC: "Work on fewer rows at a time, or finish with one of them before the next is made",
    Space.MAT: "Load smaller blocks of K, or load one operand block by block inside the loop",
    Space.LEFT: "Let the compiler tile the matmul from Mat operands, or extract smaller blocks of M or K",
    Space.RIGHT: "Let the compiler tile the matmul from Mat operands, or extract smaller blocks of N or K",
    Space.ACC: "Split M or N over a loop, or accumulate in place with matmul_acc instead of a second accumulator",
}


def check(kernel: KernelFacts) -> Iterable[Finding]:
    if not kernel.is_core or not is_known_in_full(kernel) or surely_fits(kernel):
        return
    for budget in budgets(kernel):
        shared = budget.usage.space is Space.VEC and is_split(kernel)
        if budget.is_over and not shared:
            yield _finding(kernel, budget)


def _finding(kernel: KernelFacts, budget: Budget) -> Finding:
    usage = budget.usage
    others = [buffer for buffer in usage.live if buffer.origin != usage.origin]
    names = ", ".join(f"{buffer_text(buffer)} {buffer.size}" for buffer in usage.live[:_NAMED])
    more = f" and {len(usage.live) - _NAMED} more" if len(usage.live) > _NAMED else ""
    way = _WAYS_OUT.get(usage.space, "Use smaller tiles")
    message = (
        f"{usage.space.value} needs {usage.needed} bytes here and has {budget.limit}: live at once are {names}{more}. "
        f"{way}."
    )
    related = [
        kernel.related(buffer.origin, f"{buffer_text(buffer)} takes {buffer.size} bytes and is live too")
        for buffer in others[: _NAMED - 1]
    ]
    data = {"space": usage.space.value, "needed": usage.needed, "limit": budget.limit, "physical": budget.physical}
    return kernel.finding(RULE, usage.origin, message, related=tuple(related), data=data)


def _rows(rows: int, mark: str) -> str:
    return f"""\
import pypto.language as pl


@pl.jit
def sums(x: pl.Tensor[[1024, 1024], pl.FP32], y: pl.Out[pl.Tensor[[1024, 1024], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP):
        a = x[0:{rows}, :]
        b = x[{rows}:{2 * rows}, :]{mark}
        y[0:{rows}, :] = pl.add(a, b)
    return y
"""


RULE = Rule(
    code="PTO401",
    name="buffer-overflow",
    severity=Severity.ERROR,
    summary="What is live at one point does not fit into an on-chip buffer",
    what="""\
Reports a kernel in which the tiles that are alive at one point need more bytes of Vec, Mat, Left, Right, Acc or Bias
than the compiler hands out. The sum is a lower bound: views, in-place results and loop-carried values share a buffer,
and a result takes the buffer of an operand that dies where the operation allows it. Kernels with anything unknown in
them, symbolic sizes, and Vec in kernels that are split over two vector cores are left alone.""",
    why="""\
The compiler finds it in its last stages, and names an allocation instead of the line. `pto-lint budget` shows every
buffer of a kernel at its worst point.""",
    check=check,
    references=(
        Reference("hw-native-sys/pypto", 626),
        Reference("hw-native-sys/pto-isa", 170),
        Reference("hw-native-sys/pypto", 2308),
        Reference("hw-native-sys/pypto", 1924),
    ),
    bad=(
        Example(
            "two tiles of 128 KB at once",
            incore(
                """\
                t = pl.load(x, [0, 0], [256, 128])
                u = pl.load(x, [256, 0], [256, 128])  #! PTO401
                y = pl.store(pl.add(t, u), [0, 0], y)
                return y
            """,
                "x: pl.Tensor[[512, 128], pl.FP32], y: pl.Out[pl.Tensor[[256, 128], pl.FP32]]",
            ),
        ),
        Example("192 KB of the chip's, of which the compiler hands out 184", _rows(24, "  #! PTO401")),
    ),
    good=(
        Example("184 KB", _rows(23, "")),
        Example(
            "one after the other",
            incore(
                """\
                t = pl.load(x, [0, 0], [256, 128])
                y = pl.store(pl.exp(t), [0, 0], y)
                u = pl.load(x, [256, 0], [256, 128])
                y = pl.store(pl.exp(u), [0, 0], y)
                return y
            """,
                "x: pl.Tensor[[512, 128], pl.FP32], y: pl.Out[pl.Tensor[[256, 128], pl.FP32]]",
            ),
        ),
        Example(
            "half of the rows at a time",
            incore(
                """\
                for i in pl.range(2):
                    t = pl.load(x, [i * 128, 0], [128, 128])
                    u = pl.load(x, [256 + i * 128, 0], [128, 128])
                    y = pl.store(pl.add(t, u), [i * 128, 0], y)
                return y
            """,
                "x: pl.Tensor[[512, 128], pl.FP32], y: pl.Out[pl.Tensor[[256, 128], pl.FP32]]",
            ),
        ),
    ),
)
