"""PTO307: a name rebound to a value of another kind, dtype or shape."""

from __future__ import annotations

from collections.abc import Iterable

from pto_analysis.findings import Finding, Severity
from pto_analysis.frontend.issues import IssueKind
from pto_analysis.rules.example import incore
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.form_fixes import form_fix
from pto_analysis.rules.rule import Example, Rule


def check(kernel: KernelFacts) -> Iterable[Finding]:
    return kernel.findings_of(RULE, IssueKind.REBOUND_TYPE, fix=form_fix)


_X_H = "x: pl.Tensor[[64, 64], pl.FP32], h: pl.Tensor[[64, 64], pl.FP16], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]"

RULE = Rule(
    code="PTO307",
    name="rebound-type",
    severity=Severity.ERROR,
    summary="A name rebound to a value of another kind, dtype or shape",
    what="""\
Reports assignments that give a name a second type. Its memory space may change, nothing else.""",
    why="""\
The DSL's parser fixes the type of a name with its first assignment and refuses the second.""",
    check=check,
    fix="sometimes",
    fix_note="Casts a value of another dtype to that of the name. Unsafe: a name of its own may be meant.",
    bad=(
        Example(
            "a smaller tile under the same name",
            incore("""\
                t = pl.load(x, [0, 0], [64, 64])
                t = pl.load(x, [0, 0], [32, 64])  #! PTO307
                y = pl.store(t, [0, 0], y)
                return y
            """),
        ),
        Example(
            "a value of another dtype",
            incore(
                """\
                t = pl.load(x, [0, 0], [64, 64])
                t = pl.load(h, [0, 0], [64, 64])  #! PTO307
                y = pl.store(t, [0, 0], y)
                return y
                """,
                _X_H,
            ),
            fixed=incore(
                """\
                t = pl.load(x, [0, 0], [64, 64])
                t = pl.cast(pl.load(h, [0, 0], [64, 64]), pl.FP32)
                y = pl.store(t, [0, 0], y)
                return y
                """,
                _X_H,
            ),
        ),
    ),
    good=(
        Example(
            "a name of its own",
            incore("""\
                t = pl.load(x, [0, 0], [64, 64])
                u = pl.load(x, [0, 0], [32, 64])
                y = pl.store(pl.exp(t), [0, 0], y)
                y = pl.store(u, [0, 0], y)
                return y
            """),
        ),
    ),
)
