"""Rows of one `.pto` tile, chosen at run time, written as slots of a multi-buffer: what the assembler compares.

`pto.alloc_tile` becomes `pto.alloc_multi_tile`, and every `pto.subview` of a whole row `pto.multi_tile_get`. The bytes
stay the same. Offered only where every use of the tile is such a row, and after a trial: the rewritten function has
fewer false dependences, and what the stock assembler makes of it passes the checker (PTOAS #1519 does not).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache

from pto_analysis.findings import Applicability, Edit, Fix
from pto_analysis.frozen import frozen
from pto_analysis.pto.aliases import read_aliases
from pto_analysis.pto.lower import LoweredFile, lower_file
from pto_analysis.pto.reader import read_pto
from pto_analysis.pto.syntax import FunctionSyntax, Literal, Operation, PtoFile, walk
from pto_analysis.pto.tokens import tokenize
from pto_analysis.pto.types import TileType
from pto_analysis.source.remembered import FEW
from pto_analysis.source.span import Span
from pto_analysis.source.text import SourceText
from pto_analysis.sync.difference import compare
from pto_analysis.sync.policies import Policies
from pto_analysis.sync.program import SyncProgram, Target
from pto_analysis.sync.verify import verify

FEWEST_SLOTS, MOST_SLOTS = 2, 16
"""Slots of a multi-buffer (reference: sync 8.2, fact 36)."""

_RUNS = 60
"""Executions that the stock plan of the rewritten function is tried in."""

_VALUE = r"%[\w$.#-]+"
_TYPE = r"![\w.$]+(?:<[^<>\n]*>)?"
_ALLOCATION = re.compile(
    rf"{_VALUE}\s*=\s*pto\.(?P<name>alloc_tile)(?:\s+addr\s*=\s*{_VALUE})?\s*:\s*(?P<type>{_TYPE})"
)
_ROW = re.compile(
    rf"{_VALUE}\s*=\s*pto\.(?P<name>subview|subset)\s+{_VALUE}\s*\[\s*{_VALUE}(?P<column>\s*,\s*{_VALUE}\s*\]"
    rf"\s*sizes\s*\[\s*1\s*,\s*\d+\s*\])\s*:\s*(?P<source>{_TYPE})\s*->\s*(?P<type>{_TYPE})"
)
_LOCATION = re.compile(r"\s*loc\(.*\)\s*", re.DOTALL)


@frozen(eq=False, slots=False)
class PtoText:
    """A `.pto` file; `target` counts where the module does not name its architecture."""

    text: str
    target: Target

    @cached_property
    def file(self) -> PtoFile:
        return read_pto(self.text)

    @cached_property
    def lowered(self) -> LoweredFile:
        return lower_file(self.file, self.target)

    def program(self, qualname: str) -> SyncProgram | None:
        return next((each for each in self.lowered.programs if each.qualname == qualname), None)


@lru_cache(maxsize=FEW)
def multi_tile(source: PtoText, qualname: str, region: str) -> Fix | None:
    """The rows of a region of one of the file's programs as slots of a multi-buffer."""
    program = source.program(qualname)
    where = program.regions[region].where.span if program is not None and region in program.regions else None
    if program is None or where is None:
        return None
    function = next((each for each in source.file.functions if _holds(each.span, where)), None)
    edits = _edits(source.text, function, where) if function is not None else None
    if edits is None or not _is_better(source, program, edits):
        return None
    return Fix("Make the rows slots of a multi-buffer", Applicability.SAFE, tuple(edits))


def _holds(outer: Span, inner: Span) -> bool:
    return (outer.line, outer.column) <= (inner.line, inner.column) <= (outer.end_line, outer.end_column)


def _edits(text: str, function: FunctionSyntax, where: Span) -> list[Edit] | None:
    operations = list(walk(function.body)) if function.body is not None else []
    allocation = next((each for each in operations if each.span == where), None)
    if allocation is None or len(allocation.results) != 1 or not _is_placed_by_number(allocation, operations):
        return None
    tile, name = allocation.results[0].type, allocation.results[0].text
    rows = [each for each in operations if any(use.name == name for use in each.uses())]
    if not isinstance(tile, TileType) or not _can_be_slots(tile) or not rows:
        return None
    if not all(_is_whole_row(row, name, tile, operations) for row in rows):
        return None
    return _written(SourceText(text), allocation, rows, tile.rows or 0)


def _is_placed_by_number(allocation: Operation, operations: Sequence[Operation]) -> bool:
    """Whether the address is left out or a constant, as that of a multi-buffer has to be."""
    return all(isinstance(use, Literal) or _number(use.name, operations) is not None for use in allocation.arguments)


def _number(name: str, operations: Sequence[Operation]) -> int | None:
    for operation in operations:
        if operation.name == "arith.constant" and any(result.text == name for result in operation.results):
            value = next((each.value for each in operation.arguments if isinstance(each, Literal)), None)
            return value if isinstance(value, int) else None
    return None


def _can_be_slots(tile: TileType) -> bool:
    """Dense rows, so many as a multi-buffer may have slots, in a memory where slots are not spread."""
    dense = tile.blayout == "row_major" and not tile.is_boxed and tile.compact != 2
    return dense and tile.space in ("vec", "mat") and tile.rows is not None and FEWEST_SLOTS <= tile.rows <= MOST_SLOTS


def _is_whole_row(row: Operation, name: str, tile: TileType, operations: Sequence[Operation]) -> bool:
    """Whether an operation is nothing but a view of one row from its first column on."""
    uses = row.uses()
    sizes = [each.value for each in row.group("sizes") if isinstance(each, Literal)]
    if row.name not in ("pto.subview", "pto.subset") or len(uses) != 3 or sizes != [1, tile.cols]:
        return False
    kind = row.results[0].type if len(row.results) == 1 else None
    same = isinstance(kind, TileType) and (kind.rows, kind.cols, kind.dtype, kind.space) == (
        1,
        tile.cols,
        tile.dtype,
        tile.space,
    )
    return same and uses[0].name == name and uses[1].name != name and _number(uses[2].name, operations) == 0


def _written(source: SourceText, allocation: Operation, rows: Sequence[Operation], count: int) -> list[Edit] | None:
    """The edits; None where a piece is not spelled as expected, has a comment inside, or the rows differ in type."""
    aliases = read_aliases(tokenize(source.text)).types
    head = _matched(source, allocation, _ALLOCATION)
    found = [_matched(source, row, _ROW) for row in rows]
    pieces = [match for match in found if match is not None]
    slots = {aliases.get(match["type"], match["type"]) for match in pieces}
    if head is None or len(pieces) < len(found) or len(slots) != 1:
        return None
    ring = _ring_type(slots.pop(), count)
    if ring is None:
        return None
    return [
        _replaced(source, head, "name", "alloc_multi_tile"),
        _replaced(source, head, "type", ring),
        *(
            edit
            for match in pieces
            for edit in (
                _replaced(source, match, "name", "multi_tile_get"),
                _replaced(source, match, "column", "]"),
                _replaced(source, match, "source", ring),
            )
        ),
    ]


def _matched(source: SourceText, operation: Operation, spelling: re.Pattern[str]) -> re.Match[str] | None:
    """The operation's text as the pattern takes it apart; nothing but its `loc` may stand behind."""
    start = source.offset(operation.span.line, operation.span.column)
    end = source.offset(operation.span.end_line, operation.span.end_column)
    match = spelling.match(source.text, start, end)
    if match is None:
        return None
    rest = source.text[match.end() : end]
    return match if not rest.strip() or _LOCATION.fullmatch(rest) else None


def _replaced(source: SourceText, match: re.Match[str], group: str, text: str) -> Edit:
    return Edit(source.span(match.start(group), match.end(group)), text)


def _ring_type(slot: str, count: int) -> str | None:
    body = slot.removeprefix("!pto.tile_buf<")
    if body == slot or not body.endswith(">"):
        return None
    legacy = body.lstrip().startswith("loc")
    return f"!pto.multi_tile_buf<{slot if legacy else body[:-1]}, count={count}>"


def _is_better(source: PtoText, program: SyncProgram, edits: Sequence[Edit]) -> bool:
    """Whether the rewritten function is read without a complaint, waits less, and still waits enough."""
    after = PtoText(_applied(source.text, edits), source.target)
    changed = after.program(program.qualname)
    if changed is None or len(after.lowered.complaints) > len(source.lowered.complaints):
        return False
    policies = Policies(changed)
    fewer = len(compare(policies)) < len(compare(Policies(program)))
    return fewer and verify(changed, policies.ptoas, runs=_RUNS).ok


def _applied(text: str, edits: Sequence[Edit]) -> str:
    source = SourceText(text)
    for start, end, new in sorted(_placed(source, edits), reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _placed(source: SourceText, edits: Sequence[Edit]) -> Iterator[tuple[int, int, str]]:
    for edit in edits:
        span = edit.span
        yield source.offset(span.line, span.column), source.offset(span.end_line, span.end_column), edit.text
