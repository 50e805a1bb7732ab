"""PTO403: nested software pipelines whose copies of the loaded blocks do not fit into L1."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import prod

from pto_analysis.findings import Finding, Severity
from pto_analysis.fixes.forms import plain_loop
from pto_analysis.frozen import frozen
from pto_analysis.ir.expr import Call
from pto_analysis.ir.stmt import Assign, Block, For, If, Scope, While
from pto_analysis.ir.types import Space, TileType
from pto_analysis.ops.sizes import allocation_bytes
from pto_analysis.ops.targets import TARGETS
from pto_analysis.passes.canonicalize.collect import value_origin
from pto_analysis.rules.core_calls import operand_name
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.rule import Example, Reference, Rule
from pto_analysis.source.span import Origin


@frozen
class _Load:
    """A block of `size` bytes loaded into L1 in the pipelines `stages` (outermost first)."""

    name: str
    size: int
    stages: tuple[int, ...]
    origin: Origin | None

    @property
    def copies(self) -> int:
        return prod(self.stages)


def check(kernel: KernelFacts) -> Iterable[Finding]:
    if not kernel.is_core:
        return
    target = TARGETS[kernel.toolchain.target]
    limit = target.capacity(Space.MAT) or 0
    for loop in _outermost(kernel.function.body):
        loads = list(_loads((loop,), (), target.name))
        nested = [load for load in loads if len(load.stages) > 1]
        total = sum(load.size * load.copies for load in loads)
        if nested and total > limit >= sum(load.size * load.copies // load.stages[0] for load in loads):
            yield _finding(kernel, loop, nested, total, limit)


def _outermost(block: Block) -> Iterator[For]:
    """The software pipelines that stand in no other one."""
    for stmt in block:
        if isinstance(stmt, For) and _stage(stmt) > 1:
            yield stmt
        elif isinstance(stmt, (For, While, Scope)):
            yield from _outermost(stmt.body)
        elif isinstance(stmt, If):
            yield from _outermost(stmt.then)
            yield from _outermost(stmt.orelse)


def _stage(loop: For) -> int:
    stage = loop.attrs.get("stage")
    return stage if loop.kind == "pipeline" and isinstance(stage, int) else 1


def _loads(block: Block, stages: tuple[int, ...], target: str) -> Iterator[_Load]:
    for stmt in block:
        if isinstance(stmt, Assign) and isinstance(stmt.value, Call) and stmt.value.op == "tile.load":
            tile = stmt.var.type
            size = allocation_bytes(tile, target) if isinstance(tile, TileType) and tile.space is Space.MAT else None
            if size is not None:
                yield _Load(operand_name(stmt.value.args[0]), size, stages, value_origin(stmt))
        elif isinstance(stmt, For):
            yield from _loads(stmt.body, (*stages, _stage(stmt)) if _stage(stmt) > 1 else stages, target)
        elif isinstance(stmt, (While, Scope)):
            yield from _loads(stmt.body, stages, target)
        elif isinstance(stmt, If):
            yield from max((list(_loads(arm, stages, target)) for arm in (stmt.then, stmt.orelse)), key=_bytes)


def _bytes(loads: list[_Load]) -> int:
    return sum(load.size * load.copies for load in loads)


def _finding(kernel: KernelFacts, loop: For, nested: list[_Load], total: int, limit: int) -> Finding:
    stages = " x ".join(map(str, nested[0].stages))
    blocks = " and ".join(dict.fromkeys(f"{load.name} ({load.size} bytes)" for load in nested))
    message = (
        f"about {total} bytes of Mat, which has {limit}: pipelines in each other keep {stages} copies of the blocks of "
        f"{blocks}. Make the outer loop a `pl.range`, or the blocks smaller"
    )
    related = tuple(kernel.related(load.origin, f"{load.copies} copies of {load.size} bytes") for load in nested[:2])
    data = {"needed": total, "limit": limit, "copies": nested[0].copies}
    is_own = loop.origin is not None and loop.origin.reason is None
    fix = plain_loop(kernel.unit, loop.origin) if kernel.unit is not None and is_own else None
    return kernel.finding(RULE, loop.origin, message, related=related, data=data, fix=fix)


_MODULE = """\
import pypto.language as pl


@pl.jit
def product(
    x: pl.Tensor[[128, 1024], pl.BF16],
    w: pl.Tensor[[1024, 1024], pl.BF16],
    y: pl.Out[pl.Tensor[[128, 1024], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP):
        for n in {outer}:{mark}
            s = pl.create_tensor([128, 256], dtype=pl.FP32)
            for k in pl.pipeline(0, 1024, 256, stage=2):
                if k == 0:
                    s = pl.matmul(x[:, k : k + 256], w[k : k + 256, n : n + 256], out_dtype=pl.FP32)
                else:
                    s = pl.matmul_acc(s, x[:, k : k + 256], w[k : k + 256, n : n + 256])
            y[:, n : n + 256] = s
    return y
"""

RULE = Rule(
    code="PTO403",
    name="nested-pipelines",
    severity=Severity.HINT,
    summary="Software pipelines in each other keep more copies of loaded blocks than L1 holds",
    what="""\
Reports a `pl.pipeline` around another one when the blocks loaded into Mat inside, each times the stages of all
pipelines around it, exceed Mat, and would fit with the outer loop as a plain one. An estimate: the memory planner may
share more or less.""",
    why="""\
Stages multiply: two pipelines of two stages keep four copies of each block. Older compilers failed in the allocator,
far from either loop; newer ones lower the depth, so that loads no longer overlap as the author meant.""",
    check=check,
    fix="sometimes",
    fix_note="""\
Makes the outer loop a `pl.range`. Unsafe: its rounds no longer overlap.""",
    references=(Reference("hw-native-sys/pypto-lib", 621),),
    bad=(
        Example(
            "four copies of two blocks",
            _MODULE.format(outer="pl.pipeline(0, 1024, 256, stage=2)", mark="  #! PTO403"),
            fixed=_MODULE.format(outer="pl.range(0, 1024, 256)", mark=""),
        ),
    ),
    good=(Example("only the inner loop", _MODULE.format(outer="pl.range(0, 1024, 256)", mark="")),),
)
