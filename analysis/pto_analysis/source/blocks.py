"""The tree of compound statements, from indentation alone.

Built without recursion, and total: a line that is indented without a header above it, or dedents to a width
that no enclosing block has, gets an `error` and stays in the nearest block that can hold it. So does an `else` that
continues no statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from attrs import field

from pto_analysis.frozen import frozen
from pto_analysis.source.scanner import LogicalLine

MAX_DEPTH = 100
"""Blocks inside blocks, as CPython allows; deeper lines are kept at this depth, with an error."""

_FIRST_WORD = re.compile(r"(?:async[\s\\]+)?(\w*)")
_CONTINUES = {
    "elif": {"if", "elif"},
    "else": {"if", "elif", "for", "while", "try", "except"},
    "except": {"try", "except"},
    "finally": {"try", "except", "else"},
}
"""What stands before a clause that continues a compound statement. Of an unfinished `try` nothing is complained."""


@frozen(eq=False)
class Block:
    """A statement and, when it is a compound header, what it governs.

    `decorators` are the decorator lines of a def or class. `error` tells what is wrong with the indentation
    or the order of clauses.
    """

    line: LogicalLine
    body: tuple[Block, ...] = field(default=(), repr=False)
    decorators: tuple[LogicalLine, ...] = ()
    error: str | None = None


def build_blocks(lines: Iterable[LogicalLine]) -> tuple[Block, ...]:
    """The blocks of a run of logical lines, outermost first."""
    levels = [_Level(0)]
    for line in lines:
        if line.joined:
            _join(levels, line)
            continue
        error = _settle(levels, line.indent)
        levels[-1].add(_Draft(line, error, quiet=line.indent <= levels[-1].excused))
    while len(levels) > 1:
        _close(levels)
    return levels[0].finish()


def walk_lines(blocks: Iterable[Block]) -> Iterator[LogicalLine]:
    """Every line of some blocks in source order, decorators included."""
    waiting = [*blocks][::-1]
    while waiting:
        block = waiting.pop()
        yield from block.decorators
        yield block.line
        waiting.extend(reversed(block.body))


def continues(before: LogicalLine, line: LogicalLine) -> bool:
    """Whether a line is a clause, as `else`, of the statement that ends before it."""
    return line.is_header and _first_word(before) in _CONTINUES.get(_first_word(line), ())


class _Draft:
    """A block whose body is still being read."""

    __slots__ = ("body", "decorators", "error", "line", "quiet")

    def __init__(self, line: LogicalLine, error: str | None, *, quiet: bool = False) -> None:
        """A `quiet` line stands among lines whose indentation was complained about."""
        self.quiet = quiet
        self.line = line
        self.error = error
        self.decorators: tuple[LogicalLine, ...] = ()
        self.body: tuple[Block, ...] = ()

    def finish(self) -> Block:
        error = self.error
        if self.line.is_header and not self.body and not self.quiet:
            error = error or "expected an indented block"
        return Block(self.line, self.body, self.decorators, error)


class _Level:
    """The statements of one indentation; the last one may still get a body."""

    __slots__ = ("_blocks", "_decorators", "excused", "indent", "last")

    def __init__(self, indent: int) -> None:
        self.indent = indent
        self.excused = -1
        """Lines up to this indentation were complained about already."""
        self.last: _Draft | None = None
        self._blocks: list[Block] = []
        self._decorators: list[LogicalLine] = []

    def add(self, draft: _Draft) -> None:
        self._seal()
        if draft.line.text.startswith("@"):
            self._decorators.append(draft.line)
            return
        if self._decorators and draft.line.text.startswith(("def", "class", "async")):
            draft.decorators = tuple(self._decorators)
            self._decorators.clear()
        self._release()
        self.last = draft
        draft.error = draft.error or self._misplaced(draft.line)

    def finish(self) -> tuple[Block, ...]:
        self._seal()
        self._release()
        return tuple(self._blocks)

    def _misplaced(self, line: LogicalLine) -> str | None:
        """What is wrong with a clause that does not follow a statement it can continue."""
        word = _first_word(line)
        if word not in _CONTINUES or not line.is_header or (self._blocks and continues(self._blocks[-1].line, line)):
            return None
        return f"`{word}` continues no statement"

    def _seal(self) -> None:
        if self.last:
            self._blocks.append(self.last.finish())
            self.last = None

    def _release(self) -> None:
        """Turns decorators that decorate nothing into statements of their own."""
        error = "expected a function or class after the decorator"
        self._blocks.extend(Block(line, error=error) for line in self._decorators)
        self._decorators.clear()


def _first_word(line: LogicalLine) -> str:
    word = _FIRST_WORD.match(line.text)
    return word[1] if word else ""


_SAME_LINE = 1 << 60
"""The indentation of a body on its header's line: every following line ends it."""


def _join(levels: list[_Level], line: LogicalLine) -> None:
    """Adds a statement that stands behind ";" or behind the ":" of a header on the same line."""
    owner = levels[-1].last
    if line.joined == ":" and owner and owner.line.is_header:
        levels.append(_Level(_SAME_LINE))
    levels[-1].add(_Draft(line, None))


def _settle(levels: list[_Level], indent: int) -> str | None:
    """Opens or closes levels until the last one takes a line; gives what is wrong with its indentation."""
    dedented = False
    while indent < levels[-1].indent:
        dedented = dedented or levels[-1].indent != _SAME_LINE
        _close(levels)
    level = levels[-1]
    if indent == level.indent:
        level.excused = -1
        return None
    if dedented:
        return _complain(level, indent, "unindent does not match any outer indentation level")
    if level.last is None or not level.last.line.is_header or level.last.body:
        return _complain(level, indent, "unexpected indent")
    if len(levels) > MAX_DEPTH:
        level.last.quiet = True
        return _complain(level, _SAME_LINE, "too many levels of indentation")
    levels.append(_Level(indent))
    return None


def _complain(level: _Level, indent: int, error: str) -> str | None:
    """The error, unless the line before had it too."""
    if indent <= level.excused:
        return None
    level.excused = indent
    return error


def _close(levels: list[_Level]) -> None:
    body = levels.pop().finish()
    owner = levels[-1].last
    if owner:
        owner.body += body
