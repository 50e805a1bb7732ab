"""Types, sizes and windows in words, for hovers and inlay hints."""

from __future__ import annotations

from pto_analysis.ir.dtypes import DType
from pto_analysis.ir.expr import Const, Expr, Var
from pto_analysis.ir.spelling import dim_text, expression_text, type_text
from pto_analysis.ir.types import ScalarType, Shape, TensorType, TileType, Type, UnknownType
from pto_analysis.ops.sizes import allocation_bytes
from pto_analysis.ops.views import effective_view, is_fully_valid, valid_shape
from pto_analysis.passes.canonicalize.compiler_proof import address_residue
from pto_analysis.passes.kernel import KernelAnalysis
from pto_analysis.passes.windows.accumulator import accumulator_window
from pto_analysis.passes.windows.model import Window

_STEPS = {
    "slice": "a slice",
    "alias": "another name for it",
    "view": "a view by `{op}`",
    "in-place": "the result of `{op}`, which writes in place",
    "iter-arg": "carried by the loop",
    "loop-result": "the loop's result",
    "branch-result": "the same window in both branches",
}


def brief_type(type_: Type) -> str:
    """`[16, 64] FP32 Vec`: what an inlay hint has room for; empty when nothing is known."""
    if isinstance(type_, TileType):
        space = f" {type_.space.value}" if type_.space is not None else ""
        return f"[{shape(type_.shape)}] {type_.dtype}{space}"
    if isinstance(type_, TensorType):
        return f"[{shape(type_.shape)}] {type_.dtype}"
    return str(type_.dtype) if isinstance(type_, ScalarType) else ""


def shape(extents: Shape) -> str:
    return ", ".join(dim_text(extent) for extent in extents)


def type_facts(type_: Type, target: str) -> list[str]:
    """One line for each thing worth knowing about a value of this type."""
    if isinstance(type_, UnknownType):
        return [f"not known: {type_.why}" if type_.why else "not known"]
    if isinstance(type_, TensorType):
        return ["in global memory"]
    if not isinstance(type_, TileType):
        return []
    view = effective_view(type_)
    facts = [f"in {type_.space.value}" if type_.space else "the compiler has yet to choose where it lives"]
    size = allocation_bytes(type_, target)
    if size is not None:
        facts.append(f"{size} bytes")
    if not is_fully_valid(type_):
        facts.append(f"valid [{shape(valid_shape(type_))}]")
    facts.append(f"{view.blayout.value} blocks" + _box(view.slayout.value, view.fractal))
    return facts


def _box(slayout: str, fractal: int) -> str:
    return "" if slayout == "none_box" else f", {slayout} boxes of {fractal} bytes"


def dtype_facts(dtype: DType) -> str:
    if dtype.bits == dtype.storage_bits:
        return f"`{dtype.name}`: {dtype.bits} bits"
    return f"`{dtype.name}`: {dtype.bits} bit, stored in {dtype.storage_bits}"


def declaration(name: str, type_: Type) -> str:
    return f"{name}: {type_text(type_)}"


def window_facts(var: Var, analysis: KernelAnalysis) -> list[str]:
    """What window a variable names, whether it is aligned and contiguous, and how it came to name it."""
    facts: list[str] = []
    window = analysis.windows.of(var)
    if window is None:
        return facts
    facts.append(f"window of `{_plain(window.base)}` at [{_offset(window.row)}, {_offset(window.col)}]")
    facts += _acc_facts(window, var)
    facts += _vec_facts(var, analysis)
    steps = [_STEPS[step.step].format(op=step.op or "") for step in window.chain()]
    if len(steps) > 1:
        facts.append("named through: " + ", ".join(reversed(steps)))
    return facts


def _acc_facts(window: Window, var: Var) -> list[str]:
    base = window.base.type
    if not (isinstance(base, TileType) and base.space is not None and base.space.value == "Acc"):
        return []
    extent = accumulator_window(base, var.type, window.row, window.col)
    if extent is None:
        return ["whether it is contiguous in L0C cannot be told"]
    if extent.is_strided:
        return ["not contiguous in L0C: a matmul cannot accumulate into it (PTO201)"]
    return ["contiguous in L0C: a matmul can accumulate into it"]


def _vec_facts(var: Var, analysis: KernelAnalysis) -> list[str]:
    found = analysis.collected.slices.get(var)
    if found is None or not found.is_vector:
        return []
    residue = address_residue(found.base_tile, found.row, found.col, analysis.collected.multiples)
    if residue is None:
        return ["the compiler cannot prove that it starts at 32 bytes, and copies it for vector operations"]
    if residue:
        return [f"starts {residue // 8} bytes past a multiple of 32: the compiler copies it for vector operations"]
    return ["starts at a multiple of 32 bytes, so it stays a view"]


def _plain(var: Var) -> str:
    return var.name.partition("__")[0] or var.name


def _offset(expr: Expr) -> str:
    if isinstance(expr, Const):
        return str(expr.value)
    return expression_text(expr, _plain)
