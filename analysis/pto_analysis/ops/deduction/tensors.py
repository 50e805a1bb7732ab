"""Whole-type rules of tensor ops."""

from __future__ import annotations

from collections.abc import Callable

from pto_analysis.ir.types import Type
from pto_analysis.ops.deduction.site import Site

RULES: dict[str, Callable[[Site], Type]] = {}
