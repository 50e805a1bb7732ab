"""PTO318: a copy between two buffers that the target has no data path for."""

from __future__ import annotations

from collections.abc import Iterable

from pto_analysis.findings import Finding, Severity
from pto_analysis.ir.types import Space, TileType
from pto_analysis.ops.targets import TARGETS
from pto_analysis.rules.core_calls import core_calls, operand_name, tile_of
from pto_analysis.rules.example import incore
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.rule import Example, Reference, Rule

_COPIES = frozenset({"tile.move", "tile.extract"})


def check(kernel: KernelFacts) -> Iterable[Finding]:
    target = TARGETS[kernel.toolchain.target]
    for call, origin in core_calls(kernel):
        source = tile_of(call.args[0]) if call.op in _COPIES and call.args else None
        if source is None or not isinstance(call.type, TileType):
            continue
        start, end = source.space, call.type.space
        if start is None or end is None or target.capacity(end) is None:
            continue
        if crosses_cores(start, end) or target.has_path(start, end):
            continue
        data = {"from": start.value, "to": end.value, "target": target.name}
        yield kernel.finding(RULE, origin, _message(operand_name(call.args[0]), start, end, target.name), data=data)


def crosses_cores(start: Space, end: Space) -> bool:
    """Whether the copy goes between the cube and the vector core: the compiler splits the kernel there."""
    return (start is Space.VEC) != (end is Space.VEC)


def _message(name: str, start: Space, end: Space, target: str) -> str:
    paths = TARGETS[target].paths
    reached = sorted(space.value for space in paths.get(start, frozenset()) if space is not Space.DDR)
    sources = sorted(space.value for space, ends in paths.items() if end in ends and space is not Space.DDR)
    ways = f"it can be copied to {' and '.join(reached)}" if reached else "nothing can be copied out of it"
    how = f"{end.value} is filled from {' or '.join(sources)}" if sources else f"{end.value} is filled by the cube only"
    return f"{name} is in {start.value}, and {target} cannot copy from there to {end.value}: {ways}, and {how}"


def _kernel(copy: str, mark: str = "") -> str:
    return incore(
        f"""\
            am = pl.load(a, [0, 0], [32, 64], target_memory=pl.Mem.Mat)
            bm = pl.load(b, [0, 0], [64, 32], target_memory=pl.Mem.Mat)
            left = {copy}{mark}
            right = pl.move(bm, target_memory=pl.Mem.Right)
            y = pl.store(pl.matmul(left, right), [0, 0], y)
            return y
        """,
        "a: pl.Tensor[[32, 64], pl.FP16], b: pl.Tensor[[64, 32], pl.FP16], y: pl.Out[pl.Tensor[[32, 32], pl.FP32]]",
    )


_CHAIN = """\
import pypto.language as pl


@pl.program
class K:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self,
        a: pl.Tensor[[32, 32], pl.FP32],
        b: pl.Tensor[[32, 32], pl.FP32],
        y: pl.Out[pl.Tensor[[32, 32], pl.FP32]],
    ):
        am = pl.load(a, [0, 0], [32, 32], target_memory=pl.Mem.Mat)
        bm = pl.load(b, [0, 0], [32, 32], target_memory=pl.Mem.Mat)
        right = pl.move(bm, target_memory=pl.Mem.Right)
        s = pl.matmul(pl.move(am, target_memory=pl.Mem.Left), right)
        left = pl.move({way}, target_memory=pl.Mem.Left){mark}
        y = pl.store(pl.matmul(left, right), [0, 0], y)
        return y
"""

RULE = Rule(
    code="PTO318",
    name="no-data-path",
    severity=Severity.WARNING,
    summary="A copy between two buffers that the target has no data path for",
    what="""\
Reports `move` and `extract` between two buffers of one core that no instruction connects, for the chosen target: Mat to
Mat, or anything out of Left and Right. A copy between the cube and the vector core is left alone, since the compiler
splits the kernel there and hands the tile over.""",
    why="""\
The compiler's own checks do not cover all pairs; the assembler then expects "a supported tmov address-space pair".""",
    check=check,
    references=(Reference("hw-native-sys/pypto", 1460), Reference("hw-native-sys/pypto", 1198)),
    bad=(
        Example(
            "from L1 to L1",
            _kernel("pl.move(pl.move(am, target_memory=pl.Mem.Mat), target_memory=pl.Mem.Left)", "  #! PTO318"),
        ),
        Example("from L0C to L0A, where one product feeds the next", _CHAIN.format(way="s", mark="  #! PTO318")),
    ),
    good=(
        Example("from L1 to L0A", _kernel("pl.move(am, target_memory=pl.Mem.Left)")),
        Example("by way of L1", _CHAIN.format(way="pl.move(s, target_memory=pl.Mem.Mat)", mark="")),
    ),
)
