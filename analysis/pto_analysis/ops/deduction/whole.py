"""Names of the whole-type rules."""

from __future__ import annotations

from collections.abc import Callable

from pto_analysis.ir.types import Type
from pto_analysis.ops.deduction import (
    cube,
    gathers,
    generation,
    library,
    memory,
    renaming,
    tensor_products,
    tensor_views,
    tensors,
)
from pto_analysis.ops.deduction.site import Site

_RULES: dict[str, Callable[[Site], Type]] = {
    "load": memory.load,
    "store": memory.store,
    "create": memory.create,
    "move": memory.move,
    "slice": memory.slice_,
    "extract": memory.extract,
    "reshape": renaming.reshape,
    "reinterpret": renaming.reinterpret,
    "transpose": renaming.transpose,
    "transpose_view": renaming.transpose_view,
    "assemble": memory.assemble,
    "set_validshape": renaming.set_validshape,
    "gather_row": memory.gather_row,
    "counter": generation.counter,
    "filled": generation.filled,
    "triangle": generation.triangle,
    "random": generation.random,
    "same_as": generation.same_as,
    "updated": generation.updated,
    "write_element": generation.write_element,
    "popped": generation.popped,
    "matmul": cube.matmul,
    "matmul_acc": cube.matmul_acc,
    "matmul_bias": cube.matmul_bias,
    "gemv": cube.gemv,
    "gemv_acc": cube.gemv_acc,
    "gemv_bias": cube.gemv_bias,
    "batch_matmul": cube.batch_matmul,
    "batch_matmul_acc": cube.batch_matmul_acc,
    "matmul_mx": cube.matmul_mx,
    "matmul_mx_acc": cube.matmul_mx_acc,
    "matmul_mx_bias": cube.matmul_mx_bias,
    "scale_address": cube.scale_address,
    "gather_blocks": gathers.gather_blocks,
    "gather_compare": gathers.gather_compare,
    "memory_gather": gathers.memory_gather,
    "merge_sorted": gathers.merge_sorted,
    "shard": gathers.shard,
    "rejoin": gathers.rejoin,
    "scatter_update": gathers.scatter_update,
    **tensors.RULES,
    **tensor_views.RULES,
    **tensor_products.RULES,
    **library.RULES,
}


def whole_type(site: Site, name: str) -> Type:
    """Evaluates a rule that builds the type of the result in one go."""
    return _RULES[name](site)


def known_whole_rules() -> frozenset[str]:
    return frozenset(_RULES)
