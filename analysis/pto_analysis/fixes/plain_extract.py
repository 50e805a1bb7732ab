"""An extract instead of a slice that its consumer cannot do with: a move of an L1 view, a row taken by an index."""

from __future__ import annotations

from collections.abc import Sequence

from pto_analysis.findings import Applicability, Edit, Fix
from pto_analysis.fixes.extract import extract_call, removed_statement
from pto_analysis.fixes.places import places_of
from pto_analysis.fixes.written import Written, argument, comments_in, dsl_of, replace, written_at, written_call
from pto_analysis.frontend.typed import constant_int
from pto_analysis.ir.expr import Var
from pto_analysis.ir.function import Function
from pto_analysis.ir.types import TileType
from pto_analysis.passes.canonicalize import Rewrite
from pto_analysis.passes.ssa.names import base_name
from pto_analysis.source import syntax
from pto_analysis.source.span import Origin
from pto_analysis.source.unit import Unit


def extract_for_moves(unit: Unit, function: Function, moves: Sequence[Rewrite]) -> Fix | None:
    """Each `move` of one slice as an extract from the slice's source, said as a rewrite; the slice goes."""
    first = moves[0]
    places = places_of(function)
    slicing, found = places.defined.get(first.slice), written_at(unit, first.slice_origin)
    if slicing is None or found is None:
        return None
    edits: list[Edit] = []
    for move in moves:
        made = extract_call(unit, function, move)
        moved = written_call(unit, move.consumer_origin)
        reader = places.reader(move.slice, moved[0].statement) if moved is not None else None
        if made is None or moved is None or reader is None or not _moves_only(*moved, move, found[1]):
            return None
        if not places.means_the_same(made.names, made.anchor, reader):
            return None
        edits.append(replace(*moved, made.text))
    at, node = found
    known = not places.overlooks(unit, {base_name(first.slice.name)})
    if known and isinstance(at.parsed, syntax.Assign) and at.parsed.value is node:
        unused = removed_statement(at)
        edits += [unused] if unused is not None else []
    name = first.target.value
    return Fix(f"Write the extract to {name} instead of the slice and the move", Applicability.UNSAFE, tuple(edits))


def _moves_only(at: Written, call: syntax.Call, move: Rewrite, slice_node: syntax.Expression) -> bool:
    """Whether the call is a move of the slice, by name or on the spot, with a target and nothing else."""
    operand = argument(call, 0, "tile")
    if len(call.args) != 2 or argument(call, 1, "target_memory") is None or comments_in(at, at.span(call)):
        return False
    if isinstance(operand, syntax.Name):
        return operand.name == base_name(move.slice.name)
    return operand is slice_node


def row_extract(unit: Unit, origin: Origin | None, source: Var) -> Fix | None:
    """`t[i]` as the extract of that row; unsafe, since the result keeps both dimensions."""
    found = written_at(unit, origin)
    tile = source.type
    if found is None or not isinstance(tile, TileType) or len(tile.shape) != 2:
        return None
    at, node = found
    width = constant_int(tile.shape[1])
    if not isinstance(node, syntax.Subscript) or not isinstance(node.value, syntax.Name) or width is None:
        return None
    row, rest = node.items[0], node.items[1:]
    whole = all(isinstance(item, syntax.Slice) and item.lower is None and item.upper is None for item in rest)
    module = dsl_of(unit)
    if isinstance(row, syntax.Slice) or not whole or module is None or comments_in(at, at.span(node)):
        return None
    text = (
        f"{module}.tile.extract({node.value.name}, {at.text_of(row)}, 0, shape=[1, {width}], "
        f"target_memory={module}.Mem.Vec)"
    )
    return Fix("Take the row with `pl.tile.extract`", Applicability.UNSAFE, (replace(at, node, text),))
