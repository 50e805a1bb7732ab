"""PTO301: a call with arguments that the operation or kernel does not take."""

from __future__ import annotations

from collections.abc import Iterable

from pto_analysis.findings import Finding, Severity
from pto_analysis.frontend.issues import IssueKind
from pto_analysis.rules.example import incore
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.rule import Example, Rule


def check(kernel: KernelFacts) -> Iterable[Finding]:
    return kernel.findings_of(RULE, IssueKind.ARGUMENTS, IssueKind.CALL_ARITY)


RULE = Rule(
    code="PTO301",
    name="wrong-arguments",
    severity=Severity.ERROR,
    summary="A call with arguments that the operation or kernel does not take",
    what="""\
Reports operations and kernels called with missing, surplus or misplaced arguments, results unpacked into the wrong
number of names, and options whose value is not one that the operation knows.""",
    why="""\
The DSL's parser binds arguments when the kernel is first called, often long after it was written.""",
    check=check,
    bad=(
        Example(
            "a missing argument",
            incore("""\
                t = pl.load(x, [0, 0])  #! PTO301
                y = pl.store(t, [0, 0], y)
                return y
            """),
        ),
    ),
    good=(
        Example(
            "all arguments given",
            incore("""\
                t = pl.load(x, [0, 0], [64, 64])
                y = pl.store(t, [0, 0], y)
                return y
            """),
        ),
    ),
)
