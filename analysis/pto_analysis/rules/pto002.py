"""PTO002: a silencing comment that silences nothing."""

from __future__ import annotations

from pto_analysis.findings import Severity
from pto_analysis.rules.rule import Example, Rule

RULE = Rule(
    code="PTO002",
    name="unused-suppression",
    severity=Severity.WARNING,
    summary="A `# pto: ignore[...]` or `# noqa: PTO...` comment that silences nothing",
    what="""\
Reports each rule in a silencing comment that has no finding to silence where the comment stands, and each word that
names no rule. Rules that are not selected, or that do not bite on the configured toolchain, are left alone, and so
are a bare `# noqa` and the codes of other tools.""",
    why="""\
A comment that outlives its finding hides the next one. The code underneath was usually repaired long ago.""",
    fix="always",
    fix_note="Removes the rule from the comment, or the comment when nothing else is in it.",
    bad=(
        Example(
            "nothing to silence",
            """\
import pypto.language as pl


@pl.program
class K:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
        t = pl.load(x, [0, 0], [64, 64])  # pto: ignore[PTO201] #! PTO002 `PTO201`
        y = pl.store(pl.exp(t), [0, 0], y)
        return y
""",
        ),
        Example(
            "no such rule",
            """\
import pypto.language as pl


@pl.program
class K:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
        t = pl.load(x, [0, 0], [64, 64])  # noqa: PTO999 #! PTO002 `PTO999`
        y = pl.store(pl.exp(t), [0, 0], y)
        return y
""",
        ),
    ),
    good=(
        Example(
            "a comment that silences a finding",
            """\
import pypto.language as pl


@pl.program
class K:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
        t = pl.load(x, [0, 0], [64, 64])
        y = pl.store(pl.expp(t), [0, 0], y)  # pto: ignore[PTO003]
        return y
""",
        ),
    ),
)
