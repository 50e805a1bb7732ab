"""PTO315: a vector tile whose rows are not whole blocks of 32 bytes."""

from __future__ import annotations

from collections.abc import Iterable
from math import gcd

from pto_analysis.findings import Finding, Severity
from pto_analysis.fixes.repairs import padded_load
from pto_analysis.ir.types import Layout, Space, TileType
from pto_analysis.ops.sizes import row_bytes
from pto_analysis.ops.views import effective_view
from pto_analysis.rules.core_calls import core_calls
from pto_analysis.rules.example import incore
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.rule import Example, Reference, Rule

BLOCK = 32
"""Bytes that vector operations and row starts count in."""

_MAKERS = frozenset({"tile.load", "tile.create", "tile.full"})
"""Where the author says the shape; what is computed from it would only repeat the finding."""


def check(kernel: KernelFacts) -> Iterable[Finding]:
    for call, origin in core_calls(kernel):
        tile = call.type
        if (
            call.op not in _MAKERS
            or (origin is not None and origin.reason)
            or not isinstance(tile, TileType)
            or not _is_plain_vector(tile)
        ):
            continue
        size = row_bytes(tile)
        if size is not None and size % BLOCK:
            fix = None if kernel.unit is None else padded_load(kernel.unit, origin, _wider(tile))
            yield kernel.finding(RULE, origin, _message(tile, size), fix=fix, data={"row_bytes": size})


def _is_plain_vector(tile: TileType) -> bool:
    view = effective_view(tile)
    by_rows = view.blayout is Layout.ROW_MAJOR and view.slayout is Layout.NONE_BOX
    return tile.space is Space.VEC and by_rows and tile.shape[-1] != 1


def _wider(tile: TileType) -> int:
    """The next number of columns that fill whole blocks."""
    step = BLOCK * 8 // gcd(BLOCK * 8, tile.dtype.storage_bits)
    columns = tile.shape[-1]
    assert isinstance(columns, int)
    return -(-columns // step) * step


def _message(tile: TileType, size: int) -> str:
    columns = tile.shape[-1]
    return (
        f"rows of {columns} {tile.dtype} take {size} bytes, and a vector tile's rows are whole blocks of {BLOCK}: make "
        f"the tile {_wider(tile)} wide and give `valid_shape` with {columns} columns"
    )


def _kernel(load: str, mark: str = "", columns: int = 4) -> str:
    return incore(
        f"""\
            t = {load}{mark}
            y = pl.store(t, [0, 0], y)
            return y
        """,
        f"x: pl.Tensor[[8, {columns}], pl.FP32], y: pl.Out[pl.Tensor[[8, {columns}], pl.FP32]]",
    )


RULE = Rule(
    code="PTO315",
    name="vector-row-bytes",
    severity=Severity.WARNING,
    summary="A vector tile whose rows are not whole blocks of 32 bytes",
    what="""\
Reports tiles that the author loads, creates or fills in Vec, row by row, with rows that take no multiple of 32 bytes.
Column vectors `[N, 1]`, boxed and column-major tiles are exempt.""",
    why="""\
The assembler refuses such a tile, long after the compiler accepted it. `[4, 4]` of FP32 is the usual first kernel.""",
    check=check,
    fix="sometimes",
    fix_note="Loads whole blocks with the old shape as valid shape. Unsafe: tiles that meet it may have to follow.",
    references=(
        Reference("hw-native-sys/pypto", 2667),
        Reference("hw-native-sys/PTOAS", 659),
        Reference("hw-native-sys/PTOAS", 113),
    ),
    bad=(
        Example("163 columns", _kernel("pl.load(x, [0, 0], [8, 163])", "  #! PTO315", columns=163)),
        Example(
            "rows of 16 bytes",
            _kernel("pl.load(x, [0, 0], [8, 4])", "  #! PTO315 `pl.load(x, [0, 0], [8, 4])`"),
            fixed=_kernel("pl.load(x, [0, 0], [8, 8], valid_shape=[8, 4])"),
        ),
    ),
    good=(Example("padded rows", _kernel("pl.load(x, [0, 0], [8, 8], valid_shape=[8, 4])")),),
)
