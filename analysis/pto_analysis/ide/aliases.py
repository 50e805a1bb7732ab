"""The names that a module imports the DSL under, from its text alone: code being completed rarely parses."""

from __future__ import annotations

import re

_IMPORT = re.compile(
    r"^[ \t]*(?:import[ \t]+pypto\.language[ \t]+as[ \t]+(\w+)"
    r"|from[ \t]+pypto[ \t]+import[ \t]+(?:\w+[ \t]*,[ \t]*)*language(?:[ \t]+as[ \t]+(\w+))?)",
    re.MULTILINE,
)


def dsl_aliases(text: str) -> frozenset[str]:
    """`pl` where the module does not say."""
    found = {match[1] or match[2] or "language" for match in _IMPORT.finditer(text)}
    return frozenset(found or {"pl"})
