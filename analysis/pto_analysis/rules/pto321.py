"""PTO321: an assertion about constants that provably does not hold."""

from __future__ import annotations

from collections.abc import Iterable

from pto_analysis.findings import Finding, Severity
from pto_analysis.frontend.issues import IssueKind
from pto_analysis.frozen import frozen
from pto_analysis.rules.facts import FileFacts, KernelFacts
from pto_analysis.rules.rule import Example, Rule
from pto_analysis.source import syntax
from pto_analysis.source.nodes import nodes_of
from pto_analysis.source.scanner import LogicalLine
from pto_analysis.source.span import Span
from pto_analysis.source.statements import StatementError, parse_statement
from pto_analysis.source.values import Unknown, Value, truth

MAX_SHOWN = 4
"""Names whose values the message tells."""


def check(kernel: KernelFacts) -> Iterable[Finding]:
    return kernel.findings_of(RULE, IssueKind.ASSERTION)


def check_module(file: FileFacts) -> Iterable[Finding]:
    for line in file.source.statements:
        found = _asserted(line)
        if found is not None and truth(_Values(file).of(found)) is False:
            yield Finding(RULE.code, RULE.severity, _message(file, found), _span(line))


def _asserted(line: LogicalLine) -> syntax.Expression | None:
    """The test of an `assert`."""
    if line.error is not None or not line.text.startswith("assert"):
        return None
    parsed = parse_statement(line.text)
    if isinstance(parsed, StatementError) or not isinstance(parsed.statement, syntax.OtherStatement):
        return None
    return parsed.statement.children[0] if parsed.statement.keyword == "assert" else None


@frozen(eq=False)
class _Values:
    """Names of a module that have one value from beginning to end: an assertion stands somewhere between."""

    file: FileFacts

    def of(self, node: syntax.Expression) -> Value:
        return self.file.modules.workspace.evaluate(self.file.path, node, self.lookup)

    def lookup(self, name: str) -> Value:
        workspace = self.file.modules.workspace
        index = workspace.index(self.file.path)
        if index is None or len(index.bindings.get(name, ())) > 1:
            return Unknown(f"`{name}` is bound more than once")
        return workspace.lookup(self.file.path, name)


def _message(file: FileFacts, test: syntax.Expression) -> str:
    nodes = nodes_of(syntax.ExpressionStatement(test))
    names = dict.fromkeys(node.name for node in nodes if isinstance(node, syntax.Name))
    values = {name: _Values(file).lookup(name) for name in names}
    shown = [f"{name} is {value}" for name, value in values.items() if isinstance(value, (int, float))][:MAX_SHOWN]
    return "this assertion does not hold" + (f": {_listed(shown)}" if shown else "")


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def _span(line: LogicalLine) -> Span:
    return Span(line.line, line.column, line.end_line, line.end_column)


_BLOCKS = """\
import pypto.language as pl

WIDE = {wide}
BLOCK = 64
assert WIDE % BLOCK == 0, "whole blocks only"{mark}


@pl.jit
def twice(x: pl.Tensor[[16, WIDE], pl.FP32], y: pl.Out[pl.Tensor[[16, WIDE], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP):
        y[:] = pl.mul(x, 2.0)
    return y
"""

_STATIC = """\
import pypto.language as pl

WIDE = {wide}


@pl.jit
def twice(x: pl.Tensor[[16, WIDE], pl.FP32], y: pl.Out[pl.Tensor[[16, WIDE], pl.FP32]]):
    pl.static_assert(WIDE % 64 == 0, "whole blocks only"){mark}
    with pl.at(level=pl.Level.CORE_GROUP):
        y[:] = pl.mul(x, 2.0)
    return y
"""

RULE = Rule(
    code="PTO321",
    name="failing-assertion",
    severity=Severity.ERROR,
    summary="An assertion about constants that provably does not hold",
    what="""\
Reports a module's `assert` and a kernel's `pl.static_assert` whose test is known to be false. Constants are followed
through the modules of the workspace; a name that is bound twice or has no known value keeps the rule silent.""",
    why="""\
The module cannot be imported, or the kernel not be built. Authors assert that blocks divide their tensors, since a tail
would be dropped without a message; the editor can say it as soon as a constant changes, also in another file.""",
    check=check,
    check_module=check_module,
    bad=(
        Example("blocks that do not divide the tensor", _BLOCKS.format(wide=200, mark="  #! PTO321")),
        Example("in the kernel", _STATIC.format(wide=200, mark="  #! PTO321")),
    ),
    good=(
        Example("whole blocks", _BLOCKS.format(wide=256, mark="")),
        Example("whole blocks, asserted in the kernel", _STATIC.format(wide=256, mark="")),
        Example(
            "a size that only the machine knows",
            """\
import os

import pypto.language as pl

WIDE = int(os.environ["WIDE"])
assert WIDE % 64 == 0
LIMIT = 1
LIMIT = LIMIT * 2
assert LIMIT == 2
""",
        ),
    ),
)
