"""PTO003: an operation or keyword that the DSL does not have."""

from __future__ import annotations

from collections.abc import Iterable
from typing import cast

from pto_analysis.findings import Finding, Fix, Severity
from pto_analysis.fixes.scratch import dropped_scratch
from pto_analysis.fixes.spelling import did_you_mean
from pto_analysis.frontend.issues import FrontendIssue, IssueKind
from pto_analysis.rules.decorators import misspelt_decorators
from pto_analysis.rules.example import incore
from pto_analysis.rules.facts import FileFacts, KernelFacts
from pto_analysis.rules.rule import Example, Rule

_KINDS = frozenset({IssueKind.UNKNOWN_OPERATION, IssueKind.UNKNOWN_KEYWORD, IssueKind.UNKNOWN_CONSTANT})


def check(kernel: KernelFacts) -> Iterable[Finding]:
    for issue in kernel.issues:
        if issue.kind in _KINDS:
            fix = _fix(kernel, issue)
            yield kernel.finding(RULE, issue.origin, issue.message, fix=fix, data=issue.data)


def check_module(file: FileFacts) -> Iterable[Finding]:
    for each in misspelt_decorators(file):
        message = f"there is no decorator `{each.wrong}`, did you mean `{each.right}`? What it decorates is no kernel"
        yield each.placed(Finding(RULE.code, RULE.severity, message, each.span, fix=each.fix))


def _fix(kernel: KernelFacts, issue: FrontendIssue) -> Fix | None:
    wrong = issue.data.get("keyword") or issue.data.get("operation")
    near = issue.data.get("suggestions")
    names = tuple(str(name) for name in cast("tuple[object, ...]", near)) if isinstance(near, tuple) else ()
    if kernel.unit is None:
        return None
    if issue.data.get("keyword") == "tmp_tile" and "not for tensors" in issue.message:
        return dropped_scratch(kernel.unit, issue.origin, "tmp_tile")
    if not names:
        return None
    return did_you_mean(kernel.unit, issue.origin, str(wrong), names)


RULE = Rule(
    code="PTO003",
    name="unknown-operation",
    severity=Severity.WARNING,
    summary="An operation, keyword, dtype, enum member or decorator that the DSL does not have",
    what="""\
Reports `pl.`, `pl.tile.`, `pl.tensor.` and `pl.system.` names that are not in the op table, keyword arguments that an
operation does not take, dtypes and members of enums (`pl.Mem.Vect`) that do not exist, and decorators that are nearly
one of a kernel's, with the nearest names.""",
    why="""\
A misspelt name is found by the compiler only when the kernel is first called. What the operation gives is unknown
to every other rule, so they stay silent about what follows from it.""",
    check=check,
    check_module=check_module,
    fix="sometimes",
    fix_note="""\
Writes the nearest name; unsafe, since another one may have been meant. Leaves out the scratch tile of a reduction that
reads a tensor.""",
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
        Example(
            "a decorator that makes no kernel",
            """\
import pypto.language as pl


@pl.jit.incor  #! PTO003 `pl.jit.incor`
def kernel(x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
    y = pl.store(pl.load(x, [0, 0], [64, 64]), [0, 0], y)
    return y
""",
            fixed="""\
import pypto.language as pl


@pl.jit.incore
def kernel(x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
    y = pl.store(pl.load(x, [0, 0], [64, 64]), [0, 0], y)
    return y
""",
        ),
        Example(
            "a memory that there is not",
            incore("""\
                t = pl.load(x, [0, 0], [64, 64], target_memory=pl.Mem.Vect)  #! PTO003 `pl.Mem.Vect`
                y = pl.store(t, [0, 0], y)
                return y
            """),
            fixed=incore("""\
                t = pl.load(x, [0, 0], [64, 64], target_memory=pl.Mem.Vec)
                y = pl.store(t, [0, 0], y)
                return y
            """),
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
