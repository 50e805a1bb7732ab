"""PTO402: one tile, placed by its author, that is larger than the buffer it is placed in."""

from __future__ import annotations

from collections.abc import Iterable

from pto_analysis.findings import Finding, Severity
from pto_analysis.fixes.scratch import unplaced_operand
from pto_analysis.ir.types import Space, TileType
from pto_analysis.ops.sizes import allocation_bytes
from pto_analysis.ops.targets import TARGETS
from pto_analysis.rules.core_calls import core_calls
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.rule import Example, Reference, Rule
from pto_analysis.rules.usage import is_known_in_full

_MADE_BY = frozenset({"tile.load", "tile.move", "tile.extract", "tile.create", "tile.full"})

_WAYS_OUT = {
    Space.LEFT: "leave the placement out, so that the compiler tiles the matmul, or take fewer rows or less of K",
    Space.RIGHT: "leave the placement out, so that the compiler tiles the matmul, or take fewer columns or less of K",
}


def check(kernel: KernelFacts) -> Iterable[Finding]:
    if kernel.lowered is not None or not kernel.is_core or is_known_in_full(kernel):
        return
    target = TARGETS[kernel.toolchain.target]
    for call, origin in core_calls(kernel):
        tile = call.type
        if call.op not in _MADE_BY or not isinstance(tile, TileType) or tile.space is None:
            continue
        limit, size = target.capacity(tile.space), allocation_bytes(tile, target.name)
        if limit is not None and size is not None and size > limit:
            way = _WAYS_OUT.get(tile.space, "work on a part of it at a time")
            message = (
                f"this tile of {' x '.join(map(str, tile.shape))} {tile.dtype} takes {size} bytes, and all of "
                f"{tile.space.value} has {limit}: {way}"
            )
            data = {"space": tile.space.value, "needed": size, "limit": limit}
            fix = unplaced_operand(kernel.unit, call.origin) if kernel.unit is not None else None
            yield kernel.finding(RULE, origin, message, data=data, fix=fix if tile.space in _WAYS_OUT else None)


_MODULE = """\
import pypto.language as pl


@pl.jit.incore
def product(a: pl.Tensor, b: pl.Tensor[[256, {columns}], pl.FP16], y: pl.Out[pl.Tensor]):
    bm = pl.load(b, [0, 0], [256, {columns}], target_memory=pl.Mem.Mat)
    right = pl.move(bm, target_memory=pl.Mem.Right){mark}
    am = pl.load(a, [0, 0], [64, 256], target_memory=pl.Mem.Mat)
    y = pl.store(pl.matmul(pl.move(am, target_memory=pl.Mem.Left), right), [0, 0], y)
    return y
"""

RULE = Rule(
    code="PTO402",
    name="tile-larger-than-buffer",
    severity=Severity.ERROR,
    summary="One tile alone is larger than the buffer that its author places it in",
    what="""\
Reports loads, moves, extracts and created tiles of a known size that exceeds the whole buffer which they name, in
kernels of which other parts are not known. Where all is known, PTO401 reports the worst point of the buffer.""",
    why="""\
An explicit `target_memory` is taken as an order: nothing is tiled, and the last stages of the compiler find that the
tile does not fit.""",
    check=check,
    fix="sometimes",
    fix_note="Takes a matmul's operand as it is, instead of moving it. Unsafe: the compiler then cuts it as it likes.",
    references=(
        Reference("hw-native-sys/pypto", 2308),
        Reference("hw-native-sys/pypto", 626),
        Reference("hw-native-sys/pypto", 627),
    ),
    bad=(
        Example(
            "128 KB in L0B",
            _MODULE.format(columns=256, mark="  #! PTO402"),
            fixed=_MODULE.format(columns=256, mark="").replace("pl.move(bm, target_memory=pl.Mem.Right)", "bm"),
        ),
    ),
    good=(Example("64 KB in L0B", _MODULE.format(columns=128, mark="")),),
)
