"""PTO606: a buffer is read under its old name after a kernel has written into it."""

from __future__ import annotations

from collections.abc import Iterable

from pto_analysis.findings import Finding, Severity
from pto_analysis.fixes.repairs import result_read
from pto_analysis.ir.expr import Expr, Invoke, Var
from pto_analysis.ir.function import Direction, FunctionKind
from pto_analysis.ir.stmt import Assign, Block, For, If, Stmt, While
from pto_analysis.passes.lowering.tree import calls_of_kernels
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.rule import Example, Reference, Rule
from pto_analysis.source.span import Origin

_WRAPPERS = frozenset({FunctionKind.GROUP, FunctionKind.SPMD, FunctionKind.INLINE})
"""Functions whose kernels share their outputs on purpose, or whose code goes somewhere else."""

_Written = dict[Var, Origin | None]
"""Variables handed to a kernel as an output, and the call."""


def check(kernel: KernelFacts) -> Iterable[Finding]:
    if kernel.written is not None or kernel.is_core or kernel.function.kind in _WRAPPERS:
        return
    walk = _Walk(kernel)
    walk.block(kernel.function.body, {})
    for (var, _), (read, call) in walk.found.items():
        related = (kernel.related(call, f"`{var.name}` is written by this call"),)
        fix = None if kernel.unit is None else result_read(kernel.unit, read, call, var.name)
        yield kernel.finding(RULE, read, _message(var), related=related, fix=fix)


def _message(var: Var) -> str:
    return (
        f"`{var.name}` was handed to a kernel as an output, and is read under its old name: bind the call's result, "
        f"`{var.name} = …`, and read that"
    )


class _Walk:
    """Statement by statement as the compiler's check goes (facts: verifier InOutUseValid)."""

    def __init__(self, kernel: KernelFacts) -> None:
        self._kernel = kernel
        self.found: dict[tuple[Var, Origin | None], tuple[Origin | None, Origin | None]] = {}

    def block(self, block: Block, written: _Written) -> _Written:
        for stmt in block:
            written = self._statement(stmt, written)
        return written

    def _statement(self, stmt: Stmt, written: _Written) -> _Written:
        for operand in stmt.operands:
            written = self._evaluated(stmt, operand, written)
        if isinstance(stmt, Assign):
            return {var: origin for var, origin in written.items() if var is not stmt.var}
        if isinstance(stmt, If):
            return {**self.block(stmt.orelse, written), **self.block(stmt.then, written)}
        if isinstance(stmt, (For, While)):
            return self._loop(stmt, written)
        for inner in stmt.blocks:
            written = self.block(inner, written)
        return written

    def _loop(self, stmt: For | While, written: _Written) -> _Written:
        """What a round leaves written is so at the start of the next one."""
        own = {arg.var for arg in stmt.iter_args}
        first = _Walk(self._kernel).block(stmt.body, {})
        at_start = {**{var: origin for var, origin in first.items() if var not in own}, **written}
        after = self.block(stmt.body, at_start)
        return {var: origin for var, origin in {**at_start, **after}.items() if var not in own}

    def _evaluated(self, stmt: Stmt, operand: Expr, written: _Written) -> _Written:
        """Arguments are read before the call writes."""
        if written:
            for var in operand.variables:
                if var in written:
                    self.found.setdefault((var, written[var]), (stmt.origin, written[var]))
        outputs = {var: call.origin for call in calls_of_kernels(operand) for var in self._outputs(call)}
        return {**outputs, **written} if outputs else written

    def _outputs(self, call: Invoke) -> list[Var]:
        callee = self._kernel.sibling(call.callee)
        if callee is None or "submit" in call.attrs:
            return []
        pairs = zip(callee.params, call.args, strict=False)
        return [arg for param, arg in pairs if param.direction is not Direction.IN and isinstance(arg, Var)]


def _module(body: str) -> str:
    return f"""\
import pypto.language as pl


@pl.program
class K:
    @pl.function(type=pl.FunctionType.InCore)
    def twice(self, x: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        y = pl.store(pl.mul(pl.load(x, [0, 0], [16, 64]), 2.0), [0, 0], y)
        return y

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self,
        x: pl.Tensor[[16, 64], pl.FP32],
        y: pl.InOut[pl.Tensor[[16, 64], pl.FP32]],
        z: pl.InOut[pl.Tensor[[16, 64], pl.FP32]],
    ):
{body}        return z
"""


RULE = Rule(
    code="PTO606",
    name="stale-output",
    severity=Severity.ERROR,
    summary="A buffer is read under its old name after a kernel has written into it",
    what="""\
Reports names that are handed to a kernel of the same program as `pl.Out` or `pl.InOut` and read afterwards, also in the
next round of a loop, without being bound anew.""",
    why="""\
The name still means the buffer as it was before the call. The compiler orders work by names, so that the reader might
run before the writer; it refuses the kernel.""",
    check=check,
    fix="sometimes",
    fix_note="Reads the name that the call's result was given. Unsafe: the old contents may be meant.",
    references=(Reference("hw-native-sys/pypto", 270),),
    bad=(
        Example(
            "the result has a name of its own, and is not used",
            _module("        first = self.twice(x, y)\n        z = self.twice(y, z)  #! PTO606\n"),
            fixed=_module("        first = self.twice(x, y)\n        z = self.twice(first, z)\n"),
        ),
        Example(
            "in the next round",
            _module(
                "        for i in pl.range(4):\n"
                "            z = self.twice(y, z)  #! PTO606\n"
                "            first = self.twice(x, y)\n"
            ),
        ),
    ),
    good=(
        Example(
            "the result under the old name", _module("        y = self.twice(x, y)\n        z = self.twice(y, z)\n")
        ),
        Example(
            "the result under a new name",
            _module("        first = self.twice(x, y)\n        z = self.twice(first, z)\n"),
        ),
        Example(
            "each round binds it anew",
            _module(
                "        for i in pl.range(4):\n            z = self.twice(y, z)\n            y = self.twice(x, y)\n"
            ),
        ),
    ),
)
