"""Cuts a text into logical lines, and never gives up on one that is broken.

Code is broken most of the time while it is typed, so a line with an unclosed bracket or string must spoil
itself only. The scanner first believes the text: a bracket may be closed many lines below. When that fails
(the text ends, another bracket closes, or a word comes that cannot stand inside brackets), the broken
statement ends before the first line that looks like a new one. Nesting and operator chains are bounded
here, before a parser that recurses sees them.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable

from pto_analysis.frozen import evolve, frozen
from pto_analysis.source import one_line
from pto_analysis.source.bounds import MAX_NESTING, oversize
from pto_analysis.source.recovery import (
    cannot_be_inside,
    cut_string_at_code,
    indent_width,
    keep_string,
    may_begin_statement,
)
from pto_analysis.source.text import line_starts

PATIENCE = 16
"""How often the scanner reads ahead for a closing bracket in vain before it stops believing the text."""

_STOP = re.compile(r"""[\n\r#'"()\[\]{};:\\]""")
_BLANK = re.compile(r"[ \t\f\ufeff]*")
_BLANK_LINES = re.compile(rf"(?:{_BLANK.pattern}[\n\r]+)*({_BLANK.pattern})")
_TO_LINE_END = re.compile(r"[^\n\r]*")
_CODE_END = " \t\f\n\r"
_OPENER = {")": "(", "]": "[", "}": "{"}
_STRING = {
    '"': re.compile(r'"[^"\\\n\r]*(?:\\(?:\r\n|[\s\S])[^"\\\n\r]*)*"'),
    "'": re.compile(r"'[^'\\\n\r]*(?:\\(?:\r\n|[\s\S])[^'\\\n\r]*)*'"),
    '"""': re.compile(r'"""[^"\\]*(?:(?:\\[\s\S]|"(?!""))[^"\\]*)*"""'),
    "'''": re.compile(r"'''[^'\\]*(?:(?:\\[\s\S]|'(?!''))[^'\\]*)*'''"),
}
_TRIPLE = ('"""', "'''")
_HEADER = re.compile(
    r"(?:async[ \t]+)?(?:def|class|for|with|while)\b|(?:if|elif|else|try|except|finally)\b"
    r"|(?:match|case)\b[ \t]+[^\s=:.,;+*/%&|^<>!)\]}-]"
)
_LAMBDA = re.compile(r"\blambda\b")

_StringEnd = Callable[[str, int, "int | None", int], "int | None"]


@frozen
class Comment:
    """`text` begins with "#". `owner` is the index of the logical line that it stands in or behind, None alone."""

    line: int
    column: int
    text: str
    owner: int | None


@frozen
class LogicalLine:
    """One simple statement or one compound header (up to its colon).

    `line`, `column` and `end_line`, `end_column` bound the statement (0-based, code points); `text` is verbatim
    from its first to its last character, inner comments and line ends included. `indent` is the width of the
    indentation, tabs to multiples of 8. `joined` says how it follows the statement before on the same line:
    "" (it does not), ";" or ":" (it is the body of that header). `error` says what is wrong with its brackets
    or strings, `error_at` where (line, column).
    """

    index: int
    line: int
    column: int
    indent: int
    end_line: int
    end_column: int
    text: str
    joined: str = ""
    is_header: bool = False
    comments: tuple[Comment, ...] = ()
    error: str | None = None
    error_at: tuple[int, int] | None = None


def shifted_line(line: LogicalLine, lines: int) -> LogicalLine:
    """The same statement so many lines further down."""
    comments = tuple(evolve(comment, line=comment.line + lines) for comment in line.comments)
    error_at = None if line.error_at is None else (line.error_at[0] + lines, line.error_at[1])
    return evolve(line, line=line.line + lines, end_line=line.end_line + lines, comments=comments, error_at=error_at)


@frozen
class Scanned:
    """The logical lines of a text, and all of its comments, those on lines of their own included.

    `ran_out` tells that an open bracket was looked for a partner up to the end of the text, `lost_string` that triple
    quotes do not pair up: what follows could be read in another way. `vain` counts the brackets given up.
    """

    lines: tuple[LogicalLine, ...]
    comments: tuple[Comment, ...]
    vain: int = 0
    ran_out: bool = False
    lost_string: bool = False


def scan(text: str) -> tuple[LogicalLine, ...]:
    """The logical lines of a text, in order. Never raises; blank lines and lone comments give none."""
    return scan_text(text).lines


def scan_text(text: str) -> Scanned:
    """The logical lines and every comment of a text."""
    scanner = _Scanner(text, keep_string)
    scanned = scanner.run()
    return evolve(_Scanner(text, cut_string_at_code).run(), lost_string=True) if scanned.lost_string else scanned


@frozen
class _Doubt:
    """A line inside open brackets that may be the statement after a broken one."""

    line_start: int
    comments: int
    opener: int


class _Scanner:
    """The state of one pass. `_stack` holds the offsets of the brackets open in the current statement."""

    def __init__(self, text: str, string_end: _StringEnd) -> None:
        self._lost_string = False
        self._text = text
        self._string_end = string_end
        self._starts = line_starts(text)
        self._lines: list[LogicalLine] = []
        self._comments: list[Comment] = []
        self._comment_starts: list[int] = []
        self._vain = 0
        self._ran_out = False
        self._stack: list[int] = []
        self._doubt: _Doubt | None = None
        self._fault: tuple[str, int] | None = None

    def run(self) -> Scanned:
        position = 0
        while position < len(self._text):
            position = self._physical_line(position)
        return Scanned(tuple(self._lines), tuple(self._comments), self._vain, self._ran_out, self._lost_string)

    def _physical_line(self, position: int) -> int:
        """Takes the statements of the next line that has any; gives the offset of what is left to read."""
        text = self._text
        blank = _BLANK_LINES.match(text, position)
        line_start, start = blank.span(1) if blank else (position, position)
        char = text[start : start + 1]
        if not char:
            return start
        if char == "#":
            return self._comment(start, None)
        after_escape = self._after_line_end(start + 1) if char == "\\" else start
        if after_escape > start + 1:
            return after_escape
        indent = indent_width(text[line_start:start])
        joined = ""
        while True:
            start, joined = self._statement(start, indent, joined)
            if not joined:
                return start

    def _statement(self, start: int, indent: int, joined: str) -> tuple[int, str]:
        """Takes one statement; gives where to go on and the mark (";", ":") if another follows on its line."""
        text, stack = self._text, self._stack
        stack.clear()
        self._doubt = self._fault = None
        first_comment = len(self._comments)
        header = _HEADER.match(text, start) is not None
        ends = (one_line.header if header else one_line.simple_statement)(text, start)
        if ends is not None:
            self._add(start, ends[0], indent, joined, header, first_comment)
            return ends[1], ""
        lambdas = 0
        position, mark, code_end = start, "", -1
        while True:
            stop = _STOP.search(text, position)
            at = stop.start() if stop else len(text)
            char = text[at : at + 1]
            if header and not stack:
                lambdas += self._lambdas(position, at)
            position = at + 1
            if char in "([{" and char:
                self._open(at)
            elif char in _OPENER:
                if not self._close(at):
                    position, code_end = self._recover(start, self._doubt)
                    break
            elif char in "\n\r":
                if not stack:
                    position, code_end = at, at
                    break
                position = self._after_line_end(at)
                self._ran_out = self._ran_out or not char
                if not char or self._ends_before(position, at, indent, header):
                    position, code_end = self._recover(start, self._doubt or self._doubt_at(position))
                    break
            elif char in "\"'":
                position = self._string(at, indent)
            elif char == "#":
                position = self._comment(at, len(self._lines))
                if not stack:
                    code_end = at
                    break
            elif char == "\\":
                position = self._after_line_end(at + 1)
            elif stack:
                continue
            elif char == ";":
                mark, code_end = ";", at
                break
            elif header and lambdas:
                lambdas -= 1
            elif header and text[at + 1 : at + 2] != "=":
                mark, code_end = ":", at + 1
                break
        if mark:
            position, mark = self._after_mark(position, mark)
        self._add(start, code_end, indent, joined, header, first_comment)
        return position, mark

    def _add(self, start: int, code_end: int, indent: int, joined: str, header: bool, first_comment: int) -> None:
        statement = self._text[start:code_end].rstrip(_CODE_END)
        end = start + len(statement)
        line = bisect_right(self._starts, start) - 1
        end_line = bisect_right(self._starts, end, line) - 1
        if not self._fault and (reason := oversize(statement)):
            self._fault = reason, start
        error, at = self._fault or (None, 0)
        self._lines.append(
            LogicalLine(
                len(self._lines),
                line,
                start - self._starts[line],
                indent,
                end_line,
                end - self._starts[end_line],
                statement,
                joined,
                header,
                tuple(self._comments[first_comment:]),
                error,
                self._place(at) if error else None,
            )
        )

    def _open(self, at: int) -> None:
        self._stack.append(at)
        if len(self._stack) == MAX_NESTING + 1:
            self._fail(f"nesting deeper than {MAX_NESTING}", at)

    def _close(self, at: int) -> bool:
        """Closes the bracket at an offset; False when this shows that the statement ended at a doubtful line."""
        text, stack = self._text, self._stack
        wanted = _OPENER[text[at]]
        if stack and text[stack[-1]] == wanted:
            stack.pop()
            return True
        if self._doubt:
            return False
        if not stack:
            self._fail(f"unmatched '{text[at]}'", at)
            return True
        self._fail(f"'{text[at]}' does not match '{text[stack[-1]]}'", at)
        if any(text[opener] == wanted for opener in stack[-MAX_NESTING:]):
            while text[stack.pop()] != wanted:
                pass
        return True

    def _ends_before(self, line_start: int, line_end: int, indent: int, header: bool) -> bool:
        """Whether a statement with open brackets must be given up before a physical line."""
        text = self._text
        if cannot_be_inside(text, line_start):
            return True
        if self._doubt is None:
            deepest = len(text) if header and text[line_end - 1] == ":" else indent
            if may_begin_statement(text, line_start, deepest):
                self._doubt = self._doubt_at(line_start)
        return self._doubt is not None and self._vain > PATIENCE

    def _doubt_at(self, line_start: int) -> _Doubt:
        return _Doubt(line_start, len(self._comments), self._stack[-1])

    def _recover(self, start: int, doubt: _Doubt | None) -> tuple[int, int]:
        """Ends a broken statement before the doubtful line; gives that line's start and the end of the code."""
        assert doubt is not None
        self._vain += 1
        self._fail(f"'{self._text[doubt.opener]}' was never closed", doubt.opener)
        del self._comments[doubt.comments :]
        del self._comment_starts[doubt.comments :]
        end = doubt.line_start
        for comment, at in zip(reversed(self._comments), reversed(self._comment_starts), strict=True):
            end = start + len(self._text[start:end].rstrip(_CODE_END))
            if at < start or at + len(comment.text) != end:
                break
            end = at
        return doubt.line_start, end

    def _string(self, at: int, indent: int) -> int:
        text = self._text
        quote = text[at] * 3 if text.startswith(text[at] * 3, at) else text[at]
        match = _STRING[quote].match(text, at)
        if len(quote) == 1:
            if match:
                return match.end()
            self._fail("unterminated string", at)
            end = self._line_end(at)
            self._lost_string = self._lost_string or any(text.find(each, at, end) >= 0 for each in _TRIPLE)
            return end
        self._lost_string = self._lost_string or match is None
        cut = self._string_end(text, at + 3, match.end() if match else None, indent)
        if cut is not None:
            self._fail("unterminated triple-quoted string", at)
            return cut
        return match.end() if match else len(text)

    def _comment(self, at: int, owner: int | None) -> int:
        end = self._line_end(at)
        self._comments.append(Comment(*self._place(at), self._text[at:end], owner))
        self._comment_starts.append(at)
        return end

    def _after_mark(self, position: int, mark: str) -> tuple[int, str]:
        """Skips blanks and a comment behind ";" or a header's ":"; the mark stays if another statement follows."""
        position = self._skip_blank(position)
        if self._text.startswith("#", position):
            position = self._comment(position, len(self._lines))
        return position, "" if self._text[position : position + 1] in "\n\r" else mark

    def _lambdas(self, start: int, end: int) -> int:
        if self._text.find("lambda", start, end) < 0:
            return 0
        return len(_LAMBDA.findall(self._text, start, end))

    def _fail(self, message: str, at: int) -> None:
        self._fault = self._fault or (message, at)

    def _place(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._starts, offset) - 1
        return line, offset - self._starts[line]

    def _skip_blank(self, position: int) -> int:
        match = _BLANK.match(self._text, position)
        return match.end() if match else position

    def _line_end(self, position: int) -> int:
        match = _TO_LINE_END.match(self._text, position)
        return match.end() if match else position

    def _after_line_end(self, position: int) -> int:
        """Past the line end at an offset, if one stands there."""
        if self._text.startswith("\r\n", position):
            return position + 2
        return position + 1 if self._text[position : position + 1] in ("\n", "\r") else position
