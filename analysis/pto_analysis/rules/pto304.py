"""PTO304: a subscript that the DSL cannot turn into a window, read or write."""

from __future__ import annotations

from collections.abc import Iterable

from pto_analysis.findings import Finding, Severity
from pto_analysis.frontend.issues import IssueKind
from pto_analysis.rules.example import incore
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.form_fixes import form_fix
from pto_analysis.rules.rule import Example, Rule


def check(kernel: KernelFacts) -> Iterable[Finding]:
    return kernel.findings_of(RULE, IssueKind.SUBSCRIPT, fix=form_fix)


RULE = Rule(
    code="PTO304",
    name="bad-subscript",
    severity=Severity.ERROR,
    summary="A subscript that the DSL cannot turn into a window, read or write",
    what="""\
Reports subscripts with too many indices, a run-time lower bound on a tile, a step, an empty window, or a written
value that does not fit.""",
    why="""\
Subscripts of tiles and of tensors follow different rules: `t[i : i + 16, :]` with a run-time `i` is fine on a
tensor and refused on a tile. Which of the two a name holds is often visible only by following the data.""",
    check=check,
    fix="sometimes",
    fix_note="""\
Writes a window with a run-time lower bound as `pl.slice`, and one element as `pl.write`.""",
    bad=(
        Example(
            "a run-time lower bound on a tile",
            incore("""\
                t = pl.load(x, [0, 0], [64, 64])
                for i in pl.range(0, 64, 16):
                    y = pl.store(pl.exp(t[i : i + 16, :]), [i, 0], y)  #! PTO304
                return y
            """),
            fixed=incore("""\
                t = pl.load(x, [0, 0], [64, 64])
                for i in pl.range(0, 64, 16):
                    y = pl.store(pl.exp(pl.slice(t, [16, 64], [i, 0])), [i, 0], y)
                return y
            """),
        ),
    ),
    good=(
        Example(
            "the same window as a slice",
            incore("""\
                t = pl.load(x, [0, 0], [64, 64])
                for i in pl.range(0, 64, 16):
                    y = pl.store(pl.exp(pl.slice(t, [16, 64], [i, 0])), [i, 0], y)
                return y
            """),
        ),
    ),
)
