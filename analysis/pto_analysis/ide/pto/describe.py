"""Types and buffers of `.pto` text in words."""

from __future__ import annotations

from collections.abc import Iterator

from pto_analysis.ide.pto.document import PtoDocument
from pto_analysis.ide.pto.names import Definition
from pto_analysis.pto.types import (
    MemRefType,
    MultiTileType,
    PointerType,
    ScalarType,
    TileType,
    Type,
    ViewType,
    element_bits,
)
from pto_analysis.sync.program import Bind, Location, Region, Slot, SyncProgram, Window, statements


def brief_type(type_: Type | None) -> str:
    """`[16, 64] f16 mat`: what a line has room for; empty when nothing is known."""
    if isinstance(type_, TileType):
        return f"[{_extents((type_.rows, type_.cols))}] {type_.dtype} {type_.space}"
    if isinstance(type_, MultiTileType):
        return f"{type_.count} slots of {brief_type(type_.tile)}"
    if isinstance(type_, (ViewType, MemRefType)):
        return f"[{_extents(type_.dims)}] {type_.dtype}" + (f" {type_.space}" if isinstance(type_, MemRefType) else "")
    if isinstance(type_, PointerType):
        return f"pointer to {type_.element} in {type_.space}"
    return type_.name if isinstance(type_, ScalarType) else ""


def space_of(type_: Type | None) -> str | None:
    """The memory that a value of this type lives in; None for scalars."""
    if isinstance(type_, MultiTileType):
        return type_.tile.space
    if isinstance(type_, (TileType, PointerType, MemRefType)):
        return type_.space
    return "gm" if isinstance(type_, ViewType) else None


def type_facts(type_: Type | None) -> Iterator[str]:
    """One line for each thing worth knowing about a value of this type."""
    tile = type_.tile if isinstance(type_, MultiTileType) else type_
    if isinstance(tile, TileType):
        yield from _tile_facts(tile)
    elif isinstance(tile, ViewType) and tile.bytes is not None:
        yield f"{tile.bytes:,} bytes of global memory"


def _tile_facts(tile: TileType) -> Iterator[str]:
    if tile.footprint is not None:
        yield f"{tile.footprint:,} bytes"
    if (tile.valid_rows, tile.valid_cols) != (tile.rows, tile.cols):
        yield f"valid [{_extents((tile.valid_rows, tile.valid_cols))}]"
    boxes = f", {tile.slayout} boxes of {tile.fractal} bytes" if tile.is_boxed else ""
    yield f"{tile.blayout} blocks{boxes}"


def dtype_facts(name: str) -> str | None:
    """The width of an element type; None when the word is none."""
    bits = element_bits(name)
    return None if bits is None else f"`{name}`: {bits} bits"


def buffer_facts(document: PtoDocument, definition: Definition) -> Iterator[str]:
    """Where the bytes of a value lie, as the sync program knows."""
    operation = definition.operation
    where = operation.span if operation is not None else definition.name.span
    plain = definition.name.text.lstrip("%")
    for program in document.programs:
        region = next((each for each in program.regions.values() if _is_of(each.id, each.where, plain, where)), None)
        if region is not None and region.space != "gm":
            yield _place(region)
            return
        bind = _bind(program, plain, where)
        if bind is not None:
            yield from _view(bind)
            return


def _bind(program: SyncProgram, plain: str, where: object) -> Bind | None:
    binds = (stmt for stmt in statements(program.body) if isinstance(stmt, Bind))
    return next((bind for bind in binds if _is_of(bind.handle, bind.where, plain, where)), None)


def _is_of(identity: str, location: Location, plain: str, where: object) -> bool:
    """Names of sibling regions are numbered in the program: `t`, `t.1`."""
    return identity.partition(".")[0] == plain.partition(".")[0] and location.span == where


def _place(region: Region) -> str:
    if isinstance(region.base, int):
        end = f" to {region.base + region.size:,}" if region.size is not None else ""
        return f"at bytes {region.base:,}{end} of {region.space}"
    return f"in {region.space}, not placed yet" if region.base is None else f"in {region.space}, placed at run time"


def _view(bind: Bind) -> Iterator[str]:
    view = bind.view
    if isinstance(view, Window):
        yield f"window of `%{view.source}`: {view.rows} x {view.cols} elements"
    elif isinstance(view, Slot):
        yield f"one slot of `%{view.source}`"


def _extents(dims: tuple[int | None, ...]) -> str:
    return ", ".join("?" if dim is None else str(dim) for dim in dims)
