"""A store of the whole accumulator, as one store for each band."""

from __future__ import annotations

from collections.abc import Sequence

from pto_analysis.findings import Edit
from pto_analysis.fixes.column_pack.layout import Pack
from pto_analysis.fixes.column_pack.uses import Store, Uses
from pto_analysis.fixes.written import (
    Written,
    argument,
    atom,
    dsl_name,
    free_name,
    items_of,
    line_end,
    term,
    words_of,
    written_call,
)
from pto_analysis.frozen import frozen
from pto_analysis.source import syntax
from pto_analysis.source.unit import Unit

MAX_STORES = 8
"""Stores are split into as many statements; more windows, or a count that has a name, become a loop."""


@frozen(eq=False)
class _Parts:
    """What changes from one store to the next. `target` is what the result is called, None for a bare statement."""

    at: Written
    call: syntax.Call
    tile: syntax.Name
    tensor: syntax.Name
    row: syntax.Expression
    target: str | None
    slice: str

    @property
    def returns(self) -> bool:
        return isinstance(self.at.parsed, syntax.Return)

    @property
    def result(self) -> str:
        """The name that goes on from one store to the next."""
        return self.tensor.name if self.target is None else self.target


def split_store(unit: Unit, store: Store, uses: Uses, pack: Pack) -> Edit | None:
    """None where the store is not a statement of its own on a name, or its parts are not written out.

    Stores that share their line with other statements stay on it; a loop cannot.
    """
    found = written_call(unit, store.value.origin)
    parts = None if found is None else _parts(unit, *found, uses)
    if parts is None:
        return None
    is_few = pack.count <= MAX_STORES and pack.count_text.isdigit()
    if not parts.at.is_alone and not is_few:
        return None
    lines = [_line(parts, pack, number) for number in range(pack.count)] if is_few else _loop(unit, parts, pack)
    if not parts.at.is_alone:
        return Edit(parts.at.whole, "; ".join(lines))
    return Edit(parts.at.whole, f"{line_end(unit)}{parts.at.indent}".join(lines))


def _parts(unit: Unit, at: Written, call: syntax.Call, uses: Uses) -> _Parts | None:
    tile, tensor = argument(call, 0, "tile"), argument(call, 2, "output_tensor")
    offsets = items_of(argument(call, 1, "offsets"))
    slicing = _slicing(unit, call, uses)
    if not isinstance(tile, syntax.Name) or not isinstance(tensor, syntax.Name) or len(offsets) < 2:
        return None
    if slicing is None or not _is_all(at, call) or _binds_once(unit, at):
        return None
    return _Parts(at, call, tile, tensor, offsets[-2], _target(at), slicing)


def _is_all(at: Written, call: syntax.Call) -> bool:
    """Whether the call is the statement's whole value, under one name at most."""
    stmt = at.parsed
    if isinstance(stmt, syntax.Assign):
        return stmt.value is call and len(stmt.targets) == 1 and isinstance(stmt.targets[0], syntax.Name)
    return isinstance(stmt, (syntax.Return, syntax.ExpressionStatement)) and stmt.value is call


def _binds_once(unit: Unit, at: Written) -> bool:
    """Whether the tensor may not get a second value, as one store for each band needs."""
    return "strict_ssa" in unit.text and not isinstance(at.parsed, syntax.ExpressionStatement)


def _target(at: Written) -> str | None:
    target = at.parsed.targets[0] if isinstance(at.parsed, syntax.Assign) else None
    return target.name if isinstance(target, syntax.Name) else None


def _slicing(unit: Unit, call: syntax.Call, uses: Uses) -> str | None:
    """How the author calls the slice."""
    for window in uses.windows:
        found = written_call(unit, window.origin)
        if found is not None:
            return found[0].text_of(found[1].func)
    module = dsl_name(unit, call)
    return None if module is None else f"{module}.tile.slice"


def _line(parts: _Parts, pack: Pack, number: int) -> str:
    """The store of one band; each but the first goes on with the tensor that the one before it gave."""
    last = number == pack.count - 1
    text = _piece(
        parts, pack, pack.strides(number), pack.bands(number), parts.tensor.name if not number else parts.result
    )
    if parts.returns and not last:
        return f"{parts.result} = {_without_return(text)}"
    return text


def _loop(unit: Unit, parts: _Parts, pack: Pack) -> Sequence[str]:
    name = free_name("t", words_of(unit))
    text = _piece(parts, pack, f"{name} * {atom(pack.stride_text)}", f"{name} * {atom(pack.rows_text)}", parts.result)
    if parts.returns:
        text = f"{parts.result} = {_without_return(text)}"
    module = dsl_name(unit, parts.call) or parts.slice.partition(".")[0]
    inner = "\t" if "\t" in parts.at.indent else "    "
    lines = [f"for {name} in {module}.range({pack.count_text}):", f"{inner}{text}"]
    if parts.result != parts.tensor.name:
        lines.insert(0, f"{parts.result} = {parts.tensor.name}")
    return [*lines, f"return {parts.result}"] if parts.returns else lines


def _without_return(text: str) -> str:
    return text.removeprefix("return").lstrip(" \t\\\r\n")


def _piece(parts: _Parts, pack: Pack, column: str, row: str, into: str) -> str:
    window = f"{parts.slice}({parts.tile.name}, [{pack.rows_text}, {pack.cols_text}], [0, {column}])"
    place = _sum(parts.at.text_of(parts.row), row)
    return parts.at.with_replaced([(parts.tile, window), (parts.row, place), (parts.tensor, into)])


def _sum(written: str, row: str) -> str:
    if written == "0":
        return row
    if row == "0":
        return written
    return str(int(written) + int(row)) if written.isdigit() and row.isdigit() else f"{term(written)} + {row}"
