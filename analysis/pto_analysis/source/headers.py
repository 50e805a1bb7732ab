"""`def` headers parameter by parameter: each reads like an annotated name, and has the shape of many others.

A third of all tokens in kernels stand in such headers. No two headers are alike, but their parameters are.
"""

from __future__ import annotations

import re
from itertools import pairwise
from keyword import iskeyword

from pto_analysis.source import syntax
from pto_analysis.source.shapes import SIMPLE_STRING, shape_of
from pto_analysis.source.templates import template_of

_BEGINNING = re.compile(r"def[ \t]+(?P<name>[A-Za-z_]\w*)[ \t]*\(", re.ASCII)
_TOKEN = re.compile(rf"{SIMPLE_STRING}|\#[^\n\r]*|[()\[\]{{}},=]")
_END = re.compile(r"[ \t]*(?:->(?P<returns>[^#;\n\r]+))?:")
_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_ANNOTATED = re.compile(rf"{_NAME.pattern}[ ]?:[^;]+", re.ASCII)


def plain_header(text: str) -> syntax.FunctionHeader | None:
    """The header of a function whose parameters have neither defaults nor stars; None for any other text.

    `text` is what `shapes.on_one_line` makes of a statement. Ids are those that parsing the whole header gives.
    """
    beginning = _BEGINNING.match(text)
    if beginning is None or iskeyword(beginning["name"]) or "\\" in text:
        return None
    bounds = _bounds(text, beginning.end())
    end = _END.fullmatch(text, bounds[-1]) if bounds else None
    if end is None:
        return None
    pieces = [text[start : stop - 1].strip(" ") for start, stop in pairwise(bounds)]
    header = _Header(beginning["name"])
    for piece in pieces if pieces[-1] else pieces[:-1]:
        if not header.add_parameter(piece):
            return None
    return header.finished(end["returns"])


def _bounds(text: str, start: int) -> list[int]:
    """Where the parameters begin, and where the text behind their bracket does; nothing for one with a default."""
    found = [start]
    depth = 0
    for match in _TOKEN.finditer(text, start):
        token = match[0]
        if token in "([{":
            depth += 1
        elif token in ")]}":
            depth -= 1
            if depth < 0:
                return [*found, match.end()]
        elif depth == 0 and token == ",":
            found.append(match.end())
        elif depth == 0 and token == "=":
            return []
    return []


class _Header:
    """Collects a header whose parameters come one by one."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._parameters: list[syntax.Parameter] = []
        self._next = 1

    def add_parameter(self, piece: str) -> bool:
        """Takes `name` or `name: annotation`; False when it is neither."""
        number = self._next
        if _NAME.fullmatch(piece) and not iskeyword(piece):
            self._parameters.append(syntax.Parameter(number, piece, None, None))
            self._next += 1
            return True
        read = self._annotated(piece, number - 1)
        if read is None:
            return False
        name, annotation, nodes = read
        self._parameters.append(syntax.Parameter(number, name, annotation, None))
        self._next += nodes
        return True

    def finished(self, returns: str | None) -> syntax.FunctionHeader | None:
        if returns is None:
            return syntax.FunctionHeader(self._name, tuple(self._parameters), None)
        read = self._annotated(f"_returns: {returns.strip()}", self._next - 2)
        return None if read is None else syntax.FunctionHeader(self._name, tuple(self._parameters), read[1])

    @staticmethod
    def _annotated(piece: str, shift: int) -> tuple[str, syntax.Expression, int] | None:
        """Name, annotation and number of nodes of `name: annotation`, which is an assignment without a value."""
        shape = shape_of(piece) if _ANNOTATED.fullmatch(piece) else None
        template = None if shape is None else template_of(shape.text)
        if shape is None or template is None:
            return None
        statement = template.statement(shape.leaves, shift)
        if not isinstance(statement, syntax.Assign) or statement.annotation is None or statement.value is not None:
            return None
        (target,) = statement.targets
        return (target.name, statement.annotation, template.nodes - 1) if isinstance(target, syntax.Name) else None
