"""The op table: one row for every op, looked up by IR name.

To add an op, add one `row(...)` to the module of its kind: name, sentence, signature, typing rules, and what the
defaults of `OpSpec` do not say. Spelling, binding, typing, completion and hover follow from it. Only an op with a
short spelling of its own (`pl.add` for tiles and tensors) needs a line in `spellings`, and only one whose type no
rule describes a new rule in `ops.deduction`.
"""

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
    from pto_analysis.ops.table.tile_cross_core import TILE_CROSS_CORE
    from pto_analysis.ops.table.tile_cube import TILE_CUBE
    from pto_analysis.ops.table.tile_elementwise import TILE_ELEMENTWISE
    from pto_analysis.ops.table.tile_expands import TILE_EXPANDS
    from pto_analysis.ops.table.tile_indexed import TILE_INDEXED
    from pto_analysis.ops.table.tile_memory import TILE_MEMORY
    from pto_analysis.ops.table.tile_reductions import TILE_REDUCTIONS

    return rows_by_name(
        TILE_ELEMENTWISE,
        TILE_EXPANDS,
        TILE_REDUCTIONS,
        TILE_CUBE,
        TILE_MEMORY,
        TILE_INDEXED,
        TILE_CROSS_CORE,
        TENSOR_ELEMENTWISE,
        TENSOR_MEMORY,
        OTHER_OPS,
    )


@lru_cache(maxsize=4096)
def get(name: str) -> OpSpec | None:
    """The row of an IR op ("tile.load"), or None for an op that is not known."""
    return table().get(name)
