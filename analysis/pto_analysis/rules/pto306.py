"""PTO306: a type annotation that is wrong, or that the value contradicts."""

from __future__ import annotations

from collections.abc import Iterable

from pto_analysis.findings import Finding, Severity
from pto_analysis.frontend.issues import IssueKind
from pto_analysis.rules.example import incore
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.form_fixes import form_fix
from pto_analysis.rules.rule import Example, Rule


def check(kernel: KernelFacts) -> Iterable[Finding]:
    return kernel.findings_of(RULE, IssueKind.ANNOTATION, IssueKind.ANNOTATION_MISMATCH, fix=form_fix)


RULE = Rule(
    code="PTO306",
    name="bad-annotation",
    severity=Severity.ERROR,
    summary="A type annotation that is wrong, or that the value contradicts",
    what="""\
Reports annotations that are no type of the DSL, and annotations whose kind, dtype, rank or extents differ from the
value's.""",
    why="""\
Annotations never convert. A wrong one stops the compiler, and misleads the reader until then.""",
    check=check,
    fix="sometimes",
    fix_note="""\
Writes the value's dtype or shape into the annotation, or the name that is nearest to one that the DSL does not have.
Unsafe: the value may be what is wrong, or another name have been meant.""",
    bad=(
        Example(
            "another dtype",
            incore("""\
                t = pl.load(x, [0, 0], [64, 64])
                u: pl.Tile[[64, 64], pl.FP16] = pl.exp(t)  #! PTO306
                y = pl.store(u, [0, 0], y)
                return y
            """),
            fixed=incore("""\
                t = pl.load(x, [0, 0], [64, 64])
                u: pl.Tile[[64, 64], pl.FP32] = pl.exp(t)
                y = pl.store(u, [0, 0], y)
                return y
            """),
        ),
        Example(
            "a dtype that there is not",
            incore("""\
                t = pl.load(x, [0, 0], [64, 64])
                u: pl.Tile[[64, 64], pl.fp32] = pl.exp(t)  #! PTO306 `pl.fp32`
                y = pl.store(u, [0, 0], y)
                return y
            """),
            fixed=incore("""\
                t = pl.load(x, [0, 0], [64, 64])
                u: pl.Tile[[64, 64], pl.FP32] = pl.exp(t)
                y = pl.store(u, [0, 0], y)
                return y
            """),
        ),
    ),
    good=(
        Example(
            "the value's own type",
            incore("""\
                t = pl.load(x, [0, 0], [64, 64])
                u: pl.Tile[[64, 64], pl.FP32] = pl.exp(t)
                y = pl.store(u, [0, 0], y)
                return y
            """),
        ),
    ),
)
