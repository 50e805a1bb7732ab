"""Words and numbers that the rules about slices share (PTO101 to PTO107)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import prod

from pto_analysis.findings import Related
from pto_analysis.frontend.typed import constant_int
from pto_analysis.frozen import frozen
from pto_analysis.ir.expr import Expr, Opaque, Var
from pto_analysis.ir.spelling import expression_text
from pto_analysis.ir.types import Shape, TileType
from pto_analysis.passes.canonicalize import Rewrite
from pto_analysis.passes.ssa import names
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.source.span import Origin


def source_name(var: Var) -> str:
    """The name in the source, without what the compiler's passes added; an unnamed value keeps the compiler's."""
    return names.source_name(var.name) or var.name


def quoted(var: Var) -> str:
    """How a message names a value: "`w`", or that it has no name in the source."""
    name = names.source_name(var.name)
    return f"`{name}`" if name else "an unnamed tile"


def offset_text(row: Expr, col: Expr) -> str:
    return f"[{source_text(row)}, {source_text(col)}]"


def source_text(expr: Expr) -> str:
    """An index as the author would write it, with "…" for what the compiler's passes count and what is unknown."""
    if _has_unknown(expr):
        return "…"
    return expression_text(expr, lambda var: names.source_name(var.name) or "…")


def _has_unknown(expr: Expr) -> bool:
    return isinstance(expr, Opaque) or any(map(_has_unknown, expr.children))


def extent_text(shape: Shape) -> str:
    """`16x64`; symbolic extents as `?`."""
    return "x".join("?" if (value := constant_int(dim)) is None else str(value) for dim in shape)


def tile_bytes(shape: Shape, bits: int) -> int | None:
    """Size of a dense tile in bytes, None for symbolic extents."""
    known = [value for dim in shape if (value := constant_int(dim)) is not None]
    return (prod(known) * bits + 7) // 8 if len(known) == len(shape) else None


@frozen(eq=False)
class RewrittenSlice:
    """All that one rule has to say about one slice: the rewrites of its consumers, in program order."""

    rewrites: tuple[Rewrite, ...]

    @property
    def first(self) -> Rewrite:
        return self.rewrites[0]

    @property
    def tile(self) -> TileType:
        assert isinstance(self.first.slice.type, TileType)
        return self.first.slice.type

    @property
    def base_tile(self) -> TileType:
        assert isinstance(self.first.base.type, TileType)
        return self.first.base.type

    @property
    def name(self) -> str:
        return source_name(self.first.slice)

    @property
    def subject(self) -> str:
        """How a message names the slice: "`w`", or that a pass made it and nobody can edit it."""
        origin = self.first.slice_origin
        if origin is None or origin.reason is not None:
            return "A window that the compiler makes here"
        name = names.source_name(self.first.slice.name)
        return f"`{name}`" if name else "The slice"

    @property
    def base(self) -> str:
        """How a message names the tile that the slice is taken from."""
        return quoted(self.first.base)

    @property
    def base_name(self) -> str:
        return source_name(self.first.base)

    @property
    def size(self) -> str:
        """ "a 2304-byte copy" or "3 copies of 2304 bytes"."""
        count, each = len(self.rewrites), tile_bytes(self.tile.shape, self.tile.dtype.storage_bits)
        if each is None:
            return "a copy" if count == 1 else f"{count} copies"
        return f"a {each}-byte copy" if count == 1 else f"{count} copies of {each} bytes"

    @property
    def consumers(self) -> str:
        """The operations that made the compiler act: "`col_expand_mul`", "`muls` and `adds`"."""
        names = list(dict.fromkeys(_short(rewrite.consumer) for rewrite in self.rewrites))
        return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)

    def data(self) -> dict[str, object]:
        """Numbers for fixes and tools. Offsets are integers or the expression's text."""
        rewrite = self.first
        return {
            "slice": self.name,
            "base": self.base_name,
            "row_offset": offset_value(rewrite.row),
            "col_offset": offset_value(rewrite.col),
            "shape": [dim if isinstance(dim, int) else source_text(dim) for dim in self.tile.shape],
            "target_memory": rewrite.target.value,
            "actions": [item.action for item in self.rewrites],
            "dropped": rewrite.dropped,
            "bytes": tile_bytes(self.tile.shape, self.tile.dtype.storage_bits),
        }

    def related(self, kernel: KernelFacts) -> tuple[Related, ...]:
        """The consumers, where the compiler puts its extract."""
        return tuple(
            kernel.related(origin, f"{_short(name)} reads the slice here")
            for origin, name in _distinct((item.consumer_origin, item.consumer) for item in self.rewrites)
        )


def offset_value(expr: Expr) -> int | str:
    value = constant_int(expr)
    return source_text(expr) if value is None else value


def rewritten_slices(kernel: KernelFacts, rule: str) -> Iterator[RewrittenSlice]:
    """The slices that rewrites of this rule concern, in program order of their first consumer."""
    result = kernel.analysis.canonical
    refused = None if result.rejection is None else result.rejection.slice
    groups: dict[Var, list[Rewrite]] = {}
    for rewrite in result.rewrites:
        if rewrite.rule == rule and rewrite.slice is not refused:
            groups.setdefault(rewrite.slice, []).append(rewrite)
    for rewrites in groups.values():
        yield RewrittenSlice(tuple(rewrites))


def _short(consumer: str) -> str:
    """The consumer's name for a message: `muls`, "an assignment", "a loop", "a yield"."""
    words = {"assignment": "an assignment", "loop": "a loop", "yield": "a yield"}
    return words.get(consumer) or f"`{consumer.rpartition('.')[2]}`"


def _distinct(items: Iterable[tuple[Origin | None, str]]) -> list[tuple[Origin | None, str]]:
    return list(dict.fromkeys(items))
