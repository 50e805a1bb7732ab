"""PTO004: Python that the DSL does not have."""

from __future__ import annotations

from collections.abc import Iterable

from pto_analysis.findings import Finding, Severity
from pto_analysis.frontend.issues import IssueKind
from pto_analysis.rules.example import incore
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.form_fixes import form_fix
from pto_analysis.rules.rule import Example, Rule


def check(kernel: KernelFacts) -> Iterable[Finding]:
    return kernel.findings_of(RULE, IssueKind.OUTSIDE_DSL, fix=form_fix)


RULE = Rule(
    code="PTO004",
    name="outside-the-dsl",
    severity=Severity.WARNING,
    summary="A Python construct that the DSL's parser refuses",
    what="""\
Reports statements and expressions in kernels that are Python but not part of the DSL: `x += y`, chained assignment,
starred targets, `try`, `raise`, `assert`, `del`, nested functions, lambdas, conditional expressions, comprehensions,
f-strings, Python's own `range`.""",
    why="""\
Kernel bodies are not executed by Python: the DSL's parser reads them, and refuses these when the kernel is first
called. The analysis goes on around the construct; names that it assigns are unknown afterwards.""",
    check=check,
    fix="sometimes",
    fix_note="""\
Writes `x = x + y` for `x += y` (`pl.add(x, y)` for tiles and tensors) and `pl.range` for Python's own.""",
    bad=(
        Example(
            "augmented assignment",
            incore("""\
                t = pl.load(x, [0, 0], [64, 64])
                t += t  #! PTO004
                y = pl.store(t, [0, 0], y)
                return y
            """),
            fixed=incore("""\
                t = pl.load(x, [0, 0], [64, 64])
                t = pl.add(t, t)
                y = pl.store(t, [0, 0], y)
                return y
            """),
        ),
    ),
    good=(
        Example(
            "the same, written out",
            incore("""\
                t = pl.load(x, [0, 0], [64, 64])
                t = pl.add(t, t)
                y = pl.store(t, [0, 0], y)
                return y
            """),
        ),
    ),
)
