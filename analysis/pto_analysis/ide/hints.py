"""Inlay hints and code lenses: what the editor writes between the author's own words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from pto_analysis.frontend.typed import constant_int
from pto_analysis.frozen import frozen
from pto_analysis.ide.capacity import capacity_title
from pto_analysis.ide.describe import brief_type
from pto_analysis.ide.outline import symbols
from pto_analysis.ide.synchronisation import plans, wait_hints, waits
from pto_analysis.ide.variables import kernel_around, lowered_variables, made_of
from pto_analysis.ir.stmt import Assign
from pto_analysis.ir.types import TileType
from pto_analysis.ir.walk import statements
from pto_analysis.ops.sizes import byte_offset_of
from pto_analysis.passes.canonicalize import Rewrite
from pto_analysis.passes.canonicalize.collect import SliceWindow
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.slice_text import source_name
from pto_analysis.source.span import Span
from pto_analysis.source.text import split_lines
from pto_analysis.source.unit import Unit

Kind = Literal["types", "windows", "copies", "waits"]
LensKind = Literal["canonical", "sync", "budget"]


@frozen(order=True)
class Hint:
    """Text to show at a place of the unit, before or after what stands there."""

    line: int
    column: int
    label: str
    kind: Kind
    tooltip: str = ""


@frozen
class Lens:
    """One line above a kernel: `kind` decides what a click opens. A title that takes its time is None for now."""

    span: Span
    title: str | None
    kind: LensKind
    qualname: str


def hints(unit: Unit, kernels: Sequence[KernelFacts], shown: frozenset[str]) -> tuple[Hint, ...]:
    """Every hint of the unit of the kinds that are shown, in order."""
    found: set[Hint] = set()
    for kernel in kernels:
        if "types" in shown and kernel.written is None:
            found |= set(_types(unit, kernels, kernel))
        if "windows" in shown and kernel.is_core:
            found |= set(_windows(kernel))
        if "copies" in shown and kernel.is_core:
            found |= set(_copies(kernel))
    if "waits" in shown:
        found |= set(_waits(kernels))
    return tuple(sorted(found))


def _waits(kernels: Sequence[KernelFacts]) -> Iterator[Hint]:
    for line, column, label, why in wait_hints(waits(kernels)):
        yield Hint(line, column, label, "waits", why)


def _types(unit: Unit, kernels: Sequence[KernelFacts], kernel: KernelFacts) -> Iterator[Hint]:
    """The type of every tile whose assignment does not say it; for a tensor, the tile that lowering makes of it."""
    lowered = lowered_variables(kernels, kernel)
    lines = split_lines(unit.text)
    for stmt in statements(kernel.function.body):
        if not isinstance(stmt, Assign) or stmt.var.origin is None:
            continue
        _, var = lowered.at(stmt.var.origin.statement, stmt.var.name) or (kernel, stmt.var)
        span = kernel.span(stmt.var.origin)
        if isinstance(var.type, TileType) and lines[span.end_line][span.end_column :].lstrip().startswith("="):
            why = "" if var is stmt.var else f"lowering makes the tile `{var.name}` of it"
            yield Hint(span.end_line, span.end_column, f": {brief_type(var.type)}", "types", why)


def _windows(kernel: KernelFacts) -> Iterator[Hint]:
    for window in kernel.analysis.collected.slices.values():
        if window.origin is None or window.origin.reason is not None:
            continue
        start = _byte_offset(window)
        if start is not None:
            span = kernel.span(window.origin)
            base = source_name(window.base)
            yield Hint(
                span.end_line, span.end_column, f"{base} + {start} B", "windows", f"starts {start} bytes into {base}"
            )


def _byte_offset(window: SliceWindow) -> int | None:
    """Of a row-major window, in bytes; None when it is not constant or not whole bytes."""
    row, col = constant_int(window.row), constant_int(window.col)
    width = constant_int(window.base_tile.shape[1]) if len(window.base_tile.shape) == 2 else None
    if row is None or col is None or width is None or not window.is_vector:
        return None
    return byte_offset_of(row * width + col, window.base_tile.dtype)


def _copies(kernel: KernelFacts) -> Iterator[Hint]:
    """A mark at every operation that the compiler gives a copy of a window."""
    for rewrite in kernel.analysis.canonical.rewrites:
        if is_copy(rewrite) and rewrite.consumer_origin is not None:
            span = kernel.span(rewrite.consumer_origin)
            name = source_name(rewrite.slice)
            yield Hint(
                span.line, span.column, f"copy of {name}", "copies", f"the compiler copies `{name}` here: {rewrite.why}"
            )


def is_copy(rewrite: Rewrite) -> bool:
    """Whether data moves that the author did not move; folded windows move nothing more than before."""
    return rewrite.action not in ("fold-extract", "matmul-operand")


def lenses(unit: Unit, kernels: Sequence[KernelFacts]) -> tuple[Lens, ...]:
    """Per kernel: how many windows the compiler copies or folds, its waits, how full its buffers get."""
    found: list[Lens] = []
    for symbol in symbols(unit, kernels):
        kernel = _named(unit, kernels, symbol.name_span)
        if kernel is None:
            continue
        cores = [made for made in made_of(kernels, kernel) if made.is_core]
        if not cores:
            continue
        found.append(Lens(symbol.name_span, _copies_title(cores), "canonical", kernel.qualname))
        found.append(Lens(symbol.name_span, None, "sync", kernel.qualname))
        found.append(Lens(symbol.name_span, capacity_title(kernels, kernel), "budget", kernel.qualname))
    return tuple(found)


def waits_title(kernels: Sequence[KernelFacts], kernel: KernelFacts) -> str:
    """How many waits the queues of a kernel need: the title of its sync lens."""
    cores = [made for made in made_of(kernels, kernel) if made.is_core]
    if not any(plans(core) for core in cores):
        return "sync preview"
    return count_of(len(waits(cores)), "wait", "waits")


def _named(unit: Unit, kernels: Sequence[KernelFacts], span: Span) -> KernelFacts | None:
    statement = next((index for index, line in enumerate(unit.lines) if line.line == span.line), None)
    return kernel_around(kernels, statement) if statement is not None else None


def _copies_title(cores: Sequence[KernelFacts]) -> str:
    rewrites = [rewrite for core in cores for rewrite in core.analysis.canonical.rewrites]
    copies = sum(is_copy(rewrite) for rewrite in rewrites)
    folds = len(rewrites) - copies
    parts = [count_of(copies, "copy", "copies") + " inserted"] if copies else []
    parts += [count_of(folds, "window", "windows") + " folded"] if folds else []
    return ", ".join(parts) or "no copies"


def count_of(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"
