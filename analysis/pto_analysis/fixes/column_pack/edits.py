"""The edits of the column pack: the create, the windows, whole-tile stores, and annotations on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from itertools import pairwise

from pto_analysis.findings import Applicability, Edit, Fix
from pto_analysis.fixes.column_pack.layout import Pack, Words, fits_for_sure, height_of, layout, offset_of
from pto_analysis.fixes.column_pack.stores import split_store
from pto_analysis.fixes.column_pack.uses import Uses, uses_of
from pto_analysis.fixes.column_pack.windows import is_contiguous_inside, moved_outer, moved_window, resized_shape
from pto_analysis.fixes.places import places_of
from pto_analysis.fixes.written import Written, items_of, replace, written_call
from pto_analysis.ir import walk
from pto_analysis.ir.expr import Expr, Var
from pto_analysis.ir.function import Function
from pto_analysis.ir.types import TileType
from pto_analysis.passes.ssa.names import base_name, is_inlined
from pto_analysis.source import syntax
from pto_analysis.source.named_shapes import NamedShapes
from pto_analysis.source.remembered import FEW
from pto_analysis.source.unit import Unit

IsMultiple = Callable[[Expr, int], bool]


@lru_cache(maxsize=FEW)
def pack_columns(
    unit: Unit, function: Function, base: Var, rows: int, is_multiple: IsMultiple, shapes: NamedShapes
) -> Fix | None:
    """Turns the accumulator `base` of a kernel (SSA form) into one whose windows of `rows` rows lie side by side.

    Safe when every use is understood: the create, windows of one height at multiples of it, stores of the whole tile.
    Otherwise unsafe, the title saying what is left; None when the windows cannot be laid out that way at all.
    """
    uses = uses_of(function, base, rows)
    if uses.create is None or not uses.windows or any(height_of(window) != rows for window in uses.windows):
        return None
    pack = layout(unit, uses, rows, Words(shapes, _local_names(function)))
    return None if pack is None else _fix(unit, function, base, uses, pack, is_multiple)


@lru_cache(maxsize=FEW)
def _local_names(function: Function) -> frozenset[str]:
    """What the kernel itself defines, under the names of the source."""
    inside = (var for stmt in walk.statements(function.body) for var in stmt.definitions)
    return frozenset(base_name(var.name) for var in (*(param.var for param in function.params), *inside))


def _fix(unit: Unit, function: Function, base: Var, uses: Uses, pack: Pack, is_multiple: IsMultiple) -> Fix | None:
    resized = _resized(unit, uses, pack)
    if resized is None:
        return None
    edits = [*resized, *_annotations(unit, function, uses, pack)]
    left = list(uses.others)
    if places_of(function).overlooks(unit, {base_name(var.name) for var in uses.names}):
        left.append("uses that are not understood")
    if any(map(is_inlined, uses.names)):
        left.append("check the other calls of the inline function")
    if pack.takes_more or (pack.added_columns and not _fits(function, uses, pack)):
        left.append("check that it fits into L0C")
    for window in (*uses.windows, *uses.outer):
        is_band = window in uses.windows
        moved = moved_window(unit, window, pack) if is_band else moved_outer(unit, window, pack)
        contiguous = is_contiguous_inside(window)
        if moved is None or contiguous is False:
            return None
        if contiguous is None:
            left.append("check that its windows start at multiples of 16 columns")
        edits += moved
        offsets = offset_of(window)
        if offsets is None or not is_multiple(offsets[0], pack.rows):
            left.append(f"check that the rows of its windows are multiples of {pack.rows_text}")
    for store in uses.stores:
        tile = store.value.args[0]
        split = split_store(unit, store, uses, pack.part(uses.names[tile] if isinstance(tile, Var) else pack.count))
        if split is None:
            left.append("its stores")
        else:
            edits.append(split)
    title = f"Pack the windows of `{base_name(base.name)}` side by side: [{pack.rows_text}, {pack.width_text}]"
    if left:
        title = f"{title} (left to do: {'; '.join(dict.fromkeys(left))})"
    if not _apart(edits):
        return None
    return Fix(title, Applicability.UNSAFE if left else Applicability.SAFE, tuple(dict.fromkeys(edits)))


def _fits(function: Function, uses: Uses, pack: Pack) -> bool:
    tile = uses.create.type if uses.create is not None else None
    return isinstance(tile, TileType) and fits_for_sure(function, pack, tile)


def _apart(edits: Iterable[Edit]) -> bool:
    """Whether no edit touches another: a window inside a store would be written twice."""
    spans = [edit.span for edit in sorted(dict.fromkeys(edits), key=lambda edit: edit.span)]
    return all((one.end_line, one.end_column) <= (other.line, other.column) for one, other in pairwise(spans))


def _resized(unit: Unit, uses: Uses, pack: Pack) -> list[Edit] | None:
    """The shape of the create, and that of each view of the whole."""
    edits: list[Edit] = []
    for call, position in ((uses.create, 0), *((view, 1) for view in uses.views)):
        found = written_call(unit, call.origin) if call is not None else None
        source = call.args[0] if call is not None and position else None
        part = pack.part(uses.names[source]) if isinstance(source, Var) else pack
        resized = resized_shape(*found, position, part) if found is not None else None
        if resized is None:
            return None
        edits += resized
    return edits


def _annotations(unit: Unit, function: Function, uses: Uses, pack: Pack) -> list[Edit]:
    """The tile's shape, wherever a name for the whole accumulator is annotated with it."""
    edits: list[Edit] = []
    for stmt in walk.statements(function.body):
        named = [var for var in stmt.definitions if var in uses.names]
        if stmt.origin is None or not named:
            continue
        at = Written(unit, stmt.origin.statement)
        annotation = at.parsed.annotation if isinstance(at.parsed, syntax.Assign) else None
        if not isinstance(annotation, syntax.Subscript) or not annotation.items:
            continue
        extents = items_of(annotation.items[0])
        if len(extents) == 2:
            part = pack.part(uses.names[named[0]])
            edits += [replace(at, extents[0], part.rows_text), replace(at, extents[1], part.width_text)]
    return edits
