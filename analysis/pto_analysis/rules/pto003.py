"""PTO003: an operation or keyword that the DSL does not have."""

from __future__ import annotations

from collections.abc import Iterable

from pto_analysis.findings import Finding, Severity
from pto_analysis.frontend.issues import IssueKind
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.rule import Example, Rule


def check(kernel: KernelFacts) -> Iterable[Finding]:
    return kernel.findings_of(RULE, IssueKind.UNKNOWN_OPERATION, IssueKind.UNKNOWN_KEYWORD)


RULE = Rule(
    code="PTO003",
    name="unknown-operation",
    severity=Severity.WARNING,
    summary="An operation or keyword argument that the DSL does not have",
    what="""\
Reports `pl.`, `pl.tile.`, `pl.tensor.` and `pl.system.` names that are not in the op table, and keyword arguments
that an operation does not take, with the nearest names.""",
    why="""\
A misspelt name is found by the compiler only when the kernel is first called. What the operation gives is unknown
to every other rule, so they stay silent about what follows from it.""",
    check=check,
    bad=(
        Example(
            "a misspelt operation",
            """\
import pypto.language as pl


@pl.program
class K:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
        t = pl.load(x, [0, 0], [64, 64])
        y = pl.store(pl.expp(t), [0, 0], y)  #! PTO003
        return y
""",
        ),
        Example(
            "a misspelt keyword",
            """\
import pypto.language as pl


@pl.program
class K:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
        t = pl.load(x, [0, 0], [64, 64], target_mem=pl.Mem.Vec)  #! PTO003
        y = pl.store(t, [0, 0], y)
        return y
""",
        ),
    ),
    good=(
        Example(
            "known names",
            """\
import pypto.language as pl


@pl.program
class K:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
        t = pl.load(x, [0, 0], [64, 64], target_memory=pl.Mem.Vec)
        y = pl.store(pl.exp(t), [0, 0], y)
        return y
""",
        ),
    ),
)
