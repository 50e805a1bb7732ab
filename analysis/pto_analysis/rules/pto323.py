"""PTO323: a compute operation of an orchestration that stands in no code that runs on a core."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pto_analysis.findings import Finding, Severity
from pto_analysis.fixes.repairs import in_region
from pto_analysis.ir.expr import Call
from pto_analysis.ir.function import Function, FunctionKind
from pto_analysis.ir.stmt import Block, For, Scope, Stmt
from pto_analysis.passes.lowering.tree import calls
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.rule import Example, Reference, Rule

_SCHEDULED = frozenset(
    f"tensor.{name}"
    for name in (
        "assemble", "create", "dim", "read", "reinterpret_view", "reshape", "slice", "transpose", "view", "write",
    )
)  # fmt: skip
"""What an orchestration does itself (dsl.md a.3; `assemble` is placed by the compiler)."""

_REGIONS = frozenset({"at", "spmd", "cluster", "incore"})
_LAUNCHES = frozenset({"spmd", "split_aiv"})
_LEVELS = ("tensor.", "tile.")


def check(kernel: KernelFacts) -> Iterable[Finding]:
    if kernel.written is not None or not _is_orchestration(kernel.function):
        return
    for call, stmt in _outside(kernel.function.body):
        if call.op.startswith(_LEVELS) and call.op not in _SCHEDULED:
            fix = None if kernel.unit is None else in_region(kernel.unit, stmt.origin)
            yield kernel.finding(RULE, call.origin or stmt.origin, _message(call), fix=fix)


def _is_orchestration(function: Function) -> bool:
    """Whether the function only schedules work; host programs have more that they may do."""
    is_host = function.decorator == "jit.host" or "level" in function.attrs
    return function.kind is FunctionKind.ORCHESTRATION and not is_host


def _outside(block: Block) -> Iterator[tuple[Call, Stmt]]:
    """The calls that are not in a region."""
    for stmt in block:
        if isinstance(stmt, Scope) and stmt.kind in _REGIONS:
            continue
        if isinstance(stmt, For) and stmt.kind in _LAUNCHES:
            continue
        for operand in stmt.operands:
            for call in calls(operand):
                yield call, stmt
        for inner in stmt.blocks:
            yield from _outside(inner)


def _message(call: Call) -> str:
    name = call.op.rpartition(".")[2]
    return (
        f"`{name}` computes, and an orchestration only schedules work for the cores: put it into "
        "`with pl.at(level=pl.Level.CORE_GROUP):`, or into a kernel of its own"
    )


_MODULE = """\
import pypto.language as pl


@pl.jit
def scaled(x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
{body}    return y
"""

RULE = Rule(
    code="PTO323",
    name="misplaced-operation",
    severity=Severity.ERROR,
    summary="A compute operation of an orchestration that stands outside of all regions",
    what="""\
Reports operations in `@pl.jit` functions and functions of type Orchestration that stand neither in a `pl.at` or
`pl.spmd` region nor in a kernel that the function calls, and that the host's code cannot do: all but creating, slicing,
reshaping, transposing and viewing tensors and reading and writing single elements.""",
    why="""\
The parser takes them. The generator of the host's code stops much later, with an internal error that names an
operation and no line.""",
    check=check,
    fix="sometimes",
    fix_note="Puts the statement into a region of its own. Unsafe: what it makes then goes through global memory.",
    references=(
        Reference("hw-native-sys/pypto", 941),
        Reference("hw-native-sys/pypto", 621),
        Reference("hw-native-sys/pypto", 508),
    ),
    bad=(
        Example(
            "an operation before the region",
            _MODULE.format(
                body="""\
    z = pl.mul(x, 2.0)  #! PTO323 `pl.mul(x, 2.0)`
    with pl.at(level=pl.Level.CORE_GROUP):
        y[:] = pl.exp(z)
"""
            ),
            fixed=_MODULE.format(
                body="""\
    with pl.at(level=pl.Level.CORE_GROUP):
        z = pl.mul(x, 2.0)
    with pl.at(level=pl.Level.CORE_GROUP):
        y[:] = pl.exp(z)
"""
            ),
        ),
        Example(
            "an operation in an argument",
            _MODULE.format(body="    y = pl.assemble(y, pl.exp(x), [0, 0])  #! PTO323 `pl.exp(x)`\n"),
        ),
    ),
    good=(
        Example(
            "inside the region",
            _MODULE.format(
                body="""\
    for i in pl.range(4):
        rows = x[i * 16 : i * 16 + 16, :]
        with pl.at(level=pl.Level.CORE_GROUP):
            y[i * 16 : i * 16 + 16, :] = pl.exp(pl.mul(rows, 2.0))
"""
            ),
        ),
    ),
)
