"""Where something stands in a file. The only place that defines what a line and a column are.

Inside the analysis every position is 0-based and a column counts Unicode code points. Output formats
(1-based) and editors (UTF-8 or UTF-16 units) convert at their own edge.
"""

from __future__ import annotations

from pto_analysis.frozen import evolve, frozen


@frozen(order=True)
class Span:
    """A half-open range of source text: from (line, column) up to, not including, (end_line, end_column)."""

    line: int
    column: int
    end_line: int
    end_column: int

    def shifted(self, lines: int) -> Span:
        """The same range after `lines` lines were inserted above it (removed, when negative)."""
        return evolve(self, line=self.line + lines, end_line=self.end_line + lines)

    def contains(self, line: int, column: int) -> bool:
        """Whether the position lies in the range; the end position counts as inside, as a cursor does."""
        return (self.line, self.column) <= (line, column) <= (self.end_line, self.end_column)


@frozen
class Origin:
    """What an IR node was made from: a statement of its unit and a node of that statement's syntax tree.

    A `Span` costs a second look at the statement, so nodes carry this cheap reference and only the nodes
    that end up in a finding, a hover or a preview are resolved (`Unit.span_of`). `reason` says whose idea
    the node was when nobody wrote it, for example "the compiler loads this operand".
    """

    statement: int
    node: int = 0
    reason: str | None = None
