"""The head of a loop as it is written, and the lines of its body."""

from __future__ import annotations

from pto_analysis.fixes.written import Written
from pto_analysis.frozen import frozen
from pto_analysis.ir.stmt import For
from pto_analysis.source import syntax
from pto_analysis.source.span import Span
from pto_analysis.source.unit import Unit


@frozen(eq=False)
class Header:
    """`for i in pl.range(stop):` and its variations without keywords."""

    at: Written
    name: syntax.Name
    call: syntax.Call
    range_: syntax.Attribute

    @classmethod
    def of(cls, unit: Unit, loop: For) -> Header | None:
        assert loop.origin is not None
        at = Written(unit, loop.origin.statement)
        parsed = at.parsed
        if not isinstance(parsed, syntax.ForHeader) or not isinstance(parsed.target, syntax.Name):
            return None
        call = parsed.iterable
        if not isinstance(call, syntax.Call) or not isinstance(call.func, syntax.Attribute) or not at.begins_line:
            return None
        plain = all(each.keyword is None and not each.star for each in call.args)
        return cls(at, parsed.target, call, call.func) if plain and call.args and call.func.attr == "range" else None

    @property
    def bounds(self) -> tuple[syntax.Expression, ...]:
        return tuple(each.value for each in self.call.args)

    @property
    def start(self) -> str:
        """The first index as it is written, "0" where it is left out."""
        return self.at.text_of(self.bounds[0]) if len(self.bounds) > 1 else "0"

    @property
    def stop(self) -> str:
        return self.at.text_of(self.bounds[1 if len(self.bounds) > 1 else 0])

    @property
    def module(self) -> str:
        """What stands before `.range`."""
        return self.at.text_of(self.range_.value)

    @property
    def bounds_span(self) -> Span:
        """From the first bound to the last; a loop has one at least."""
        first, last = (self.at.span(bound) for bound in (self.bounds[0], self.bounds[-1]))
        return Span(first.line, first.column, last.end_line, last.end_column)

    def body(self) -> range:
        """The statements of the loop's body, by number."""
        lines, first = self.at.unit.lines, self.at.statement + 1
        end = first
        while end < len(lines) and lines[end].indent > lines[self.at.statement].indent:
            end += 1
        return range(first, end)
