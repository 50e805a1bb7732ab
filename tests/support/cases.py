"""The kernels with known verdicts that are kept in `tests/cases` (one JSON object a line, compressed)."""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import cast

from attrs import frozen

CASES = Path(__file__).parent.parent / "cases"


@frozen
class Case:
    """`source` is a module; `verdict` what the compiler (or the seed) says about it; `family` groups the cases."""

    id: str
    family: str
    source: str
    verdict: Mapping[str, object]

    @property
    def status(self) -> str:
        return str(self.verdict["status"])

    def text(self, key: str) -> str | None:
        value = self.verdict.get(key)
        return value if isinstance(value, str) else None


@cache
def load_cases(name: str) -> tuple[Case, ...]:
    """The cases of `tests/cases/<name>.jsonl.gz`, in their order."""
    with gzip.open(CASES / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [cast("dict[str, object]", json.loads(line)) for line in lines]
    return tuple(
        Case(
            str(row["id"]),
            str(row.get("family") or row.get("form") or row.get("op") or ""),
            str(row["src"]),
            cast("Mapping[str, object]", row["verdict"]),
        )
        for row in rows
    )
