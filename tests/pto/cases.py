"""The `.pto` files that the real compiler emitted (`tests/cases/pto.jsonl.gz`), each with the kernel it came from."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path

from attrs import frozen

_FILE = Path(__file__).parent.parent / "cases" / "pto.jsonl.gz"


@frozen
class PtoCase:
    id: str
    pto: str
    python: str


@cache
def pto_cases() -> tuple[PtoCase, ...]:
    with gzip.open(_FILE, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return tuple(PtoCase(row["id"], row["pto"], row["py"]) for row in rows)
