"""Where the nodes of one statement stand, as Python's own parser has it: libcst takes a hundred times longer for that.

They are those of libcst. Where the two count differently (parentheses around arguments, comprehensions, parameters),
this does not tell.
"""

from __future__ import annotations

import ast

from pto_analysis.source.alone import is_branch
from pto_analysis.source.bare import NumberingReader, parsed_alone
from pto_analysis.source.from_ast import TooDeepError, UnclearError
from pto_analysis.source.parse_failure import ParseFailure
from pto_analysis.source.span import Span
from pto_analysis.source.text import line_starts, split_lines

_ALIKE = (
    ast.Attribute, ast.BinOp, ast.BoolOp, ast.Call, ast.Compare, ast.Constant, ast.List, ast.Name, ast.Slice,
    ast.Subscript, ast.Tuple, ast.UnaryOp, ast.keyword,
)  # fmt: skip
_STATEMENTS = (ast.AnnAssign, ast.Assign, ast.AugAssign, ast.Expr, ast.For, ast.If, ast.Return, ast.While)


def bare_spans(text: str) -> tuple[Span, ...] | None:
    """The spans of the nodes by their ids, relative to the statement (see `statements.positions`); None: ask libcst."""
    if not text.isascii() or "\t" in text or "\f" in text:
        return None
    try:
        reader, node = parsed_alone(text, _PlacingReader)
        if not isinstance(node, _STATEMENTS):
            return None
        reader.statement(node)
    except (UnclearError, TooDeepError, ParseFailure, SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    lines = split_lines(text)
    first = 2 if is_branch(text) else 1
    return (Span(0, 0, len(lines) - 1, len(lines[-1])), *(_span(each, first) for each in reader.placed[1:]))


class _PlacingReader(NumberingReader):
    """Keeps the node of each number. Errors: UnclearError."""

    def __init__(self, source: str) -> None:
        super().__init__(source)
        self.placed: list[ast.AST] = []
        self._source = source
        self._starts = line_starts(source)

    def number(self, node: ast.AST) -> int:
        if self.placed and not isinstance(node, _ALIKE):
            raise UnclearError
        if isinstance(node, ast.Call):
            self._check_arguments(node)
        self.placed.append(node)
        return super().number(node)

    def _check_arguments(self, call: ast.Call) -> None:
        """Nothing but the call's own parentheses and commas stands around its arguments."""
        end, before = self._end(call.func), "("
        for arg in sorted((*call.args, *call.keywords), key=self._start):
            if self._source[end : self._start(arg)].strip() != before:
                raise UnclearError
            end, before = self._end(arg), ","

    def _start(self, node: ast.expr | ast.keyword) -> int:
        return self._starts[node.lineno - 1] + node.col_offset

    def _end(self, node: ast.expr | ast.keyword) -> int:
        return self._starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)


def _span(node: ast.AST, first: int) -> Span:
    assert isinstance(node, (ast.expr, ast.keyword))
    return Span(
        node.lineno - first, node.col_offset, (node.end_lineno or node.lineno) - first, node.end_col_offset or 0
    )
