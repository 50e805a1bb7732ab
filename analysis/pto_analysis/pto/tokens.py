"""`.pto` text cut into tokens, with every bracket matched in one pass (reference: sync section 9).

Everything here is linear in the text: one regular expression pass, then one stack pass over the brackets.
The partner table lets the reader step over a group in one move, and makes recovery after a missing bracket
a matter of lookup.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from enum import Enum

from attrs import field

from pto_analysis.frozen import frozen
from pto_analysis.source.span import Span


class Kind(Enum):
    VALUE = "value"
    TYPE = "type"
    ATTRIBUTE = "attribute"
    SYMBOL = "symbol"
    BLOCK = "block"
    STRING = "string"
    DIMENSIONS = "dimensions"
    NUMBER = "number"
    WORD = "word"
    ARROW = "arrow"
    PUNCTUATION = "punctuation"
    UNREADABLE = "unreadable"


_PATTERN = re.compile(
    r"""
    (?P<skip>[ \t\r\n\f\v]+|//[^\n]*)
  | (?P<value>%[\w$.]+(?:-[\w$.]+)*(?:\#\d+)?)
  | (?P<type>![A-Za-z_][\w$.]*)
  | (?P<attribute>\#[A-Za-z_][\w$.]*)
  | (?P<symbol>@(?:[A-Za-z_][\w$.-]*|"(?:[^"\\\n]|\\.)*"))
  | (?P<block>\^[\w$.]+)
  | (?P<string>"(?:[^"\\\n]|\\.)*")
  | (?P<dimensions>(?:[1-9]\d*|\?)(?:(?:x(?:\d+|\?))+(?:x(?=[A-Za-z!]))?|x(?=[A-Za-z!])))
  | (?P<number>-?(?:0x[0-9a-fA-F]+|\d+(?:\.\d*)?(?:[eE][+-]?\d+)?))
  | (?P<word>[A-Za-z_][\w$.]*)
  | (?P<arrow>->)
  | (?P<punctuation>[()\[\]{}<>,:=*?+\-/|;&])
  | (?P<unreadable>.)
    """,
    re.VERBOSE | re.DOTALL,
)

_KINDS = {kind.value: kind for kind in Kind}
_CLOSERS = {")": "(", "]": "[", "}": "{", ">": "<"}
_OPENERS = frozenset("([{<")


@frozen
class LineTable:
    """Where each line begins; turns offsets into spans."""

    starts: tuple[int, ...]

    @staticmethod
    def of(text: str) -> LineTable:
        return LineTable((0, *(match.end() for match in re.finditer(r"\n", text))))

    def position(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self.starts, offset) - 1
        return line, offset - self.starts[line]

    def span(self, start: int, end: int) -> Span:
        return Span(*self.position(start), *self.position(end))


@frozen
class BracketFault:
    """A bracket without its other half: the index of its token and what to say about it."""

    token: int
    message: str


@frozen(eq=False)
class TokenStream:
    """Parallel lists, one entry a token. `partner[i]` is the index of the token that ends the group opened at
    `i` (the closing bracket, or the first token that no longer belongs to an unclosed group), else -1."""

    text: str
    lines: LineTable
    kinds: list[Kind] = field(repr=False)
    texts: list[str] = field(repr=False)
    starts: list[int] = field(repr=False)
    partner: list[int] = field(repr=False)
    faults: tuple[BracketFault, ...] = ()

    def __len__(self) -> int:
        return len(self.kinds)

    def end(self, index: int) -> int:
        return self.starts[index] + len(self.texts[index])

    def span(self, first: int, last: int) -> Span:
        """The range from token `first` to token `last`, both included."""
        if not self.texts:
            return Span(0, 0, 0, 0)
        first = min(first, len(self.texts) - 1)
        last = min(max(first, last), len(self.texts) - 1)
        return self.lines.span(self.starts[first], self.end(last))

    def is_closed(self, opener: int) -> bool:
        """Whether the group opened at `opener` has its own closing bracket."""
        close = self.partner[opener]
        return 0 <= close < len(self.texts) and _CLOSERS.get(self.texts[close]) == self.texts[opener]

    def source(self, first: int, end: int) -> str:
        """The text of the tokens `first` up to, not including, `end`."""
        if first >= end:
            return ""
        return self.text[self.starts[first] : self.end(end - 1)]


def tokenize(text: str) -> TokenStream:
    """Cut `text`; never fails, an unreadable character is a token of its own."""
    kinds: list[Kind] = []
    texts: list[str] = []
    starts: list[int] = []
    for match in _PATTERN.finditer(text):
        group = match.lastgroup
        if group == "skip" or group is None:
            continue
        kinds.append(_KINDS[group])
        texts.append(match.group())
        starts.append(match.start())
    partner, faults = _match_brackets(kinds, texts)
    return TokenStream(text, LineTable.of(text), kinds, texts, starts, partner, tuple(faults))


def _match_brackets(kinds: list[Kind], texts: list[str]) -> tuple[list[int], list[BracketFault]]:
    matcher = _BracketMatcher(len(texts))
    for index, text in enumerate(texts):
        if kinds[index] is Kind.PUNCTUATION:
            matcher.punctuation(index, text)
        elif kinds[index] is Kind.WORD and text in _TOP_LEVEL_WORDS:
            matcher.top_level(index, text)
    matcher.finish(len(texts))
    return matcher.partner, matcher.faults


_TOP_LEVEL_WORDS = frozenset({"module", "func.func"})


class _BracketMatcher:
    """The open brackets while walking over the tokens. A brace closes whatever smaller bracket was left open in
    it, and a new function closes the body of the one before. Every step pops what it looks at, so a file of
    nothing but brackets stays linear."""

    def __init__(self, count: int) -> None:
        self.partner = [-1] * count
        self.faults: list[BracketFault] = []
        self._open: list[tuple[str, int]] = []
        self._braces = 0
        self._functions: list[int] = []
        self._headers: list[int] = []

    def punctuation(self, index: int, text: str) -> None:
        if text in _OPENERS:
            self._opens(index, text)
        elif text == "}":
            self._closes_brace(index)
        elif text in _CLOSERS:
            self._closes(index, text)

    def top_level(self, index: int, word: str) -> None:
        """A function or module begins: no function body can still be open here."""
        if self._functions:
            self._unwind(self._functions[0], index)
        while self._open and self._open[-1][0] != "{":
            self._unwind(len(self._open) - 1, index)
        depth = len(self._open)
        while self._headers and self._headers[-1] >= depth:
            self._headers.pop()
        if word == "func.func":
            self._headers.append(depth)

    def finish(self, count: int) -> None:
        self._unwind(0, count)

    def _opens(self, index: int, text: str) -> None:
        if text == "{":
            self._braces += 1
            if self._headers and len(self._open) == self._headers[-1]:
                self._functions.append(len(self._open))
        self._open.append((text, index))

    def _closes_brace(self, index: int) -> None:
        if not self._braces:
            self.faults.append(BracketFault(index, "'}' closes nothing"))
            return
        while self._open[-1][0] != "{":
            self._unwind(len(self._open) - 1, index)
        self._pop(index)

    def _closes(self, index: int, text: str) -> None:
        wanted = _CLOSERS[text]
        while wanted != "<" and self._open and self._open[-1][0] == "<":
            self._unwind(len(self._open) - 1, index)
        if self._open and self._open[-1][0] == wanted:
            self._pop(index)
        elif wanted != "<":
            self.faults.append(BracketFault(index, f"'{text}' closes nothing"))

    def _unwind(self, depth: int, index: int) -> None:
        while len(self._open) > depth:
            text, opener = self._open[-1]
            self.faults.append(BracketFault(opener, f"'{text}' is never closed"))
            self._pop(index)

    def _pop(self, index: int) -> None:
        text, opener = self._open.pop()
        self.partner[opener] = index
        self._braces -= text == "{"
        depth = len(self._open)
        while self._functions and self._functions[-1] >= depth:
            self._functions.pop()
        while self._headers and self._headers[-1] > depth:
            self._headers.pop()
