"""PTO001: the file does not parse."""

from __future__ import annotations

from pto_analysis.findings import Severity
from pto_analysis.rules.rule import Example, Rule

RULE = Rule(
    code="PTO001",
    name="syntax-error",
    severity=Severity.ERROR,
    summary="The text is not Python, or not a `.pto` module",
    what="""\
Reports text that cannot be parsed: an unclosed bracket, a broken statement, indentation that fits nothing, or
nesting beyond what any parser survives. Only files that mention the DSL are looked at.""",
    why="""\
A kernel that does not parse is not analysed. The statements around the broken one still are, so one missing
bracket does not silence the rest of the file.""",
    bad=(
        Example(
            "an unclosed bracket",
            """\
import pypto.language as pl


@pl.program
class K:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
        t = pl.load(x, [0, 0, [64, 64])  #! PTO001
        y = pl.store(pl.exp(t), [0, 0], y)
        return y
""",
        ),
    ),
    good=(
        Example(
            "every bracket closed",
            """\
import pypto.language as pl


@pl.program
class K:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
        t = pl.load(x, [0, 0], [64, 64])
        y = pl.store(pl.exp(t), [0, 0], y)
        return y
""",
        ),
    ),
)
