"""The packed layout of an accumulator, in numbers and in the author's own words."""

from __future__ import annotations

from collections.abc import Callable

from pto_analysis.fixes.column_pack.uses import Uses
from pto_analysis.fixes.written import Written, argument, atom, items_of, names_in, written_at, written_call
from pto_analysis.frontend.typed import constant_int
from pto_analysis.frozen import evolve, frozen
from pto_analysis.ir import walk
from pto_analysis.ir.expr import Call, Expr, Tuple
from pto_analysis.ir.function import Function
from pto_analysis.ir.stmt import Assign, For
from pto_analysis.ir.types import Space, TileType
from pto_analysis.ops import get
from pto_analysis.ops.sizes import ACC_ROW_BLOCK, ACC_ROW_BLOCK_INT32, allocation_bytes, bytes_of
from pto_analysis.ops.targets import TARGETS
from pto_analysis.passes.windows.accumulator import BLOCK_COLUMNS
from pto_analysis.source import syntax
from pto_analysis.source.named_shapes import NamedShapes
from pto_analysis.source.statements import StatementSyntax, parse_statement, positions
from pto_analysis.source.text import SourceText
from pto_analysis.source.unit import Unit


@frozen
class Pack:
    """`count` bands of `rows` x `cols` lie above one another and come to lie side by side, `stride` columns apart.

    The stride is the width, rounded up to whole boxes of L0C so that every band starts at one. Texts are the author's
    own expressions.
    """

    rows: int
    cols: int
    count: int
    stride: int
    row_box: int
    rows_text: str
    cols_text: str
    count_text: str
    stride_text: str

    @property
    def width_text(self) -> str:
        """Columns of the packed accumulator."""
        if self.stride_text.isdigit() and self.count_text.isdigit():
            return str(self.stride * self.count)
        return f"{atom(self.count_text)} * {atom(self.stride_text)}"

    @property
    def takes_more(self) -> bool:
        """Whether L0C, which keeps whole boxes of rows, needs more room for it than before."""
        return _boxed(self.rows, self.row_box) * self.count > _boxed(self.rows * self.count, self.row_box)

    @property
    def added_columns(self) -> int:
        """Columns of all bands together that nothing uses."""
        return (self.stride - self.cols) * self.count

    def part(self, count: int) -> Pack:
        """So many of its bands."""
        return self if count == self.count else evolve(self, count=count, count_text=str(count))

    def strides(self, number: int) -> str:
        """`number` strides."""
        if number in (0, 1) or self.stride_text.isdigit():
            return str(number * self.stride) if number != 1 else self.stride_text
        return f"{number} * {atom(self.stride_text)}"

    def bands(self, number: int) -> str:
        """The first row of a band, as it was."""
        if number in (0, 1) or self.rows_text.isdigit():
            return str(number * self.rows) if number != 1 else self.rows_text
        return f"{number} * {atom(self.rows_text)}"


@frozen(eq=False)
class Words:
    """How a kernel's author says extents: `shapes` have names in the module, `local` are the kernel's own names."""

    shapes: NamedShapes
    local: frozenset[str]

    def extents(self, at: Written, shape: syntax.Expression | None) -> list[_Extent]:
        """The two extents of a shape, written in place or under a name; none where it is written otherwise."""
        written = [_Extent(each, at.text_of) for each in items_of(shape)]
        named = [] if shape is None else [_parsed(text) for text in self.shapes.of(shape)]
        found = written or [each for each in named if each is not None]
        return found if len(found) == 2 else []

    def text(self, extent: _Extent, value: int) -> str:
        """An extent as it is written; the number where it reads a name that may mean something else elsewhere."""
        return str(value) if names_in(extent.node) & self.local or "\n" in extent.text else extent.text


@frozen(eq=False)
class _Extent:
    node: syntax.Expression
    text_of: Callable[[syntax.Expression], str]

    @property
    def text(self) -> str:
        return self.text_of(self.node)


def _parsed(text: str) -> _Extent | None:
    found = parse_statement(text)
    if not isinstance(found, StatementSyntax) or not isinstance(found.statement, syntax.ExpressionStatement):
        return None
    source, spans = SourceText(text), positions(found)
    return _Extent(found.statement.value, lambda node: source.slice(spans[node.id]))


def layout(unit: Unit, uses: Uses, rows: int, words: Words) -> Pack | None:
    """The layout, when all bands have one height, which divides the tile's."""
    tile = uses.create.type if uses.create is not None else None
    if uses.create is None or not isinstance(tile, TileType) or len(tile.shape) != 2 or not uses.windows:
        return None
    height, width = (constant_int(dim) for dim in tile.shape)
    if height is None or width is None or height % rows or height == rows:
        return None
    created = written_call(unit, uses.create.origin)
    whole = None if created is None else argument(created[1], 0, "shape")
    if created is None or whole is None:
        return None
    rows_text = _rows_text(unit, uses, rows, words)
    extents = words.extents(created[0], whole)
    cols_text = words.text(extents[1], width) if extents else str(width)
    stride = _boxed(width)
    stride_text = cols_text if stride == width else str(stride)
    count = height // rows
    count_text = _count_text(extents[0], rows_text, count, words) if extents else str(count)
    return Pack(rows, width, count, stride, _row_box(tile), rows_text, cols_text, count_text, stride_text)


def _boxed(side: int, box: int = BLOCK_COLUMNS) -> int:
    """A side of so many elements in whole boxes of L0C."""
    return -(-side // box) * box


def _row_box(tile: TileType) -> int:
    """Rows that L0C is handed out in, on the target that hands out most."""
    return max(ACC_ROW_BLOCK, *ACC_ROW_BLOCK_INT32.values()) if tile.dtype.name == "INT32" else ACC_ROW_BLOCK


def fits_for_sure(function: Function, pack: Pack, tile: TileType) -> bool:
    """Whether all accumulators of a kernel, each live all the time, leave room for the added columns."""
    added = bytes_of(_boxed(pack.rows, pack.row_box) * pack.added_columns, tile.dtype)
    limits = [limit for target in TARGETS.values() if (limit := target.capacity(Space.ACC)) is not None]
    total = 0
    for stmt in walk.statements(function.body):
        if isinstance(stmt, For) and stmt.kind not in ("range", "unroll"):
            return False  # a pipeline keeps several
        held = stmt.var.type if isinstance(stmt, Assign) and _has_own_storage(stmt.value) else None
        if isinstance(held, TileType) and held.space is Space.ACC:
            sizes = [allocation_bytes(held, name) for name in TARGETS]
            if None in sizes:
                return False
            total += max(size or 0 for size in sizes)
    return total + added <= min(limits)


def _has_own_storage(value: Expr) -> bool:
    spec = get(value.op) if isinstance(value, Call) else None
    return spec is not None and spec.viewed_operand is None and spec.reused_operand is None


def height_of(window: Call) -> int | None:
    shape = window.args[1]
    return constant_int(shape.items[0]) if isinstance(shape, Tuple) and len(shape.items) == 2 else None


def width_of(window: Call) -> int | None:
    shape = window.args[1]
    return constant_int(shape.items[1]) if isinstance(shape, Tuple) and len(shape.items) == 2 else None


def offset_of(window: Call) -> tuple[Expr, Expr] | None:
    offsets = window.args[2]
    return (offsets.items[0], offsets.items[1]) if isinstance(offsets, Tuple) and len(offsets.items) == 2 else None


def _rows_text(unit: Unit, uses: Uses, rows: int, words: Words) -> str:
    """The height as the first window that names it does."""
    for window in uses.windows:
        found = written_at(unit, window.origin)
        if found is not None and isinstance(found[1], syntax.Call):
            extents = words.extents(found[0], argument(found[1], 1, "shape"))
            if extents:
                return words.text(extents[0], rows)
    return str(rows)


def _count_text(height: _Extent, rows: str, count: int, words: Words) -> str:
    """`T` of `R * T`, else the number; `H // R` where both have names."""
    if names_in(height.node) & words.local:
        return str(count)
    if isinstance(height.node, syntax.Binary) and height.node.op == "*":
        left, right = height.text_of(height.node.left), height.text_of(height.node.right)
        if rows in (left, right):
            return right if left == rows else left
    height_text = height.text
    if height_text.isdigit() or rows.isdigit() or "\n" in height_text:
        return str(count)
    return f"{atom(height_text)} // {atom(rows)}"
