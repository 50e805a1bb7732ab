"""Where a window of the packed accumulator starts: the row's multiple, of the stride instead of the height."""

from __future__ import annotations

from pto_analysis.findings import Edit
from pto_analysis.fixes.column_pack.layout import Pack, height_of, offset_of, width_of
from pto_analysis.fixes.written import Written, argument, atom, items_of, replace, term, written_at
from pto_analysis.frontend.typed import constant_int
from pto_analysis.ir.expr import Binary, Call, Expr
from pto_analysis.passes.windows.accumulator import BLOCK_COLUMNS
from pto_analysis.source import syntax
from pto_analysis.source.unit import Unit


def moved_window(unit: Unit, window: Call, pack: Pack) -> list[Edit] | None:
    """A band, or a part of one, at its new place.

    None where it is not written so that its offset can be found, or not at a band.
    """
    found, offsets = written_at(unit, window.origin), offset_of(window)
    if found is None or offsets is None:
        return None
    at, node = found
    if isinstance(node, syntax.Call):
        return _moved_slice(at, node, offsets, pack)
    return _moved_subscript(at, node, window, pack, 1) if isinstance(node, syntax.Subscript) else None


def moved_outer(unit: Unit, window: Call, pack: Pack) -> list[Edit] | None:
    """A window of several bands, which has to take all columns."""
    found, offsets, height = written_at(unit, window.origin), offset_of(window), height_of(window)
    if found is None or offsets is None or height is None or len(window.args) != 3:
        return None
    if width_of(window) != pack.cols or constant_int(offsets[1]) != 0:
        return None
    at, node = found
    part = pack.part(height // pack.rows)
    if isinstance(node, syntax.Subscript):
        return _moved_subscript(at, node, window, pack, part.count)
    if not isinstance(node, syntax.Call):
        return None
    moved, resized = _moved_slice(at, node, offsets, pack), resized_shape(at, node, 1, part)
    return None if moved is None or resized is None else moved + resized


def resized_shape(at: Written, call: syntax.Call, position: int, pack: Pack) -> list[Edit] | None:
    """The shape that a call is given, for all bands; it is written out where it had a name."""
    shape = argument(call, position, "shape")
    if shape is None:
        return None
    extents = items_of(shape)
    if len(extents) == 2:
        return [replace(at, extents[0], pack.rows_text), replace(at, extents[1], pack.width_text)]
    return [replace(at, shape, f"[{pack.rows_text}, {pack.width_text}]")]


def is_contiguous_inside(window: Call) -> bool | None:
    """Whether a window of full height, at its own column inside a band, starts at a box or stays in one; None: unknown.

    Bands start at whole boxes.
    """
    offsets, width = offset_of(window), width_of(window)
    col = None if offsets is None else constant_int(offsets[1])
    if col is None or width is None:
        return None
    return col % BLOCK_COLUMNS == 0 or col % BLOCK_COLUMNS + width <= BLOCK_COLUMNS


def _moved_slice(at: Written, call: syntax.Call, offsets: tuple[Expr, Expr], pack: Pack) -> list[Edit] | None:
    offset = argument(call, 2, "offset")
    written = items_of(offset)
    if isinstance(offset, syntax.Name):
        return _moved_name(at, offset, offsets, pack)
    if len(written) != 2:
        return None
    column = _column(at, written[0], offsets[0], pack)
    if column is None:
        return None
    start = _sum(column, at.text_of(written[1]), constant_int(offsets[1]))
    return [replace(at, written[0], "0"), replace(at, written[1], start)]


def _moved_name(at: Written, name: syntax.Name, offsets: tuple[Expr, Expr], pack: Pack) -> list[Edit] | None:
    """A constant that holds both offsets is written out."""
    row, col = (constant_int(offset) for offset in offsets)
    if row is None or col is None or row % pack.rows:
        return None
    return [replace(at, name, f"[0, {_sum(pack.strides(row // pack.rows), str(col), col)}]")]


def _sum(column: str, text: str, inner: int | None) -> str:
    """The band's column and the window's own column inside it."""
    if inner == 0:
        return column
    if column == "0":
        return text
    return str(int(column) + inner) if column.isdigit() and inner is not None else f"{column} + {term(text)}"


def _moved_subscript(at: Written, node: syntax.Subscript, window: Call, pack: Pack, count: int) -> list[Edit] | None:
    """`acc[16:32]` and `acc[16:32, 0:48]` become `acc[:, 48:96]`; their bounds are constants."""
    offsets, width = offset_of(window), width_of(window)
    assert offsets is not None
    row, col = (constant_int(value) for value in offsets)
    if row is None or col is None or width is None or row % pack.rows:
        return None
    bounds = _bounds(pack, row // pack.rows, col, width if count == 1 else count * pack.stride)
    if len(node.items) == 1:
        return [replace(at, node.items[0], f":, {bounds}")]
    return [replace(at, node.items[0], ":"), replace(at, node.items[1], bounds)]


def _bounds(pack: Pack, number: int, col: int, width: int) -> str:
    if col == 0 and width % pack.stride == 0:
        return f"{pack.strides(number)}:{pack.strides(number + width // pack.stride)}"
    first = number * pack.stride + col
    return f"{first}:{first + width}"


def _column(at: Written, node: syntax.Expression, row: Expr, pack: Pack) -> str | None:
    """The column of a row; None for a row that provably starts no band."""
    value = constant_int(row)
    if value is not None:
        return pack.strides(value // pack.rows) if value % pack.rows == 0 else None
    parts = _scaled(node, row, pack)
    if parts is None:
        return f"{atom(at.text_of(node))} // {atom(pack.rows_text)} * {atom(pack.stride_text)}"
    return at.text_with(node, parts)


def _scaled(node: syntax.Expression, row: Expr, pack: Pack) -> list[tuple[syntax.Expression, str]] | None:
    """The constants of a sum of multiples, each with strides in the place of heights; None where it is no such sum."""
    value = constant_int(row)
    if value is not None:
        return [(node, pack.strides(value // pack.rows))] if value % pack.rows == 0 else None
    if not isinstance(node, syntax.Binary) or not isinstance(row, Binary) or node.op != row.op:
        return None
    if node.op == "*":
        return _product(node, row, pack)
    if node.op not in ("+", "-"):
        return None
    left, right = _scaled(node.left, row.left, pack), _scaled(node.right, row.right, pack)
    return None if left is None or right is None else left + right


def _product(node: syntax.Binary, row: Binary, pack: Pack) -> list[tuple[syntax.Expression, str]] | None:
    for operand, factor in ((node.right, row.right), (node.left, row.left)):
        value = constant_int(factor)
        if value is not None and value % pack.rows == 0:
            return [(operand, atom(pack.strides(value // pack.rows)))]
    return None
