"""Reads rule texts: `"promote(0,1)"` is the rule "promote" with arguments 0 and 1."""

from __future__ import annotations

from functools import cache
from typing import Union

from pto_analysis.frozen import frozen

RuleArg = Union[int, str]


@frozen
class RuleText:
    name: str
    args: tuple[RuleArg, ...] = ()

    def ints(self) -> tuple[int, ...]:
        """The arguments that are operand numbers."""
        return tuple(arg for arg in self.args if isinstance(arg, int))

    def words(self) -> tuple[str, ...]:
        """The arguments that are names."""
        return tuple(arg for arg in self.args if isinstance(arg, str))


@cache
def parse_rule(text: str) -> RuleText:
    name, _, rest = text.partition("(")
    if not rest:
        return RuleText(name)
    pieces = [piece.strip() for piece in rest.rstrip(")").split(",")]
    return RuleText(name, tuple(int(piece) if piece.lstrip("-").isdigit() else piece for piece in pieces if piece))
