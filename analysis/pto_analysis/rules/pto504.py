"""PTO504: a barrier over all cores in a launch that does not have all cores."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pto_analysis.findings import Finding, Severity
from pto_analysis.fixes.repairs import started_at_once
from pto_analysis.frontend.typed import constant_int
from pto_analysis.frozen import frozen
from pto_analysis.ir.expr import Call, Expr, Var
from pto_analysis.ir.stmt import Assign, Block, For, Scope, Stmt
from pto_analysis.ir.walk import statements
from pto_analysis.passes.lowering.tree import calls, calls_of_kernels
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.rule import Example, Reference, Rule

_CUBES, _VECTORS = 24, 48
"""Cores of an A2/A3 chip (dsl.md i.2)."""

_BLOCKS: dict[str, frozenset[int]] = {
    "aiv_only": frozenset({_CUBES, _VECTORS}),
    "aic_only": frozenset({_CUBES}),
    "mix": frozenset({_CUBES}),
}
"""Launches that may have all cores that a barrier waits for: of vector work alone, or of work on both kinds."""

_QUERIES = frozenset({"system.available_cluster_count", "system.available_aiv_count"})


@frozen(eq=False)
class _Launch:
    """One launch over several cores: how many (None: as many as there are), all at once or not, and what runs."""

    blocks: int | None
    at_once: bool
    body: Block
    stmt: Stmt


def check(kernel: KernelFacts) -> Iterable[Finding]:
    if kernel.written is not None:
        return
    for launch in _launches(kernel.function.body):
        for barrier in _barriers(kernel, launch):
            problem = _problem(kernel, launch, barrier)
            if problem is not None:
                waves = "sync_start" in problem and kernel.unit is not None
                fix = started_at_once(kernel.unit, launch.stmt.origin) if waves and kernel.unit is not None else None
                yield kernel.finding(RULE, launch.stmt.origin, problem, fix=fix, data={"blocks": launch.blocks})
                break


def _launches(body: Block) -> Iterator[_Launch]:
    counted = {stmt.var for stmt in statements(body) if isinstance(stmt, Assign) and _is_query(stmt.value)}
    for stmt in statements(body):
        if not isinstance(stmt, (For, Scope)) or stmt.kind != "spmd":
            continue
        width = stmt.stop if isinstance(stmt, For) else stmt.attrs.get("core_num")
        blocks = constant_int(width)
        if blocks is not None or _is_query(width) or (isinstance(width, Var) and width in counted):
            yield _Launch(blocks, stmt.attrs.get("sync_start") is True, stmt.body, stmt)


def _is_query(value: object) -> bool:
    return isinstance(value, Call) and value.op in _QUERIES


def _barriers(kernel: KernelFacts, launch: _Launch) -> Iterator[Call]:
    """The hard barriers of the launched code, and of the kernels of the program that it calls."""
    for stmt in statements(launch.body):
        for operand in stmt.operands:
            yield from _hard(operand)
            for call in calls_of_kernels(operand):
                callee = kernel.sibling(call.callee)
                inner = statements(callee.body) if callee is not None else ()
                yield from (found for each in inner for part in each.operands for found in _hard(part))


def _hard(operand: Expr) -> Iterator[Call]:
    return (call for call in calls(operand) if call.op == "system.syncall" and call.attrs.get("mode") != "soft")


def _problem(kernel: KernelFacts, launch: _Launch, barrier: Call) -> str | None:
    kind = str(barrier.attrs.get("core_type") or "mix")
    enough = _BLOCKS.get(kind)
    if enough is None:
        return None
    is_counted = launch.blocks is not None and kernel.toolchain.target == "a2a3"
    if is_counted and launch.blocks not in enough:
        wanted = " or ".join(str(each) for each in sorted(enough))
        return (
            f"{launch.blocks} blocks reach a barrier that waits for every core of kind `{kind}`, which takes {wanted}: "
            'launch that many, or use `mode="soft"`'
        )
    if launch.at_once:
        return None
    return (
        "the blocks of this launch may start in waves, and the first waits at a barrier for the rest for ever: add "
        '`sync_start=True`, or use `mode="soft"`'
    )


def _module(launch: str) -> str:
    return f"""\
import pypto.language as pl


@pl.program
class K:
    @pl.function(type=pl.FunctionType.InCore)
    def part(self, x: pl.Tensor[[768, 64], pl.FP32], y: pl.Out[pl.Tensor[[768, 64], pl.FP32]]):
        b = pl.tile.get_block_idx()
        t = pl.load(x, [b * 16, 0], [16, 64])
        y = pl.store(pl.exp(t), [b * 16, 0], y)
        pl.system.syncall(core_type="aiv_only")
        return y

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[768, 64], pl.FP32], y: pl.Out[pl.Tensor[[768, 64], pl.FP32]]):
        {launch}
            y = self.part(x, y)
        return y
"""


RULE = Rule(
    code="PTO504",
    name="barrier-without-all-cores",
    severity=Severity.ERROR,
    summary="A barrier over all cores in a launch that does not have all cores",
    what="""\
Reports `pl.spmd` launches of a known number of blocks that reach a hard `pl.system.syncall` and cannot have all cores
it waits for on A2/A3 (24 cube cores, 48 vector cores), and launches without `sync_start=True`. Followed are the body of
the launch and kernels of the same program. Numbers that only run time knows are not judged.""",
    why="""\
Cores that were not launched never arrive: the device hangs, ends with error 507018 and has to be reset. Compilers since
July 2026 refuse it.""",
    check=check,
    fix="sometimes",
    fix_note="Adds `sync_start=True`. Unsafe: the launch then waits until all its cores are free.",
    references=(Reference("hw-native-sys/pypto", 1935), Reference("hw-native-sys/pto-isa", 197)),
    bad=(
        Example("too few blocks", _module("with pl.spmd(4, sync_start=True):  #! PTO504")),
        Example(
            "blocks in waves",
            _module("with pl.spmd(48):  #! PTO504"),
            fixed=_module("with pl.spmd(48, sync_start=True):"),
        ),
        Example(
            "in a loop over blocks",
            """\
import pypto.language as pl


@pl.jit
def rounds(x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
    for b in pl.spmd(4):  #! PTO504
        y[b * 16 : b * 16 + 16, :] = pl.exp(x[b * 16 : b * 16 + 16, :])
        pl.system.syncall(core_type="aiv_only")
    return y
""",
        ),
    ),
    good=(
        Example("all vector cores at once", _module("with pl.spmd(48, sync_start=True):")),
        Example("as many as there are", _module("with pl.spmd(pl.system.available_aiv_count(), sync_start=True):")),
    ),
)
