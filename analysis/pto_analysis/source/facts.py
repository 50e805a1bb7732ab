"""What asserted tests say about names whose values are not known: divisors, bounds, equalities."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import lcm

from pto_analysis.frozen import frozen
from pto_analysis.source import syntax

_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "=="}


@frozen
class NameFacts:
    """`name % divisor == 0`, `lower <= name <= upper`, and the names that it equals."""

    divisor: int = 1
    lower: int | None = None
    upper: int | None = None
    equals: frozenset[str] = frozenset()

    def both(self, other: NameFacts) -> NameFacts:
        """What holds when both hold."""
        return NameFacts(
            lcm(self.divisor, other.divisor),
            _choose(max, self.lower, other.lower),
            _choose(min, self.upper, other.upper),
            self.equals | other.equals,
        )


def facts_of_asserts(
    tests: Iterable[syntax.Expression], value_of: Callable[[syntax.Expression], object]
) -> dict[str, NameFacts]:
    """The facts by name that asserted tests state. `value_of` gives the known value of an expression, if an int.

    Understands `N % 16 == 0`, `not N % 16`, comparisons of a name with an integer, `A == B`, chains of
    comparisons and `and`; everything else states nothing here.
    """
    found: dict[str, NameFacts] = {}
    for test in tests:
        for name, facts in _facts(test, value_of):
            found[name] = found.get(name, NameFacts()).both(facts)
    return found


_ValueOf = Callable[[syntax.Expression], object]


def _facts(test: syntax.Expression, value_of: _ValueOf) -> list[tuple[str, NameFacts]]:
    if isinstance(test, syntax.Boolean) and test.op == "and":
        return [pair for value in test.values for pair in _facts(value, value_of)]
    if isinstance(test, syntax.Unary) and test.op == "not":
        return _divisibility(test.operand, value_of)
    if not isinstance(test, syntax.Compare):
        return []
    found: list[tuple[str, NameFacts]] = []
    left = test.left
    for op, right in zip(test.ops, test.rights, strict=True):
        if op == "==" and _int(right, value_of) == 0:
            found += _divisibility(left, value_of)
        found += _comparison(left, op, right, value_of)
        if op in _MIRRORED:
            found += _comparison(right, _MIRRORED[op], left, value_of)
        left = right
    return found


def _divisibility(node: syntax.Expression, value_of: _ValueOf) -> list[tuple[str, NameFacts]]:
    """`name % number`, asserted to be 0."""
    if not isinstance(node, syntax.Binary) or node.op != "%" or not isinstance(node.left, syntax.Name):
        return []
    divisor = _int(node.right, value_of)
    return [] if not divisor else [(node.left.name, NameFacts(divisor=abs(divisor)))]


def _comparison(
    left: syntax.Expression, op: str, right: syntax.Expression, value_of: _ValueOf
) -> list[tuple[str, NameFacts]]:
    if not isinstance(left, syntax.Name):
        return []
    bound = _int(right, value_of)
    if bound is not None:
        return [(left.name, facts)] if (facts := _BOUNDS.get(op, _nothing)(bound)) is not None else []
    if op == "==" and isinstance(right, syntax.Name):
        return [(left.name, NameFacts(equals=frozenset({right.name})))]
    return []


def _nothing(_: int) -> NameFacts | None:
    return None


_BOUNDS: dict[str, Callable[[int], NameFacts | None]] = {
    "==": lambda bound: NameFacts(lower=bound, upper=bound),
    "<": lambda bound: NameFacts(upper=bound - 1),
    "<=": lambda bound: NameFacts(upper=bound),
    ">": lambda bound: NameFacts(lower=bound + 1),
    ">=": lambda bound: NameFacts(lower=bound),
}


def _int(node: syntax.Expression, value_of: _ValueOf) -> int | None:
    value = value_of(node)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _choose(choice: Callable[[int, int], int], left: int | None, right: int | None) -> int | None:
    if left is None or right is None:
        return right if left is None else left
    return choice(left, right)
