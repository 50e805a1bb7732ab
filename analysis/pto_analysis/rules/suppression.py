"""Comments that silence findings: `# pto: ignore[PTO201]`, `# pto: ignore-file[PTO2]`, `# noqa: PTO201`.

A comment speaks for the whole statement that it stands in when it is on the statement's first or last line, for
its own line otherwise, and for the next statement when it has a line to itself. Without a list it silences
every rule.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import lru_cache

from pto_analysis.findings import Applicability, Edit, Finding, Fix
from pto_analysis.frozen import evolve, frozen
from pto_analysis.rules.index import rule_index
from pto_analysis.rules.selection import Enabled, UnknownRuleError, expand, unknown_rule
from pto_analysis.source.pieces import Piece, scan_piece
from pto_analysis.source.scanner import Comment, LogicalLine, Scanned, shifted_line
from pto_analysis.source.span import Span

UNUSED = "PTO002"

_PTO = re.compile(r"#\s*pto:\s*(?P<kind>ignore-file|ignore)\b\s*(?P<list>\[(?P<codes>[^\]\n]*)\]?)?", re.IGNORECASE)
_NOQA = re.compile(r"#\s*noqa\b(?P<list>\s*:\s*(?P<codes>[A-Z]+\d+(?:[,\s]+[A-Z]+\d+\b)*))?", re.IGNORECASE)
_ITEM = re.compile(r"[^\s,]+")
_OURS = re.compile(r"PTO\d+", re.IGNORECASE)


@frozen
class Suppression:
    """One silencing directive.

    `items` are the words of its list (None without a list). `first` and `last` bound the lines it speaks for, both
    -1 for the whole file. `span` is the directive; `removal` the text to delete when all of it is in vain.
    `shared` is true for `noqa` comments, which other tools read too.
    """

    span: Span
    removal: Span
    items: tuple[tuple[str, Span], ...] | None
    first: int = -1
    last: int = -1
    shared: bool = False

    def shifted(self, lines: int) -> Suppression:
        """The same directive so many lines further down."""
        items = None if self.items is None else tuple((word, span.shifted(lines)) for word, span in self.items)
        first, last = (self.first, self.last) if self.first < 0 else (self.first + lines, self.last + lines)
        return evolve(
            self,
            span=self.span.shifted(lines),
            removal=self.removal.shifted(lines),
            items=items,
            first=first,
            last=last,
        )

    def reaches(self, finding: Finding) -> bool:
        if self.first < 0:
            return True
        line, end = finding.span.line, finding.span.end_line
        return self.first <= line <= self.last or (self.first == self.last and line <= self.first <= end)


def may_suppress(text: str) -> bool:
    """A cheap test: whether a text can hold a directive at all."""
    return "pto:" in text.lower() or "noqa" in text.lower()


def suppressions_of(pieces: Sequence[Piece]) -> tuple[Suppression, ...]:
    """The silencing directives of the pieces of a file, in order, each of them read once."""
    found: list[Suppression] = []
    for number, piece in enumerate(pieces):
        if may_suppress(piece.text):
            within = _suppressions_in_piece(piece.text, _first_line(pieces[number + 1 :], piece.first_line))
            found += [each.shifted(piece.first_line) for each in within]
    return tuple(found)


def _first_line(pieces: Iterable[Piece], origin: int) -> LogicalLine | None:
    """The first statement of some pieces, its lines counted from `origin`."""
    for piece in pieces:
        for line in scan_piece(piece.text).lines[:1]:
            return shifted_line(line, piece.first_line - origin)
    return None


@lru_cache(maxsize=2048)
def _suppressions_in_piece(text: str, following: LogicalLine | None) -> tuple[Suppression, ...]:
    """Those of a piece; a comment at its end may speak for the statement that follows it."""
    scanned = scan_piece(text)
    return suppressions(evolve(scanned, lines=(*scanned.lines, *filter(None, (following,)))))


def suppressions(scanned: Scanned) -> tuple[Suppression, ...]:
    """The silencing directives of a file, in order."""
    starts = [line.line for line in scanned.lines]
    found: list[Suppression] = []
    for comment in scanned.comments:
        if not may_suppress(comment.text):
            continue
        reach = _reach(comment, scanned.lines, starts)
        blank_from = _code_end(comment, scanned.lines)
        found += [_read(match, comment, reach, blank_from) for match in _PTO.finditer(comment.text)]
        found += [_read(match, comment, reach, blank_from) for match in _NOQA.finditer(comment.text)]
    return tuple(found)


def _code_end(comment: Comment, lines: Sequence[LogicalLine]) -> int:
    """The column where the blanks before a comment begin, as far as they may go with it."""
    owner = lines[comment.owner] if comment.owner is not None else None
    return owner.end_column if owner is not None and owner.end_line == comment.line else comment.column


def _reach(comment: Comment, lines: Sequence[LogicalLine], starts: list[int]) -> tuple[int, int]:
    if comment.owner is None:
        index = bisect_right(starts, comment.line)
        return (lines[index].line, lines[index].end_line) if index < len(lines) else (comment.line, comment.line)
    owner = lines[comment.owner]
    if comment.line in (owner.line, owner.end_line):
        return (owner.line, owner.end_line)
    return (comment.line, comment.line)


def _read(match: re.Match[str], comment: Comment, reach: tuple[int, int], blank_from: int) -> Suppression:
    groups = match.groupdict()
    whole_file = str(groups.get("kind") or "").lower() == "ignore-file"
    first, last = (-1, -1) if whole_file else reach
    removal = _removal(match, comment, blank_from)
    span = _span(comment, match.start(), match.end())
    return Suppression(span, removal, _items(match, comment), first, last, shared="kind" not in groups)


def _items(match: re.Match[str], comment: Comment) -> tuple[tuple[str, Span], ...] | None:
    if match["list"] is None:
        return None
    words = _ITEM.finditer(comment.text, match.start("codes"), match.end("codes"))
    return tuple((word[0], _span(comment, word.start(), word.end())) for word in words)


def _span(comment: Comment, start: int, end: int) -> Span:
    return Span(comment.line, comment.column + start, comment.line, comment.column + end)


def _removal(match: re.Match[str], comment: Comment, blank_from: int) -> Span:
    """What goes when the directive goes: the reason behind it too, but no other directive or comment."""
    end = len(comment.text) if "#" not in comment.text[match.end() :] else match.end()
    start = comment.column + match.start()
    if match.start() == 0 and end == len(comment.text):
        start = min(blank_from, start)
    return Span(comment.line, start, comment.line, comment.column + end)


def silence(findings: Iterable[Finding], directives: Sequence[Suppression], enabled: Enabled) -> list[Finding]:
    """The findings that no directive silences, and one of PTO002 for each directive that silenced nothing."""
    if not directives:
        return list(findings)
    state = [_Directive(directive) for directive in directives]
    kept = [finding for finding in findings if not _silenced(finding, state)]
    if UNUSED in enabled.codes:
        for directive in state:
            kept += directive.complaints(enabled)
    return kept


def _silenced(finding: Finding, state: Iterable[_Directive]) -> bool:
    """Every directive that covers the finding counts as used, not only the first."""
    return sum(directive.takes(finding) for directive in state) > 0


class _Directive:
    """A directive with the codes that its words stand for, and which of them did something."""

    def __init__(self, directive: Suppression) -> None:
        self._directive = directive
        self._codes = [_codes(word) for word, _ in directive.items or ()]
        self._used: set[int] = set()
        self._used_at_all = False

    def takes(self, finding: Finding) -> bool:
        if not self._directive.reaches(finding):
            return False
        if self._directive.items is None:
            self._used_at_all = True
            return True
        taken = [index for index, codes in enumerate(self._codes) if finding.code in codes]
        self._used.update(taken)
        return bool(taken)

    def complaints(self, enabled: Enabled) -> list[Finding]:
        """PTO002 findings, unless the directive silences PTO002 itself."""
        items = self._directive.items
        if items is None:
            idle = not self._used_at_all and not self._directive.shared
            return [self._finding("silences nothing", self._directive.span, whole=True)] if idle else []
        if any(UNUSED in codes for codes in self._codes):
            return []
        if not items:
            return [self._finding("names no rule", self._directive.span, whole=True)]
        idle = [index for index in range(len(items)) if self._is_idle(index, enabled)]
        return [self._complaint(index, whole=len(idle) == len(items)) for index in idle]

    def _is_idle(self, index: int, enabled: Enabled) -> bool:
        word, codes = (self._directive.items or ())[index][0], self._codes[index]
        if self._directive.shared and not _OURS.fullmatch(word):
            return False
        return index not in self._used and (not codes or bool(codes & enabled.codes))

    def _complaint(self, index: int, *, whole: bool) -> Finding:
        word, span = (self._directive.items or ())[index]
        if not self._codes[index]:
            return self._finding(unknown_rule(word), span, whole=whole)
        return self._finding(f"`{word}` silences nothing here", span, whole=whole)

    def _finding(self, message: str, span: Span, *, whole: bool) -> Finding:
        rule = rule_index()[UNUSED]
        edit = Edit(self._directive.removal, "") if whole else self._without(span)
        fix = Fix("Remove it", Applicability.SAFE, (edit,))
        return Finding(rule.code, rule.severity, f"unused suppression: {message}", span, fix=fix)

    def _without(self, span: Span) -> Edit:
        """The removal of one word of the list, with the comma behind it or else before it."""
        items = self._directive.items or ()
        index = next(index for index, item in enumerate(items) if item[1] == span)
        if index + 1 < len(items):
            following = items[index + 1][1]
            return Edit(Span(span.line, span.column, span.line, following.column), "")
        return Edit(Span(span.line, items[index - 1][1].end_column, span.line, span.end_column), "")


def _codes(word: str) -> frozenset[str]:
    try:
        return frozenset(expand(word))
    except UnknownRuleError:
        return frozenset()
