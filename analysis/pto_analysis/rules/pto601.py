"""PTO601: an output parameter's name is bound to another tensor, so the caller's buffer is never written."""

from __future__ import annotations

from collections.abc import Iterable

from pto_analysis.findings import Applicability, Edit, Finding, Fix, Severity
from pto_analysis.fixes.written import Written
from pto_analysis.ir.expr import Call, Expr, Invoke, Var
from pto_analysis.ir.function import Direction, Param
from pto_analysis.ir.stmt import Assign
from pto_analysis.ir.types import TensorType
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.rule import Example, Reference, Rule
from pto_analysis.rules.written_names import derived, writes_of
from pto_analysis.source import syntax

_EMPTY = frozenset({"tensor.create"})


def check(kernel: KernelFacts) -> Iterable[Finding]:
    if kernel.written is not None:
        return
    for param in kernel.function.params:
        if param.direction is not Direction.IN and isinstance(param.var.type, TensorType):
            rebound = _rebound(kernel, param)
            if rebound is not None:
                yield _finding(kernel, param, rebound)


def _rebound(kernel: KernelFacts, param: Param) -> Assign | None:
    """The first assignment of a new tensor to the name, unless the parameter was written before it."""
    name = param.var.name
    threaded = derived(kernel.function, name)
    for stmt, written in writes_of(kernel.function):
        if not written.isdisjoint(threaded):
            return None
        if isinstance(stmt, Assign) and stmt.var.name == name:
            return stmt if _is_new(stmt, name, threaded) else None
    return None


def _is_new(stmt: Assign, name: str, threaded: frozenset[str]) -> bool:
    """Whether the value is a tensor that nothing of the parameter went into."""
    value = stmt.value
    if not isinstance(value, (Call, Invoke, Var)) or not isinstance(value.type, TensorType):
        return False
    others = threaded - {name}
    return not any(var.name == name or var.name in others for var in value.variables)


def _finding(kernel: KernelFacts, param: Param, stmt: Assign) -> Finding:
    name, what = param.var.name, _described(stmt.value)
    message = (
        f"`{name}` is bound to {what}, and the caller's `{name}` is not written: write into it with "
        f"`{name}[:] = …`, or give the result a name of its own and store it"
    )
    related = (kernel.related(param.var.origin, f"`{name}` is an output here"),)
    return kernel.finding(RULE, stmt.origin, message, related=related, fix=_fix(kernel, param, stmt))


def _described(value: Expr) -> str:
    if isinstance(value, Var):
        return f"`{value.name}`"
    if isinstance(value, Invoke):
        return f"the result of `{value.callee}`"
    assert isinstance(value, Call)
    return "an empty tensor" if value.op in _EMPTY else f"the result of `{value.op.rpartition('.')[2]}`"


def _fix(kernel: KernelFacts, param: Param, stmt: Assign) -> Fix | None:
    """`r[:] = …` in place of `r = …`, where the result has the output's shape and dtype."""
    value, kind = stmt.value, param.var.type
    if kernel.unit is None or stmt.origin is None or (isinstance(value, Call) and value.op in _EMPTY):
        return None
    if not isinstance(value, (Call, Var)) or not isinstance(value.type, TensorType) or not isinstance(kind, TensorType):
        return None
    if value.type.shape != kind.shape or value.type.dtype != kind.dtype:
        return None
    at = Written(kernel.unit, stmt.origin.statement)
    parsed = at.parsed
    if not isinstance(parsed, syntax.Assign) or len(parsed.targets) != 1:
        return None
    target = parsed.targets[0]
    if not isinstance(target, syntax.Name):
        return None
    edit = Edit(at.span(target), f"{target.name}[:]")
    return Fix(f"Write into the output: `{target.name}[:] = …`", Applicability.UNSAFE, (edit,))


_HEAD = """\
import pypto.language as pl


@pl.jit
def add2(
    a: pl.Tensor[[32, 64], pl.FP32],
    b: pl.Tensor[[32, 64], pl.FP32],
    r: pl.Out[pl.Tensor[[32, 64], pl.FP32]],
):
"""

RULE = Rule(
    code="PTO601",
    name="output-rebound",
    severity=Severity.WARNING,
    summary="An output parameter's name is bound to another tensor, so its buffer is never written",
    what="""\
Reports the first assignment to the name of a `pl.Out` or `pl.InOut` parameter that binds it to a new tensor, when
nothing was written into the parameter before. Results that mention the parameter (`r = pl.assemble(r, …)`,
`r = pl.store(…, r)`, `r = self.kernel(a, r)`), directly or through other names, are not reported.""",
    why="""\
In Python `r = …` binds a name. The buffer that the caller handed in stays as it was, the kernel compiles and runs, and
the caller reads garbage or zeros. Newer compilers warn; a tensor
made by `create` or `full` in its place they refuse.""",
    check=check,
    references=(
        Reference("hw-native-sys/pypto", 2352),
        Reference("hw-native-sys/pypto", 1525),
        Reference("hw-native-sys/pypto", 882),
    ),
    fix="sometimes",
    fix_note="`r[:] = …`, where the result has the shape and dtype of the output. Not applied without asking.",
    bad=(
        Example(
            "the sum never reaches the caller",
            _HEAD
            + """\
    with pl.at(level=pl.Level.CORE_GROUP):
        r = pl.add(a, b)  #! PTO601
    return r
""",
            fixed=_HEAD
            + """\
    with pl.at(level=pl.Level.CORE_GROUP):
        r[:] = pl.add(a, b)
    return r
""",
        ),
        Example(
            "another tensor under the output's name",
            _HEAD
            + """    total = pl.create_tensor([32, 64], dtype=pl.FP32)
    with pl.at(level=pl.Level.CORE_GROUP):
        total[:] = pl.add(a, b)
    r = total  #! PTO601
    return r
""",
        ),
    ),
    good=(
        Example(
            "written through a window",
            _HEAD
            + """\
    with pl.at(level=pl.Level.CORE_GROUP):
        r[:] = pl.add(a, b)
    return r
""",
        ),
        Example(
            "threaded through assemble, by way of another name",
            _HEAD
            + """\
    with pl.at(level=pl.Level.CORE_GROUP):
        out = pl.assemble(r, pl.add(a, b), [0, 0])
        r = out
    return r
""",
        ),
    ),
)
