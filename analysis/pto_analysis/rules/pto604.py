"""PTO604: a buffer that a loop fills again while the last round's reader may still run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pto_analysis.findings import Finding, Severity
from pto_analysis.fixes.moving import made_inside
from pto_analysis.frozen import frozen
from pto_analysis.ir.expr import Call, Expr, Invoke, Var
from pto_analysis.ir.stmt import Assign, Block, For, If, Scope, Stmt, While
from pto_analysis.ir.types import TensorType
from pto_analysis.ir.walk import TRANSPARENT_SCOPES, statements
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.form_fixes import known_in
from pto_analysis.rules.rule import Example, Reference, Rule
from pto_analysis.rules.written_names import calls_of, written_operands

_ORDERED = frozenset({"range", "pipeline"})
"""Loops whose rounds the author means to follow each other."""


@frozen(eq=False)
class _Task:
    """A region that runs as a task of its own, and the names of the tensors that it reads and writes."""

    stmt: Scope | For
    reads: frozenset[str]
    writes: frozenset[str]

    @property
    def name(self) -> str:
        hint = self.stmt.attrs.get("name_hint")
        return f"`{hint}`" if isinstance(hint, str) else "the region"


def check(kernel: KernelFacts) -> Iterable[Finding]:
    if kernel.written is None and not kernel.function.kind.is_incore:
        yield from _in_block(kernel, kernel.function.body, {})


def _in_block(kernel: KernelFacts, block: Block, created: dict[str, Assign]) -> Iterator[Finding]:
    """`created` holds the tensors made before the block, in the blocks around it."""
    for stmt in block:
        if isinstance(stmt, Assign):
            if isinstance(stmt.value, Call) and stmt.value.op == "tensor.create":
                created = {**created, stmt.var.name: stmt}
        elif isinstance(stmt, (For, While)):
            if isinstance(stmt, For) and stmt.kind in _ORDERED:
                yield from _in_loop(kernel, stmt, created)
            yield from _in_block(kernel, stmt.body, created)
        elif isinstance(stmt, Scope) and stmt.kind in TRANSPARENT_SCOPES and stmt.kind != "manual_scope":
            yield from _in_block(kernel, stmt.body, created)


def _in_loop(kernel: KernelFacts, loop: For, created: dict[str, Assign]) -> Iterator[Finding]:
    tasks = _tasks(loop.body) if created else None
    if not tasks or any(task.stmt.attrs.get("deps") for task in tasks):
        return
    for name, made in created.items():
        pair = _writer_and_reader(name, tasks)
        if pair is not None and not _follows(pair[1], pair[0], tasks) and not _is_rebound(name, loop):
            yield _finding(kernel, name, made, loop, *pair)


def _tasks(body: Block) -> list[_Task] | None:
    """The tasks of a loop body; None when anything else in it touches a tensor."""
    found: list[_Task] = []
    for stmt in body:
        if isinstance(stmt, Scope) and stmt.kind in TRANSPARENT_SCOPES and stmt.kind != "manual_scope":
            inner = _tasks(stmt.body)
            if inner is None:
                return None
            found += inner
        elif isinstance(stmt, Scope) or (isinstance(stmt, For) and stmt.kind == "spmd"):
            task = _task(stmt)
            if task is None:
                return None
            found.append(task)
        elif isinstance(stmt, (For, While, If)) or any(_tensors(expr) for expr in stmt.operands):
            return None
    return found


def _task(stmt: Scope | For) -> _Task | None:
    if isinstance(stmt, Scope) and stmt.kind not in ("at", "spmd"):
        return None
    reads: set[str] = set()
    writes: set[str] = set()
    for inner in statements(stmt.body):
        for expr in inner.operands:
            reads.update(_tensors(expr))
        for call in calls_of(inner):
            if isinstance(call, Invoke):
                return None
            written = {var.name for var in written_operands(call)}
            writes |= written
    return _Task(stmt, frozenset(reads - _only_written(stmt, writes)), frozenset(writes))


def _only_written(stmt: Scope | For, writes: set[str]) -> set[str]:
    """The written tensors that no operation reads: every mention is the operand that is written."""
    mentioned: dict[str, int] = {}
    written: dict[str, int] = {}
    for inner in statements(stmt.body):
        for expr in inner.operands:
            for name in _tensors(expr):
                mentioned[name] = mentioned.get(name, 0) + 1
        for call in calls_of(inner):
            for var in written_operands(call) if isinstance(call, Call) else ():
                written[var.name] = written.get(var.name, 0) + 1
    return {name for name in writes if mentioned.get(name, 0) == written.get(name, 0)}


def _tensors(expr: Expr) -> list[str]:
    found: list[str] = []
    pending = [expr]
    while pending:
        item = pending.pop()
        if isinstance(item, Var) and isinstance(item.type, TensorType):
            found.append(item.name)
        pending.extend(item.children)
    return found


def _writer_and_reader(name: str, tasks: list[_Task]) -> tuple[_Task, _Task] | None:
    """The first task, which only writes the buffer, and the last, which only reads it, if all writers come first."""
    touching = [task for task in tasks if name in task.reads or name in task.writes]
    if len(touching) < 2 or name in touching[0].reads or name not in touching[0].writes:
        return None
    first_reader = next((place for place, task in enumerate(touching) if name in task.reads), len(touching))
    if first_reader == len(touching) or any(name in task.writes for task in touching[first_reader:]):
        return None
    return touching[0], touching[-1]


def _follows(earlier: _Task, later: _Task, tasks: list[_Task]) -> bool:
    """Whether a chain of tasks that hand over tensors leads from one task to the other, in this round or the next."""
    reached = {earlier}
    pending = [earlier]
    while pending:
        task = pending.pop()
        for other in tasks:
            if other not in reached and task.writes & (other.reads | other.writes):
                reached.add(other)
                pending.append(other)
    return later in reached


def _is_rebound(name: str, loop: For) -> bool:
    """Whether the name is given another tensor in the loop, so that each round has its own."""
    for stmt in statements(loop.body):
        if isinstance(stmt, Assign) and stmt.var.name == name and name not in _written_names(stmt):
            return True
    return False


def _written_names(stmt: Stmt) -> set[str]:
    return {var.name for call in calls_of(stmt) if isinstance(call, Call) for var in written_operands(call)}


def _finding(kernel: KernelFacts, name: str, made: Assign, loop: For, writer: _Task, reader: _Task) -> Finding:
    message = (
        f"the next round writes `{name}` while {reader.name} of this round may still read it: tasks wait for what they "
        f"read and for other writers, not for readers. Make `{name}` inside the loop, or name the reader in `deps=` of "
        "the writer"
    )
    related = (
        kernel.related(reader.stmt.origin, "read here"),
        kernel.related(made.origin, f"`{name}` is made once for all rounds"),
    )
    local = known_in(kernel.function).names
    fix = made_inside(kernel.unit, made.origin, loop.origin, name, local) if kernel.unit is not None else None
    return kernel.finding(RULE, writer.stmt.origin, message, related=related, fix=fix)


_MODULE = """\
import pypto.language as pl


@pl.jit
def rounds(x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
{before}    for i in pl.range(4):
{inside}        with pl.at(level=pl.Level.CORE_GROUP, name_hint="fill"):{mark}
            buf = pl.assemble(buf, pl.exp(x[i * 16 : i * 16 + 16, :]), [0, 0])
        with pl.at(level=pl.Level.CORE_GROUP, name_hint="use"):
            y = pl.assemble(y, pl.mul(buf, 2.0), [i * 16, 0])
    return y
"""
_MADE = "buf = pl.create_tensor([16, 64], dtype=pl.FP32)\n"

RULE = Rule(
    code="PTO604",
    name="write-after-read",
    severity=Severity.WARNING,
    summary="A loop writes a buffer again while the last round may still read it",
    what="""\
Reports a tensor made before a loop that one region of the loop body writes and a later one only reads, when no tensor
handed from region to region makes the next round's writer wait for the reader. Regions with `deps=`, manual scopes and
bodies that call other kernels are left alone.""",
    why="""\
The runtime orders a task after the writers of what it reads and after earlier writers of what it writes. It does not
order a writer after pure readers, which is documented as a choice. So results change from run to run.""",
    check=check,
    fix="sometimes",
    fix_note="""\
Makes the tensor inside the loop, where nothing else uses it. Unsafe: a round no longer finds what the one
before it left.""",
    references=(
        Reference("hw-native-sys/pypto", 2058),
        Reference("hw-native-sys/simpler", 1306),
        Reference("hw-native-sys/pypto-lib", 481),
    ),
    bad=(
        Example(
            "one buffer for all rounds",
            _MODULE.format(before="    " + _MADE, inside="", mark="  #! PTO604"),
            fixed=_MODULE.format(before="", inside="        " + _MADE, mark=""),
        ),
    ),
    good=(Example("a buffer for each round", _MODULE.format(before="", inside="        " + _MADE, mark="")),),
)
