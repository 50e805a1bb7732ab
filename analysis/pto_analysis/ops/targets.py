"""Facts about the targets: memory sizes, data paths, conversions (reference: DSL sections h.2, i.1 and i.2).

`a2a3` is the 910B and 910C family, `a5` the 950. Sizes are the bytes the compiler hands out.
"""

from __future__ import annotations

from collections.abc import Mapping

from pto_analysis.frozen import frozen
from pto_analysis.ir.types import Space

_KIB = 1024


@frozen
class Target:
    """One target. `paths` holds the spaces that data can be copied to from a space in one step.

    `casts` are the conversions of the vector unit, source to destinations, in the order in which the compiler looks for
    a chain of them (hw-native-sys/pypto, the chips' lists of native casts, 2026-08-21).
    """

    name: str
    title: str
    capacities: Mapping[Space, int]
    paths: Mapping[Space, frozenset[Space]]
    casts: Mapping[str, tuple[str, ...]]
    cube_cores: int
    vector_cores: int
    dies: int
    recommended_row_bytes: int

    def capacity(self, space: Space) -> int | None:
        """Bytes of an on-chip space, None for one that the target does not have."""
        return self.capacities.get(space)

    def has_path(self, source: Space, destination: Space) -> bool:
        """Whether one copy can go from `source` to `destination`. A copy inside Vec always can."""
        if source is destination:
            return source is Space.VEC
        return destination in self.paths.get(source, frozenset())

    def casts_directly(self, source: str, destination: str) -> bool:
        """Whether one conversion instruction goes from dtype `source` to dtype `destination`."""
        return destination in self.casts.get(source, ())


ALIGNMENT = {
    Space.VEC: 128,
    Space.MAT: 128,
    Space.ACC: 128,
    Space.LEFT: 64,
    Space.RIGHT: 64,
    Space.BIAS: 64,
    Space.LEFT_SCALE: 32,
    Space.RIGHT_SCALE: 32,
}
"""Alignment in bytes that a buffer of a space is recorded with."""

ALLOCATION_STEP = 32
"""Addresses are handed out in steps of this many bytes; slices must start at multiples of it."""

FRACTAL = 16
"""Matrix extents are padded to multiples of this many elements."""

_COMMON = {
    Space.MAT: 512 * _KIB,
    Space.LEFT: 64 * _KIB,
    Space.RIGHT: 64 * _KIB,
}


def _casts(text: str) -> dict[str, tuple[str, ...]]:
    """One line a dtype: `"A: B C"` as A to (B, C)."""
    rows = (line.split(":") for line in text.strip().splitlines())
    return {source.strip(): tuple(targets.split()) for source, targets in rows}


_A2A3_CASTS = _casts("""
    FP32: FP16 BF16 INT16 INT32 INT64
    FP16: FP32 INT32 INT16 INT8 UINT8 INT4
    BF16: FP32 INT32
    INT16: FP16 FP32
    INT32: FP32 INT16 INT64 FP16
    INT64: FP32 INT32
    UINT8: FP16
    INT8: FP16
    INT4: FP16
""")

_A5_CASTS = _casts("""
    FP32: FP16 BF16 INT16 INT32 INT64 FP8E4M3FN FP8E5M2 HF8
    FP16: FP32 INT32 INT16 INT8 UINT8 HF8
    BF16: FP32 INT32 FP16 FP4
    INT16: FP16 FP32 UINT8 UINT32 INT32
    INT32: FP32 INT16 INT64 UINT16 UINT8
    INT64: FP32 INT32
    UINT8: FP16 UINT16
    INT8: FP16 INT16 INT32
    UINT32: UINT8 UINT16 INT16
    FP8E4M3FN: FP32
    FP8E5M2: FP32
    HF8: FP32
    FP4: BF16
""")

A2A3 = Target(
    name="a2a3",
    title="910B",
    capacities={**_COMMON, Space.VEC: 184 * _KIB, Space.ACC: 128 * _KIB, Space.BIAS: 1 * _KIB},
    paths={
        Space.DDR: frozenset({Space.VEC, Space.MAT}),
        Space.VEC: frozenset({Space.DDR}),
        Space.MAT: frozenset({Space.LEFT, Space.RIGHT, Space.BIAS}),
        Space.ACC: frozenset({Space.MAT, Space.DDR}),
    },
    casts=_A2A3_CASTS,
    cube_cores=24,
    vector_cores=48,
    dies=1,
    recommended_row_bytes=512,
)

A5 = Target(
    name="a5",
    title="950",
    capacities={
        **_COMMON,
        Space.VEC: 240 * _KIB,
        Space.ACC: 256 * _KIB,
        Space.BIAS: 4 * _KIB,
        Space.LEFT_SCALE: 4 * _KIB,
        Space.RIGHT_SCALE: 4 * _KIB,
    },
    paths={
        Space.DDR: frozenset({Space.VEC, Space.MAT}),
        Space.VEC: frozenset({Space.DDR, Space.MAT}),
        Space.MAT: frozenset({Space.LEFT, Space.RIGHT, Space.BIAS, Space.LEFT_SCALE, Space.RIGHT_SCALE}),
        Space.ACC: frozenset({Space.VEC, Space.MAT, Space.DDR}),
    },
    casts=_A5_CASTS,
    cube_cores=18,
    vector_cores=36,
    dies=2,
    recommended_row_bytes=128,
)

TARGETS = {target.name: target for target in (A2A3, A5)}
"""Every target by its name on the command line."""
