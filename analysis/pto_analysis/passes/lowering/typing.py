"""The one place where the lowering asks the op table for a type."""

from __future__ import annotations

from collections.abc import Mapping

from pto_analysis.ir.expr import Expr
from pto_analysis.ir.types import Type, UnknownType
from pto_analysis.ops import deduce
from pto_analysis.ops.spec import Refusal


def result_type(op: str, args: tuple[Expr, ...], attrs: Mapping[str, object]) -> Type:
    """The type of the result; UnknownType, with the reason, where the table refuses or cannot tell."""
    deduced = deduce(op, args, attrs)
    return UnknownType(deduced.message) if isinstance(deduced, Refusal) else deduced
