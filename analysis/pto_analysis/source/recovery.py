"""Where a broken statement ends: what a new statement looks like from inside an open bracket or string."""

from __future__ import annotations

import re

from pto_analysis.source.text import LINE_END

_BLANK = re.compile(r"[ \t\f\ufeff]*")
_NEVER_IN_BRACKETS = re.compile(
    r"[ \t\f]*(?:(?:def|class|return|import|while|with|try|raise|del|pass|break|continue|global|nonlocal|assert)\b"
    r"|from[ \t]+[\w.]+[ \t]+import\b)"
)
_LIKELY_STATEMENT = re.compile(r"[ \t\f]*(?:[^\W\d]|@[ \t]*[^\W\d])")
_PLAIN_ASSIGNMENT = re.compile(r"[ \t\f]*[^\W\d][\w.]* = [^\n\r]*[^,(\[{\\\s](?=[\n\r])")
_DEFINITION = re.compile(
    r"[ \t\f]*(?:(?:async[ \t]+)?def[ \t]+\w+[ \t]*\(|class[ \t]+\w+[ \t]*[(:]|@[ \t]*[\w.]+[ \t]*(?:[(\n\r]|\Z))"
)
_STATEMENT = re.compile(
    rf"{_DEFINITION.pattern}|[ \t\f]*(?:import[ \t]+[\w.]+|from[ \t]+[\w.]+[ \t]+import\b|return\b"
    r"|(?:for|if|elif|with|while)\b[^\n\r]*[:(][ \t]*[\n\r]|(?:else|try)[ \t]*:"
    r"|[^\W\d][\w.]*(?:\[[^\n\r]*\])?[ \t]*(?::[ \t]*[\w.]+[^\n\r]*)?=[ \t]*[^\s=]"
    r"|[^\W\d]\w*(?:\.\w+)+\()"
)


def indent_width(prefix: str) -> int:
    """The width of an indentation: tabs to multiples of 8, a form feed begins anew."""
    if "\t" not in prefix and "\f" not in prefix and "\ufeff" not in prefix:
        return len(prefix)
    return len(prefix.rpartition("\f")[2].replace("\ufeff", "").expandtabs(8))


def line_indent(text: str, line_start: int) -> int:
    """The width of the indentation of the physical line that begins at an offset."""
    blank = _BLANK.match(text, line_start)
    return indent_width(blank[0]) if blank else 0


def cannot_be_inside(text: str, line_start: int) -> bool:
    """Whether a physical line begins with a word that never stands at a line start inside brackets."""
    return _NEVER_IN_BRACKETS.match(text, line_start) is not None


def may_begin_statement(text: str, line_start: int, indent: int) -> bool:
    """Whether a physical line begins as a statement does: no further indented than `indent`, or `name = value`."""
    if _LIKELY_STATEMENT.match(text, line_start) is None:
        return False
    return line_indent(text, line_start) <= indent or _PLAIN_ASSIGNMENT.match(text, line_start) is not None


def keep_string(text: str, start: int, end: int | None, indent: int) -> int | None:  # noqa: ARG001
    """Believes the quotes: a closed triple-quoted string stays, an open one takes all the rest."""
    return len(text) if end is None else None


def cut_string_at_code(text: str, start: int, end: int | None, indent: int) -> int | None:
    """Ends a triple-quoted string before the first line that looks like code outside of it; None keeps it whole.

    For texts whose quotes do not pair up, so that what lies between two of them may be code. A string that
    closes is suspected only when a definition stands in it. `end` is where the string closes, None when it does
    not; `indent` is the width of its statement's indentation.
    """
    if end is not None and not _has_line(_DEFINITION, text, start, end, indent):
        return None
    limit = len(text) if end is None else end
    cut = _first_line(_STATEMENT, text, start, limit, indent)
    return limit if cut is None else cut


def _has_line(pattern: re.Pattern[str], text: str, start: int, limit: int, indent: int) -> bool:
    return _first_line(pattern, text, start, limit, indent) is not None


def _first_line(pattern: re.Pattern[str], text: str, start: int, limit: int, indent: int) -> int | None:
    """The end of the line before the first line that matches and is indented no further than `indent`."""
    for line_end in LINE_END.finditer(text, start, limit):
        begin = line_end.end()
        if pattern.match(text, begin) and line_indent(text, begin) <= indent:
            return line_end.start()
    return None
