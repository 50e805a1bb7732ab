"""PTO605: a kernel that the host calls writes into a parameter that is declared as an input."""

from __future__ import annotations

from collections.abc import Iterable

from pto_analysis.findings import Finding, Severity
from pto_analysis.fixes.spelling import declared_output
from pto_analysis.ir.expr import Call
from pto_analysis.ir.function import Direction, Param
from pto_analysis.ir.stmt import Assign, Stmt
from pto_analysis.ir.types import TensorType
from pto_analysis.ir.walk import statements
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.rule import Example, Reference, Rule
from pto_analysis.rules.written_names import calls_of, written_operands

_ENTRIES = frozenset({"jit", "jit.host"})


def check(kernel: KernelFacts) -> Iterable[Finding]:
    function = kernel.function
    if kernel.written is not None or function.decorator not in _ENTRIES:
        return
    inputs = {
        param.var.name: param for param in function.params if param.direction is Direction.IN and _is_local(param)
    }
    for stmt in statements(function.body):
        for name in _written(stmt):
            param = inputs.pop(name, None)
            if param is not None:
                yield _finding(kernel, param, stmt)
        if isinstance(stmt, Assign) and not isinstance(stmt.value, Call):
            inputs.pop(stmt.var.name, None)


def _is_local(param: Param) -> bool:
    """Windows of other ranks' memory are not copied back by anybody."""
    return isinstance(param.var.type, TensorType) and not param.var.type.distributed


def _written(stmt: Stmt) -> list[str]:
    return [var.name for call in calls_of(stmt) if isinstance(call, Call) for var in written_operands(call)]


def _finding(kernel: KernelFacts, param: Param, stmt: Stmt) -> Finding:
    name = param.var.name
    message = (
        f"`{name}` is written here, and declared as an input: the host does not copy it back. Declare it "
        "`pl.Out[…]`, or `pl.InOut[…]` when what it holds is read too"
    )
    related = (kernel.related(param.var.origin, f"`{name}` is an input here"),)
    fix = declared_output(kernel.unit, param.var.origin) if kernel.unit is not None else None
    return kernel.finding(RULE, stmt.origin, message, related=related, fix=fix)


_MODULE = """\
import pypto.language as pl


@pl.jit
def twice(a: pl.Tensor[[32, 64], pl.FP32], r: {annotation}):
    with pl.at(level=pl.Level.CORE_GROUP):
        r[:] = pl.add(a, a){mark}
    return r
"""

RULE = Rule(
    code="PTO605",
    name="input-written",
    severity=Severity.WARNING,
    summary="A kernel that the host calls writes into a parameter declared as an input",
    what="""\
Reports the first write into a plain `pl.Tensor` parameter of a `@pl.jit` or `@pl.jit.host` function: a subscript
assignment, an assemble, a store. Inline functions and kernels that other kernels call are left alone, their directions
follow from what they do.""",
    why="""\
The host copies back what is declared `pl.Out` or `pl.InOut`. What is written into an input reads as zeros, or as what
was there before.""",
    check=check,
    fix="sometimes",
    fix_note="Puts `pl.Out[…]` around the annotation; unsafe, as what the parameter holds may be read as well.",
    references=(Reference("hw-native-sys/pypto-lib", 659), Reference("hw-native-sys/pypto-lib", 669)),
    bad=(
        Example(
            "an output without its direction",
            _MODULE.format(annotation="pl.Tensor[[32, 64], pl.FP32]", mark="  #! PTO605"),
            fixed=_MODULE.format(annotation="pl.Out[pl.Tensor[[32, 64], pl.FP32]]", mark=""),
        ),
    ),
    good=(Example("declared", _MODULE.format(annotation="pl.Out[pl.Tensor[[32, 64], pl.FP32]]", mark="")),),
)
