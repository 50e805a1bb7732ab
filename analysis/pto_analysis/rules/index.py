"""Names, severities and defaults of all rules, read off their files without importing them.

Importing the rules imports the whole analysis, which a run that finds everything in the cache does not need.
`tests/rules/test_index.py` holds the index to what the rules say.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from pto_analysis.findings import Severity
from pto_analysis.frozen import frozen

_FILE = re.compile(r"pto\d{3}")
_NAME = re.compile(r'^    name="([^"]+)",$', re.MULTILINE)
_SEVERITY = re.compile(r"^    severity=Severity\.([A-Z]+),$", re.MULTILINE)
_OFF = re.compile(r"^    on_by_default=False,$", re.MULTILINE)


@frozen
class RuleEntry:
    """What selection and reports need to know of a rule."""

    code: str
    name: str
    severity: Severity
    on_by_default: bool


@cache
def rule_index() -> Mapping[str, RuleEntry]:
    """Every rule by its code, in the order of codes."""
    paths = sorted(path for path in Path(__file__).parent.glob("pto*.py") if _FILE.fullmatch(path.stem))
    return {entry.code: entry for entry in map(_entry, paths)}


def _entry(path: Path) -> RuleEntry:
    text = path.read_text(encoding="utf-8")
    name, severity = _NAME.search(text), _SEVERITY.search(text)
    if name is None or severity is None:
        raise ImportError(f"{path.name} does not say its rule's name and severity on lines of their own")
    return RuleEntry(path.stem.upper(), name[1], Severity[severity[1]], _OFF.search(text) is None)


@cache
def rule_names() -> Mapping[str, str]:
    """The code of every rule by its name."""
    return {entry.name: code for code, entry in rule_index().items()}
