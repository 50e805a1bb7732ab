"""PTO303: a window that provably reads past its source."""

from __future__ import annotations

from collections.abc import Iterable

from pto_analysis.findings import Finding, Severity
from pto_analysis.frontend.issues import IssueKind
from pto_analysis.rules.example import incore
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.rule import Example, Rule


def check(kernel: KernelFacts) -> Iterable[Finding]:
    return kernel.findings_of(RULE, IssueKind.OUT_OF_BOUNDS)


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
    ),
    good=(
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
