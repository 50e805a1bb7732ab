"""PTO312: break or continue in a loop whose rounds have no order, or that is unrolled."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pto_analysis.findings import Finding, Severity
from pto_analysis.fixes.spelling import ordered_loop
from pto_analysis.ir.stmt import Block, Break, Continue, For, If, Scope, While
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.rule import Example, Reference, Rule

_UNORDERED = {
    "parallel": "the rounds of a parallel loop have no order",
    "unroll": "an unrolled loop has no rounds left",
    "split_aiv": "its body runs once on each of the two vector cores",
}


def check(kernel: KernelFacts) -> Iterable[Finding]:
    if kernel.written is None:
        for stmt, loop in _controls(kernel.function.body, None):
            word = "break" if isinstance(stmt, Break) else "continue"
            way = "use `pl.range`, or put" if _has_range(loop) else "put"
            message = f"`{word}` in `pl.{loop.kind}`: {_UNORDERED[loop.kind]}; {way} the rest of the body under an `if`"
            fix = ordered_loop(kernel.unit, loop.origin) if kernel.unit is not None and _has_range(loop) else None
            related = (kernel.related(loop.origin, "this loop"),)
            yield kernel.finding(RULE, stmt.origin, message, related=related, fix=fix)


def _has_range(loop: For) -> bool:
    """Whether `pl.range` can stand in place of the loop."""
    return loop.kind != "split_aiv"


def _controls(block: Block, loop: For | None) -> Iterator[tuple[Break | Continue, For]]:
    """The breaks and continues of parallel and unrolled loops, each with its loop."""
    for stmt in block:
        if isinstance(stmt, (Break, Continue)):
            if loop is not None and loop.kind in _UNORDERED:
                yield stmt, loop
        elif isinstance(stmt, For):
            yield from _controls(stmt.body, stmt)
        elif isinstance(stmt, While):
            yield from _controls(stmt.body, None)
        elif isinstance(stmt, Scope):
            yield from _controls(stmt.body, loop)
        elif isinstance(stmt, If):
            yield from _controls(stmt.then, loop)
            yield from _controls(stmt.orelse, loop)


def _kernel(loop: str, mark: str) -> str:
    return f"""\
import pypto.language as pl


@pl.program
class K:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self, x: pl.Tensor[[64, 64], pl.FP32], n: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]
    ) -> pl.Tensor[[64, 64], pl.FP32]:
        for i in pl.{loop}(0, 64, 16):
            if i > n:
                break{mark}
            t = pl.load(x, [i, 0], [16, 64])
            y = pl.store(t, [i, 0], y)
        return y
"""


RULE = Rule(
    code="PTO312",
    name="loop-control-in-parallel",
    severity=Severity.ERROR,
    summary="break or continue in a parallel, unrolled or split loop",
    what="""\
Reports `break` and `continue` whose innermost loop is a `pl.parallel`, a `pl.unroll` or a `pl.split_aiv`.""",
    why="""\
There is no next round to go to and none to leave out. The compiler refuses it; older ones dropped the statement
silently, and the loop ran to its end.""",
    check=check,
    fix="sometimes",
    fix_note="Writes `pl.range`, whose rounds follow each other.",
    references=(Reference("hw-native-sys/pypto", 448),),
    bad=(
        Example("leaving a parallel loop", _kernel("parallel", "  #! PTO312"), fixed=_kernel("range", "")),
        Example(
            "leaving one of two vector cores",
            """\
import pypto.language as pl


@pl.jit
def twice(x: pl.Tensor[[64, 64], pl.FP32], n: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP):
        for lane in pl.split_aiv(2, mode=pl.SplitMode.NONE):
            if n > 1:
                break  #! PTO312
            y[:] = pl.add(x, x)
    return y
""",
        ),
    ),
    good=(Example("leaving a loop whose rounds follow each other", _kernel("range", "")),),
)
