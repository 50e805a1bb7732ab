"""Forgetting what has been edited away, so that what is remembered grows with the files and not with the edits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pto_analysis.source.modules import index_module, parse_ast
from pto_analysis.source.pieces import scan_piece
from pto_analysis.source.scanner import LogicalLine
from pto_analysis.source.statements import forget_statements
from pto_analysis.source.unit import Unit, content_of, items_of, split_units
from pto_analysis.source.words import words_of


def forget(text: str, kept: Iterable[str]) -> tuple[str, ...]:
    """Forgets a text of a file, but for the parts that it shares with the newer ones; gives the parts that are gone."""
    gone = split_units.known(text)
    newer = [source for each in kept if (source := split_units.known(each)) is not None]
    if gone is None or gone in newer:
        return ()
    split_units.forget(text)
    index_module.forget(text)
    for piece in gone.scanned.difference(*(source.scanned for source in newer)):
        scan_piece.forget(piece)
        items_of.forget(piece)
    here = {item.text for source in newer for item in source.items}
    parts = [item for item in gone.items if item.text not in here]
    for part in parts:
        content_of.forget(part.text)
        parse_ast.forget(part.text)
    before = {item.text for item in gone.items}
    instead = (item for source in newer for item in source.items if item.text not in before)
    statements = {*_statements(parts)}.difference(_statements(instead))
    forget_statements(statements)
    for statement in statements:
        words_of.forget(statement)
    return tuple(part.text for part in parts)


def _statements(items: Iterable[Unit | LogicalLine]) -> Iterator[str]:
    for item in items:
        yield from (line.text for line in (item.lines if isinstance(item, Unit) else (item,)))
