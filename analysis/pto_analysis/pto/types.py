"""The types of `.pto` text (reference: sync section 9). Shapes count elements, `None` is a size known at run time."""

from __future__ import annotations

from math import prod

from pto_analysis.frozen import frozen
from pto_analysis.pto.words import split_top_level

_ELEMENT_BITS: dict[str, int] = {
    "index": 64,
    "none": 0,
    "i1": 8,
    "f64": 64,
    "f32": 32,
    "tf32": 32,
    "f16": 16,
    "bf16": 16,
    "!pto.hif8": 8,
    "!pto.f4E2M1x2": 8,
    "!pto.f4E1M2x2": 8,
    "!pto.hif4x2": 8,
}


def element_bits(name: str) -> int | None:
    """Storage bits of one element as the text spells it; packed 4-bit pairs count as one byte. None: unknown."""
    if name in _ELEMENT_BITS:
        return _ELEMENT_BITS[name]
    if name.startswith(("f8", "hif8")):
        return 8
    digits = name.lstrip("!").removeprefix("pto.").lstrip("sui")
    return int(digits) if digits.isdigit() and len(digits) < 5 else None


@frozen
class ScalarType:
    """index, iN, siN, uiN, f32, … and anything else that is a single word."""

    name: str

    @property
    def bits(self) -> int | None:
        return element_bits(self.name)

    @property
    def is_integer(self) -> bool:
        return self.name == "index" or (self.name.lstrip("su")[:1] == "i" and self.name.lstrip("sui").isdigit())


@frozen
class TileType:
    """A tile in on-chip memory. `compact` 2 pads every major line by one element."""

    space: str
    dtype: str
    rows: int | None
    cols: int | None
    valid_rows: int | None = None
    valid_cols: int | None = None
    blayout: str = "row_major"
    slayout: str = "none_box"
    fractal: int = 512
    pad: int = 0
    compact: int = 0

    @property
    def element_bytes(self) -> int | None:
        bits = element_bits(self.dtype)
        return None if bits is None else max(1, bits // 8)

    @property
    def is_boxed(self) -> bool:
        return self.slayout != "none_box"

    @property
    def footprint(self) -> int | None:
        """Bytes from the first to behind the last element. None: a size is not known."""
        if self.rows is None or self.cols is None or self.element_bytes is None:
            return None
        major, minor = (self.rows, self.cols) if self.blayout == "row_major" else (self.cols, self.rows)
        elements = (major - 1) * (minor + 1) + minor if self.compact == 2 else major * minor
        return elements * self.element_bytes


@frozen
class MultiTileType:
    """`count` tiles of one type in one buffer, chosen by an index at run time."""

    tile: TileType
    count: int


@frozen
class PointerType:
    element: str
    space: str = "gm"


@frozen
class ViewType:
    """A view of global memory; `partition` tells `partition_tensor_view` from `tensor_view`."""

    dims: tuple[int | None, ...]
    dtype: str
    partition: bool = False

    @property
    def bytes(self) -> int | None:
        bits = element_bits(self.dtype)
        if bits is None or any(dim is None for dim in self.dims):
            return None
        return prod(dim for dim in self.dims if dim is not None) * bits // 8


@frozen
class MemRefType:
    """The older spelling of tiles and views: dims, element and address space."""

    dims: tuple[int | None, ...]
    dtype: str
    space: str


@frozen
class OtherType:
    """Any other type, kept as written."""

    text: str


Type = ScalarType | TileType | MultiTileType | PointerType | ViewType | MemRefType | OtherType

_SPACES = {"ub": "vec", "l1": "mat", "l0a": "left", "l0b": "right", "l0c": "acc", "cbuf": "mat"}


def space_name(word: str) -> str:
    """The name of an address space in any of its spellings: `vec`, `ub`, `#pto.address_space<vec>`."""
    inner = word[word.index("<") + 1 : word.rindex(">")] if "<" in word and ">" in word else word
    inner = inner.strip().lower()
    return _SPACES.get(inner, inner)


def parse_type(text: str) -> Type:
    """The type spelled by `text` (aliases already replaced). Never fails: what is not understood is `OtherType`."""
    text = text.strip()
    head, bracket, rest = text.partition("<")
    if not bracket or not rest.endswith(">"):
        return _plain(text)
    body = rest[:-1]
    maker = _MAKERS.get(head.removeprefix("!pto.").strip()) if head.startswith("!pto.") else None
    if maker is not None:
        return maker(body) or OtherType(text)
    if head == "memref":
        return _memref(body) or OtherType(text)
    return OtherType(text)


def _plain(text: str) -> Type:
    if text and (text[0].isalpha() and text.replace(".", "").isalnum()):
        return ScalarType(text)
    if text in ("!pto.hif8", "!pto.f4E2M1x2"):
        return ScalarType(text)
    return OtherType(text)


def _shape(text: str) -> tuple[tuple[int | None, ...], str] | None:
    """`4x?xf32` → ((4, None), "f32"); the element may be missing (`1x64`)."""
    dims: list[int | None] = []
    rest = text.strip()
    while rest:
        head, separator, tail = rest.partition("x")
        if head == "?":
            dims.append(None)
        elif head.isdigit() and len(head) < 20:
            dims.append(int(head))
        else:
            return tuple(dims), rest
        rest = tail
        if not separator:
            break
    return (tuple(dims), "") if dims else None


def _fields(parts: list[str]) -> dict[str, str] | None:
    fields: dict[str, str] = {}
    for part in parts:
        key, equals, value = part.partition("=")
        key = key.strip()
        if not equals or key in fields:
            return None
        fields[key] = value.strip()
    return fields


def _size(text: str | None) -> int | None:
    if text is None or not text.strip().isdigit() or len(text) > 18:
        return None
    return int(text)


def _words(fields: dict[str, str]) -> TileType:
    """The layout fields, which both spellings share, on an empty tile."""
    return TileType(
        "",
        "",
        None,
        None,
        None,
        None,
        fields.get("blayout", "row_major"),
        fields.get("slayout", "none_box"),
        _size(fields.get("fractal")) or 512,
        _size(fields.get("pad")) or 0,
        _size(fields.get("compact")) or 0,
    )


def _tile(body: str) -> TileType | None:
    parts = split_top_level(body)
    if parts and "=" in parts[0]:
        return _legacy_tile(parts)
    return _compact_tile(parts)


def _legacy_tile(parts: list[str]) -> TileType | None:
    fields = _fields(parts)
    if fields is None or "loc" not in fields or "dtype" not in fields:
        return None
    shared = _words(fields)
    return TileType(
        space_name(fields["loc"]),
        fields["dtype"],
        _size(fields.get("rows")),
        _size(fields.get("cols")),
        _size(fields.get("v_row")),
        _size(fields.get("v_col")),
        shared.blayout,
        shared.slayout,
        shared.fractal,
        shared.pad,
        shared.compact,
    )


def _compact_tile(parts: list[str]) -> TileType | None:
    if len(parts) < 2:
        return None
    first, second = parts[0], parts[1]
    if first[:1].isdigit() or first[:1] == "?":
        first, second = second, first
    shape = _shape(second)
    fields = _fields(parts[2:])
    if shape is None or fields is None or len(shape[0]) > 2 or not shape[0]:
        return None
    rows, cols = shape[0] if len(shape[0]) == 2 else (1, shape[0][0])
    valid = _shape(fields["valid"]) if "valid" in fields else None
    valid_rows, valid_cols = valid[0] if valid is not None and len(valid[0]) == 2 else (rows, cols)
    shared = _words(fields)
    return TileType(
        space_name(first),
        shape[1],
        rows,
        cols,
        valid_rows,
        valid_cols,
        shared.blayout,
        shared.slayout,
        shared.fractal,
        shared.pad,
        shared.compact,
    )


def _multi_tile(body: str) -> MultiTileType | None:
    parts = split_top_level(body)
    counts = [part for part in parts if part.partition("=")[0].strip() == "count"]
    count = _size(counts[0].partition("=")[2]) if len(counts) == 1 else None
    if count is None or count < 1:
        return None
    rest = [part for part in parts if part is not counts[0]]
    if len(rest) == 1:
        # Only a tile can stand here; asking first keeps nested nonsense from recursing.
        inner = parse_type(rest[0]) if rest[0].startswith("!pto.tile_buf<") else None
        return MultiTileType(inner, count) if isinstance(inner, TileType) else None
    tile = _tile(", ".join(rest))
    return None if tile is None else MultiTileType(tile, count)


def _pointer(body: str) -> PointerType | None:
    parts = split_top_level(body)
    if not parts:
        return None
    return PointerType(parts[0], space_name(parts[1]) if len(parts) > 1 else "gm")


def _view(body: str) -> ViewType | None:
    shape = _shape(body)
    return None if shape is None else ViewType(*shape)


def _partition_view(body: str) -> ViewType | None:
    shape = _shape(body)
    return None if shape is None else ViewType(*shape, partition=True)


def _memref(body: str) -> MemRefType | None:
    parts = split_top_level(body)
    shape = _shape(parts[0]) if parts else None
    if shape is None:
        return None
    spaces = [part for part in parts[1:] if "address_space" in part]
    return MemRefType(shape[0], shape[1], space_name(spaces[0]) if spaces else "gm")


_MAKERS = {
    "tile_buf": _tile,
    "multi_tile_buf": _multi_tile,
    "ptr": _pointer,
    "tensor_view": _view,
    "partition_tensor_view": _partition_view,
}
