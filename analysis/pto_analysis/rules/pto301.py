"""PTO301: a call with arguments that the operation or kernel does not take."""

from __future__ import annotations

from collections.abc import Iterable

from pto_analysis.findings import Finding, Severity
from pto_analysis.frontend.issues import IssueKind
from pto_analysis.rules.example import incore
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.form_fixes import form_fix
from pto_analysis.rules.rule import Example, Rule


def check(kernel: KernelFacts) -> Iterable[Finding]:
    return kernel.findings_of(RULE, IssueKind.ARGUMENTS, IssueKind.CALL_ARITY, fix=form_fix)


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
    fix="sometimes",
    fix_note="Gives a reduction of a tile the scratch tile that it lacks, of the operand's shape.",
    bad=(
        Example(
            "a reduction without scratch",
            incore("""\
                t = pl.load(x, [0, 0], [64, 64])
                m = pl.row_max(t)  #! PTO301
                y = pl.store(pl.row_expand_sub(t, m), [0, 0], y)
                return y
            """),
            fixed=incore("""\
                t = pl.load(x, [0, 0], [64, 64])
                tmp = pl.create_tile([64, 64], dtype=pl.FP32, target_memory=pl.Mem.Vec)
                m = pl.row_max(t, tmp)
                y = pl.store(pl.row_expand_sub(t, m), [0, 0], y)
                return y
            """),
        ),
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
