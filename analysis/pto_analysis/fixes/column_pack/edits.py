"""The edits of the column pack: the create, the windows, whole-tile stores, and annotations on the way."""

from __future__ import annotations

from collections.abc import Callable

from attrs import frozen

from pto_analysis.findings import Applicability, Edit, Fix
from pto_analysis.fixes.column_pack.uses import Uses, uses_of
from pto_analysis.fixes.written import Written, argument, atom, dsl_name, items_of, line_end, replace, written_call
from pto_analysis.frontend.typed import constant_int
from pto_analysis.ir import walk
from pto_analysis.ir.expr import Call, Expr, Tuple, Var
from pto_analysis.ir.function import Function
from pto_analysis.ir.stmt import Assign
from pto_analysis.ir.types import TileType
from pto_analysis.passes.ssa.names import base_name
from pto_analysis.source import syntax
from pto_analysis.source.unit import Unit

MAX_STORES = 8
"""Whole-tile stores are split into as many statements; more windows become a loop."""


@frozen
class Pack:
    """`rows` x `cols` is one window, `count` of them lie above one another. Texts are the author's own expressions."""

    rows: int
    cols: int
    count: int
    rows_text: str
    cols_text: str
    count_text: str

    @property
    def width_text(self) -> str:
        """Columns of the packed accumulator."""
        if self.cols_text.isdigit() and self.count_text.isdigit():
            return str(self.cols * self.count)
        return f"{atom(self.count_text)} * {atom(self.cols_text)}"


def pack_columns(unit: Unit, function: Function, base: Var, is_multiple: Callable[[Expr, int], bool]) -> Fix | None:
    """Turns the accumulator `base` of a kernel (SSA form) into one whose windows lie side by side.

    Safe when every use is understood: the create, windows of one size at multiples of their height, stores of the whole
    tile. Otherwise unsafe, the title saying what is left; None when the windows cannot be laid out that way at all.
    """
    uses = uses_of(function, base)
    pack = _pack(unit, uses)
    if pack is None or uses.create is None:
        return None
    edits: list[Edit] = []
    left: list[str] = [] if not uses.others else ["its other uses"]
    for step in (_create(unit, uses.create, pack), _annotations(unit, function, uses, pack)):
        if step is None:
            return None
        edits += step
    for window in uses.windows:
        moved = _window(unit, window, pack)
        if moved is None:
            return None
        edits += moved
        row = _row(window)
        if row is None or not is_multiple(row, pack.rows):
            left.append(f"check that its rows are multiples of {pack.rows_text}")
    for store in uses.stores:
        split = _store(unit, store, pack)
        if split is None:
            left.append("its stores")
        else:
            edits.append(split)
    name = base_name(base.name)
    title = f"Pack the windows of `{name}` side by side: [{pack.rows_text}, {pack.width_text}]"
    if left:
        rest = "; ".join(dict.fromkeys(left))
        return Fix(f"{title} (then mend {rest})", Applicability.UNSAFE, _unique(edits))
    return Fix(title, Applicability.SAFE, _unique(edits))


def _unique(edits: list[Edit]) -> tuple[Edit, ...]:
    return tuple(dict.fromkeys(edits))


def _pack(unit: Unit, uses: Uses) -> Pack | None:
    """The layout, when all windows have one size, span the width, and stack up to the whole height."""
    tile = uses.create.type if uses.create is not None else None
    if not isinstance(tile, TileType) or len(tile.shape) != 2 or not uses.windows:
        return None
    height, width = (constant_int(dim) for dim in tile.shape)
    sizes = {_size(window) for window in uses.windows}
    if height is None or width is None or len(sizes) != 1:
        return None
    rows, cols = sizes.pop()
    if (
        not rows
        or cols is None
        or cols != width
        or height % rows
        or any(not _starts_left(window) for window in uses.windows)
    ):
        return None
    texts = _texts(unit, uses, height // rows)
    return Pack(rows, cols, height // rows, *texts) if texts is not None else None


def _size(window: Assign) -> tuple[int | None, int | None]:
    shape = window.value.args[1] if isinstance(window.value, Call) else None
    items = shape.items if isinstance(shape, Tuple) else ()
    return (constant_int(items[0]), constant_int(items[1])) if len(items) == 2 else (None, None)


def _row(window: Assign) -> Expr | None:
    offsets = window.value.args[2] if isinstance(window.value, Call) else None
    return offsets.items[0] if isinstance(offsets, Tuple) and len(offsets.items) == 2 else None


def _starts_left(window: Assign) -> bool:
    offsets = window.value.args[2] if isinstance(window.value, Call) else None
    return isinstance(offsets, Tuple) and len(offsets.items) == 2 and constant_int(offsets.items[1]) == 0


def _texts(unit: Unit, uses: Uses, count: int) -> tuple[str, str, str] | None:
    """Rows, columns and number of the windows as the author spells them in the first slice and the create."""
    first = uses.windows[0].value
    sliced = written_call(unit, first.origin if isinstance(first, Call) else None)
    created = written_call(unit, uses.create.origin if uses.create is not None else None)
    if sliced is None or created is None:
        return None
    extents = items_of(argument(sliced[1], 1, "shape"))
    whole = items_of(argument(created[1], 0, "shape"))
    if len(extents) != 2 or len(whole) != 2:
        return None
    rows, cols = (sliced[0].text_of(extent) for extent in extents)
    return rows, cols, _count_text(created[0], whole[0], rows, count)


def _count_text(at: Written, height: syntax.Expression, rows: str, count: int) -> str:
    """`T` of `R * T`, else the number."""
    if isinstance(height, syntax.Binary) and height.op == "*":
        left, right = at.text_of(height.left), at.text_of(height.right)
        if rows in (left, right):
            return right if left == rows else left
    height_text = at.text_of(height)
    if height_text.isdigit() or rows.isdigit():
        return str(count)
    return f"{atom(height_text)} // {atom(rows)}"


def _create(unit: Unit, create: Call, pack: Pack) -> list[Edit] | None:
    found = written_call(unit, create.origin)
    if found is None:
        return None
    at, call = found
    extents = items_of(argument(call, 0, "shape"))
    if len(extents) != 2:
        return None
    return [replace(at, extents[0], pack.rows_text), replace(at, extents[1], pack.width_text)]


def _window(unit: Unit, window: Assign, pack: Pack) -> list[Edit] | None:
    """The slice's offset, from a row to a column."""
    found = written_call(unit, window.value.origin if isinstance(window.value, Call) else None)
    if found is None:
        return None
    at, call = found
    offsets = items_of(argument(call, 2, "offset"))
    if len(offsets) != 2:
        return None
    return [replace(at, offsets[0], "0"), replace(at, offsets[1], _column(at, offsets[0], pack))]


def _column(at: Written, row: syntax.Expression, pack: Pack) -> str:
    """Where the window of a row starts now: the same multiple, of the width instead of the height."""
    text = at.text_of(row)
    if text.isdigit():
        times = int(text) // pack.rows
        return str(times * pack.cols) if pack.cols_text.isdigit() or not times else _times(str(times), pack.cols_text)
    if isinstance(row, syntax.Binary) and row.op == "*":
        left, right = at.text_of(row.left), at.text_of(row.right)
        heights = (pack.rows_text, str(pack.rows))
        if right in heights:
            return f"{left} * {atom(pack.cols_text)}"
        if left in heights:
            return f"{atom(pack.cols_text)} * {right}"
    return f"{atom(text)} // {atom(pack.rows_text)} * {atom(pack.cols_text)}"


def _times(number: str, text: str) -> str:
    return text if number == "1" else f"{number} * {atom(text)}"


def _annotations(unit: Unit, function: Function, uses: Uses, pack: Pack) -> list[Edit] | None:
    """The tile's shape, wherever a name for the whole accumulator is annotated with it."""
    edits: list[Edit] = []
    for stmt in walk.statements(function.body):
        if stmt.origin is None or not any(var in uses.names for var in walk.definitions(stmt)):
            continue
        at = Written(unit, stmt.origin.statement)
        annotation = at.parsed.annotation if isinstance(at.parsed, syntax.Assign) else None
        if not isinstance(annotation, syntax.Subscript) or not annotation.items:
            continue
        extents = items_of(annotation.items[0])
        if len(extents) != 2:
            return None
        edits += [replace(at, extents[0], pack.rows_text), replace(at, extents[1], pack.width_text)]
    return edits


def _store(unit: Unit, store: Assign, pack: Pack) -> Edit | None:
    """A store of the whole tile, as one store for each window."""
    found = written_call(unit, store.value.origin if isinstance(store.value, Call) else None)
    if found is None:
        return None
    at, call = found
    tile, tensor = argument(call, 0, "tile"), argument(call, 2, "output_tensor")
    offsets = items_of(argument(call, 1, "offsets"))
    target = _target(at)
    module = dsl_name(call)
    if not isinstance(tile, syntax.Name) or not isinstance(tensor, syntax.Name) or len(offsets) != 2:
        return None
    if target is None or module is None or not _is_alone(at, call):
        return None
    return _split(unit, at, _Parts(tile, tensor, offsets[0], target, module), pack)


@frozen(eq=False)
class _Parts:
    """What changes from one store to the next."""

    tile: syntax.Name
    tensor: syntax.Name
    row: syntax.Expression
    target: str
    module: str


def _split(unit: Unit, at: Written, parts: _Parts, pack: Pack) -> Edit:
    newline = line_end(unit)
    if pack.count <= MAX_STORES and pack.count_text.isdigit():
        pieces = [_piece(at, parts, pack, number) for number in range(pack.count)]
        return Edit(at.whole, f"{newline}{at.indent}".join(pieces))
    name = "t" if parts.target != "t" else "part"
    inner = at.indent + ("\t" if "\t" in at.indent else "    ")
    head = f"for {name} in {parts.module}.range({pack.count_text}):"
    return Edit(at.whole, f"{head}{newline}{inner}{_piece(at, parts, pack, name, parts.target)}")


def _piece(at: Written, parts: _Parts, pack: Pack, number: int | str, tensor: str | None = None) -> str:
    """The store of one window; each but the first goes on with the tensor that the one before it gave."""
    column = _scaled(number, pack.cols, pack.cols_text)
    row = _scaled(number, pack.rows, pack.rows_text)
    written = at.text_of(parts.row)
    if written == "0":
        place = row
    elif row == "0":
        place = written
    elif written.isdigit() and row.isdigit():
        place = str(int(written) + int(row))
    else:
        place = f"{written} + {row}"
    window = f"{parts.module}.tile.slice({parts.tile.name}, [{pack.rows_text}, {pack.cols_text}], [0, {column}])"
    into = tensor or (parts.tensor.name if number == 0 else parts.target)
    return at.with_replaced([(parts.tile, window), (parts.row, place), (parts.tensor, into)])


def _scaled(number: int | str, unit_value: int, unit_text: str) -> str:
    if isinstance(number, int) and (unit_text.isdigit() or not number):
        return str(number * unit_value)
    return _times(str(number), unit_text) if isinstance(number, int) else f"{number} * {atom(unit_text)}"


def _target(at: Written) -> str | None:
    """The one name that the statement assigns."""
    if not isinstance(at.parsed, syntax.Assign) or len(at.parsed.targets) != 1:
        return None
    target = at.parsed.targets[0]
    return target.name if isinstance(target, syntax.Name) else None


def _is_alone(at: Written, call: syntax.Call) -> bool:
    """Whether the call is all that the statement assigns, on a line of its own."""
    return isinstance(at.parsed, syntax.Assign) and at.parsed.value is call and bool(at.indent)
