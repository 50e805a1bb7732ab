"""The op table: one row for every op, looked up by IR name."""

from __future__ import annotations

from functools import lru_cache

from pto_analysis.ops.spec import OpSpec


@lru_cache(maxsize=1)
def table() -> dict[str, OpSpec]:
    """Every row by IR name. Read it, do not change it."""
    from pto_analysis.ops.table.row import rows_by_name
    from pto_analysis.ops.table.system import OTHER_OPS
    from pto_analysis.ops.table.tensor_elementwise import TENSOR_ELEMENTWISE
    from pto_analysis.ops.table.tensor_memory import TENSOR_MEMORY
    from pto_analysis.ops.table.tile_cube import TILE_CUBE
    from pto_analysis.ops.table.tile_elementwise import TILE_ELEMENTWISE
    from pto_analysis.ops.table.tile_memory import TILE_MEMORY
    from pto_analysis.ops.table.tile_reductions import TILE_REDUCTIONS

    return rows_by_name(
        TILE_ELEMENTWISE,
        TILE_REDUCTIONS,
        TILE_CUBE,
        TILE_MEMORY,
        TENSOR_ELEMENTWISE,
        TENSOR_MEMORY,
        OTHER_OPS,
    )


def get(name: str) -> OpSpec | None:
    """The row of an IR op ("tile.load"), or None for an op that is not known."""
    return table().get(name)
