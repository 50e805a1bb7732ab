"""PTO322: a name that is read where not every path has defined it."""

from __future__ import annotations

from collections.abc import Iterable

from pto_analysis.findings import Finding, Related, Severity
from pto_analysis.ir.walk import statements
from pto_analysis.rules.example import incore
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.paths import DoubtfulRead, doubtful_reads
from pto_analysis.rules.rule import Example, Reference, Rule

_N = "x: pl.Tensor[[64, 64], pl.FP32], n: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]"


def check(kernel: KernelFacts) -> Iterable[Finding]:
    if kernel.lowered is not None:
        return
    suspects = doubtful_reads(kernel.function)
    if not suspects:
        return
    undefined = {issue.var for issue in kernel.analysis.ssa.issues}
    for read in suspects:
        if read.var in undefined:
            yield kernel.finding(RULE, read.origin, _message(read), related=_definitions(kernel, read))


def _message(read: DoubtfulRead) -> str:
    name = read.var.name
    return f"not every way to this line defines `{name}`: give it a value before the branch or loop"


def _definitions(kernel: KernelFacts, read: DoubtfulRead) -> tuple[Related, ...]:
    name = read.var.name
    found = (stmt.origin for stmt in statements(kernel.function.body) if read.var in stmt.definitions)
    return tuple(kernel.related(origin, f"`{name}` is defined here") for origin in found if origin is not None)


RULE = Rule(
    code="PTO322",
    name="undefined-on-a-path",
    severity=Severity.ERROR,
    summary="A name that is read where not every path has defined it",
    what="""\
Reports reads of names that only one arm of an `if` defines, or a loop that may run no round. A name that a loop defines
first and that is written to an output parameter of the same type is carried from there, and is fine.""",
    why="""\
Kernels look like Python, where the name would leak and usually be there. The compiler turns names into values that each
path must provide, and refuses the kernel; old ones took the value of one arm without a word.""",
    check=check,
    references=(Reference("hw-native-sys/pypto", 333),),
    bad=(
        Example(
            "defined in one arm",
            incore(
                """\
                if n > 3:
                    t = pl.load(x, [0, 0], [64, 64])
                y = pl.store(t, [0, 0], y)  #! PTO322
                return y
                """,
                _N,
            ),
        ),
        Example(
            "defined in a loop that may run no round",
            incore(
                """\
                for i in pl.range(n):
                    t = pl.load(x, [i, 0], [1, 64])
                y = pl.store(t, [0, 0], y)  #! PTO322
                return y
                """,
                _N,
            ),
        ),
    ),
    good=(
        Example(
            "defined in both",
            incore(
                """\
                if n > 3:
                    t = pl.load(x, [0, 0], [64, 64])
                else:
                    t = pl.tile.full([64, 64], dtype=pl.FP32, value=0.0)
                y = pl.store(t, [0, 0], y)
                return y
                """,
                _N,
            ),
        ),
        Example(
            "carried from the output",
            incore(
                """\
                for i in pl.range(n):
                    t = pl.load(x, [i, 0], [1, 64])
                    z = pl.store(t, [i, 0], y)
                return z
                """,
                _N,
            ),
        ),
        Example(
            "used where it is defined",
            incore(
                """\
                if n > 3:
                    t = pl.load(x, [0, 0], [64, 64])
                    y = pl.store(t, [0, 0], y)
                return y
                """,
                _N,
            ),
        ),
    ),
)
