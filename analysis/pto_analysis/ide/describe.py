"""Types, sizes and windows in words, for hovers and inlay hints."""

from __future__ import annotations

from pto_analysis.frontend.typed import constant_int
from pto_analysis.ir.dtypes import DType
from pto_analysis.ir.expr import Const, Expr, Var
from pto_analysis.ir.spelling import dim_text, expression_text, type_text
from pto_analysis.ir.types import ScalarType, Shape, TensorType, TileType, Type, UnknownType
from pto_analysis.ops.sizes import allocation_bytes
from pto_analysis.ops.views import effective_view, is_fully_valid, valid_shape
from pto_analysis.passes.canonicalize.collect import SliceWindow
from pto_analysis.passes.canonicalize.compiler_proof import address_residue
from pto_analysis.passes.kernel import KernelAnalysis
from pto_analysis.passes.windows.accumulator import accumulator_window
from pto_analysis.passes.windows.model import Window
from pto_analysis.rules.slice_text import source_name

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
    facts.append(f"window of `{source_name(window.base)}` at [{_offset(window.row)}, {_offset(window.col)}]")
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
        part = f"{extent.rows} of {extent.parent_rows} rows in {extent.blocks_touched} blocks of columns"
        return [f"not contiguous in L0C ({part}): a matmul cannot accumulate into it (PTO201)"]
    part = "full height" if extent.rows == extent.parent_rows else "inside one block of columns"
    return [f"contiguous in L0C ({part}): a matmul can accumulate into it"]


def _vec_facts(var: Var, analysis: KernelAnalysis) -> list[str]:
    found = analysis.collected.slices.get(var)
    if found is None or not found.is_vector:
        return []
    residue = address_residue(found.base_tile, found.row, found.col, analysis.collected.multiples)
    if residue is None:
        start = "the compiler cannot prove that it starts at a multiple of 32 bytes"
    elif residue:
        start = f"starts {residue // 8} bytes past a multiple of 32"
    else:
        start = "starts at a multiple of 32 bytes"
    return [start, *_contiguity(found), _copies(var, analysis)]


def _contiguity(window: SliceWindow) -> list[str]:
    """Whether a vector window is one piece of its source."""
    extents = [constant_int(extent) for extent in (*window.tile.shape, *window.base_tile.shape)]
    if len(extents) != 4 or None in extents:
        return []
    rows, cols, _, width = extents
    if rows == 1 or cols == width:
        return ["contiguous"]
    return [f"not contiguous: {rows} rows of {cols} of the {width} columns"]


def _copies(var: Var, analysis: KernelAnalysis) -> str:
    """What the compiler does with the window."""
    rewrites = [rewrite for rewrite in analysis.canonical.rewrites if rewrite.slice is var]
    if not rewrites:
        return "stays a view"
    consumers = dict.fromkeys(f"`{rewrite.consumer.rpartition('.')[2]}`" for rewrite in rewrites)
    shown = " and ".join(consumers)
    reason = rewrites[0].why
    return f"the compiler folds it into {shown}" if reason is None else f"the compiler copies it for {shown}: {reason}"


def _offset(expr: Expr) -> str:
    if isinstance(expr, Const):
        return str(expr.value)
    return expression_text(expr, source_name)
