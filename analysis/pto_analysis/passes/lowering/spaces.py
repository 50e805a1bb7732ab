"""What the op table says about memory spaces, in the words the lowering uses."""

from __future__ import annotations

from functools import cache

from pto_analysis.ir.types import Space
from pto_analysis.ops import get

_INHERITING_TENSOR_OPS = frozenset(
    {"tensor.reshape", "tensor.reinterpret_view", "tensor.view", "tensor.set_validshape", "tensor.slice"}
)

RETARGETABLE = frozenset({"tile.load", "tile.create"})
"""Producers whose `target_memory` the compiler may change to what the consumers ask for."""


def inherits_space(op: str) -> bool:
    """Whether the result lies in the memory of the first tile operand."""
    if op in _INHERITING_TENSOR_OPS:
        return True
    spec = get(op)
    return spec is not None and spec.space == "inherit"


@cache
def allowed_spaces(op: str, operand: int) -> tuple[Space, ...]:
    """The spaces operand `operand` may lie in, the preferred one first; () for any."""
    spec = get(op)
    return () if spec is None else tuple(Space(word) for word in spec.input_spaces(operand))
