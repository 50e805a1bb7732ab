"""What Python's compiler refuses although its parser takes it: a `break` outside of loops, a keyword given twice, …

Kernels are never run here, but their module is imported before they are: what Python refuses, nobody can compile.
Compiling makes code objects and runs nothing.
"""

from __future__ import annotations

import re
import warnings

from attrs import field

from pto_analysis.frozen import frozen
from pto_analysis.source.remembered import remembered
from pto_analysis.source.span import Span
from pto_analysis.source.text import split_lines
from pto_analysis.source.unit import Unit, UnitContent

_WORDS = frozenset(
    {"async", "await", "break", "case", "continue", "except", "global", "lambda", "nonlocal", "yield"}
    | {"__debug__", "__future__"}
)
"""Words without which a statement is refused for few reasons."""

_SIGNS = ("\t", ":=", "\0")
"""Tabs in indentation, assignments inside of expressions, null characters."""

_STAR = re.compile(r"(?<!\*)\*(?!\*)")
_STARRED_AFTER = ("=", "(", ",", "[", ":", "{", "return", "import")
_LOOK_BACK = 80
"""Characters before a star that may be blank."""

_CLASS_RETURN = re.compile(r"^(?: {1,4}|\t)return\b", re.MULTILINE)
_KEYWORD = re.compile(r"\b(\w+)\s*=(?!=)")
_BRACKET_OR_KEYWORD = re.compile(r"[()\[\]{}]|\b(\w+)\s*=(?!=)")
_BRACKET_OR_WORD = re.compile(r"#.*|[()\[\]{},]|\w+")


@frozen
class Refusal:
    """Why Python refuses a text, and where.

    What the parser does not take may be newer Python than the one that runs this, except for `is_layout`: tabs among
    blanks and null characters.
    """

    message: str
    span: Span
    is_layout: bool
    text: str = field(repr=False)

    def parses(self) -> bool:
        """Whether Python's parser alone would have taken the text; takes as long as finding the refusal."""
        return _error(self.text, only_parse=True) is None


@remembered(characters=200_000)
def refusal(text: str) -> Refusal | None:
    """What Python says about a text of its own; None when it takes it, or gives up on its size."""
    error = _error(text, only_parse=False)
    if error is None:
        return None
    is_layout = isinstance(error, TabError) or "\0" in text
    return Refusal(_message(error), _span(error, text), is_layout, text)


def may_be_refused(unit: Unit) -> bool:
    """Whether a unit of statements that parse has anything that the compiler may refuse. Quick, and wrong one way."""
    content = unit.content
    return (
        not _WORDS.isdisjoint(content.words)
        or any(sign in unit.text for sign in _SIGNS)
        or _has_starred(unit.text)
        or _has_class_return(unit)
        or _repeats(content)
    )


def _has_class_return(unit: Unit) -> bool:
    """Whether a class may hold a `return` of its own: any return, for a class inside of something else."""
    if any(line.text.startswith("class") for line in unit.lines[1:] if line.column):
        return True
    return unit.keyword == "class" and _CLASS_RETURN.search(unit.text) is not None


def _repeats(content: UnitContent) -> bool:
    return any(
        (line.text.count("=") > 1 and _repeats_keyword(line.text))
        or (line.text.startswith("def") and _has_repetition(_parameters(line.text)))
        for line in content.lines
    )


def _has_starred(text: str) -> bool:
    """Whether a star stands where no product can: at the start of a line, behind a bracket, a comma, a colon."""
    for match in _STAR.finditer(text):
        before = text[max(match.start() - _LOOK_BACK, 0) : match.start()]
        line, word = before.rpartition("\n")[2], before.rstrip()
        if not line.strip() or word.endswith(_STARRED_AFTER):
            return True
    return False


def _parameters(header: str) -> list[str]:
    """The first words of what stands between the outermost commas of a def."""
    names: list[str] = []
    depth, waits = 0, False
    for match in _BRACKET_OR_WORD.finditer(header):
        text = match[0]
        if text in "([{":
            depth += 1
            waits = depth == 1
        elif text in ")]}":
            depth -= 1
            if not depth:
                break
        elif text == ",":
            waits = depth == 1
        elif waits and text[0] != "#":
            names.append(text)
            waits = False
    return names


def _repeats_keyword(text: str) -> bool:
    """Whether a name stands before two "=" inside the same brackets, taking strings for code."""
    if not _has_repetition(_KEYWORD.findall(text)):
        return False
    seen: list[set[str]] = [set()]
    for match in _BRACKET_OR_KEYWORD.finditer(text):
        name = match[1]
        if name is None:
            if match[0] in "([{":
                seen.append(set())
            elif len(seen) > 1:
                seen.pop()
        elif name in seen[-1]:
            return True
        else:
            seen[-1].add(name)
    return False


def _has_repetition(names: list[str]) -> bool:
    return len(set(names)) < len(names)


def _error(text: str, *, only_parse: bool) -> SyntaxError | ValueError | None:
    flags = 0x400 if only_parse else 0  # ast.PyCF_ONLY_AST
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "<unit>", "exec", flags, dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        return error.with_traceback(None)  # which holds the callers' frames, and one of them the error
    except (RecursionError, MemoryError):
        return None
    return None


def _message(error: SyntaxError | ValueError) -> str:
    if isinstance(error, SyntaxError):
        return error.msg
    return str(error)


def _span(error: SyntaxError | ValueError, text: str) -> Span:
    """Where the compiler points; its columns count bytes."""
    lines = split_lines(text)
    if not isinstance(error, SyntaxError) or error.lineno is None:
        before = split_lines(text[: max(text.find("\0"), 0)])
        return Span(len(before) - 1, len(before[-1]), len(before) - 1, len(before[-1]) + 1)
    row = min(error.lineno, len(lines)) - 1
    start = _characters(lines[row], (error.offset or 1) - 1)
    end = _characters(lines[row], (error.end_offset or 0) - 1) if error.end_lineno == error.lineno else len(lines[row])
    return Span(row, start, row, max(end, start + 1))


def _characters(line: str, count: int) -> int:
    return len(line.encode("utf-8", "surrogatepass")[: max(count, 0)].decode("utf-8", "ignore"))
