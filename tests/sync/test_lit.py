"""Regression facts of the assembler, each a small `.pto` text of our own with what must and must not be ordered.

The comments at the head of a file are its table: `run n=3 c=1` gives the arguments of the run that is looked at,
`required a#0 b#1` and `free a#0 b#1` name ops of that run, `pairs`, `lanes` and `barriers` count in the plan, `pipe`
names a queue, `token-safe` asks for no more than a clean run. `policy ptoas` looks at the stock assembler's plan, on a
machine that keeps long vector chains in order (5.6). No fact names an event id (sync.md 8.1, 8.2).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pto_analysis.sync.checker import Rules, check
from pto_analysis.sync.items import OpItem
from pto_analysis.sync.plan import Plan
from pto_analysis.sync.policies import plan_stock
from pto_analysis.sync.verify import verify
from tests.sync.runs import HERE, Run, barriers, lanes, pairs, precise, program, run_program

FILES = sorted((HERE / "lit").glob("*.pto"))


def facts(text: str) -> list[list[str]]:
    """The lines of the head comment after the first, as words."""
    head = [line[2:].split() for line in text.splitlines() if line.startswith("//")]
    return head[1:]


def arguments(rows: list[list[str]]) -> dict[str, int]:
    words = [word.partition("=") for row in rows if row[0] == "run" for word in row[1:]]
    return {name: int(value) for name, _, value in words}


def _required(_plan: Plan, seen: Run, words: list[str]) -> bool:
    return seen.ordered(words[0], words[1])


def _free(_plan: Plan, seen: Run, words: list[str]) -> bool:
    return not seen.ordered(words[0], words[1]) and not seen.ordered(words[1], words[0])


def _pairs(plan: Plan, _seen: Run, words: list[str]) -> bool:
    source, _, target = words[0].partition("->")
    return pairs(plan, source, target) == int(words[1])


def _lanes(plan: Plan, _seen: Run, words: list[str]) -> bool:
    source, _, target = words[0].partition("->")
    return lanes(plan, source, target) == int(words[1])


def _barriers(plan: Plan, _seen: Run, words: list[str]) -> bool:
    return barriers(plan, words[0]) == int(words[1])


def _pipe(_plan: Plan, seen: Run, words: list[str]) -> bool:
    item = seen.trace.items[seen.item(words[0])]
    return isinstance(item, OpItem) and item.pipe.value == words[1]


def _clean(_plan: Plan, _seen: Run, _words: list[str]) -> bool:
    return True


KINDS: dict[str, Callable[[Plan, Run, list[str]], bool]] = {
    "required": _required,
    "free": _free,
    "pairs": _pairs,
    "lanes": _lanes,
    "barriers": _barriers,
    "pipe": _pipe,
    "token-safe": _clean,
    "run": _clean,
    "policy": _clean,
}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_fact(path: Path) -> None:
    text = path.read_text()
    rows = facts(text)
    is_stock = ["policy", "ptoas"] in rows
    plan = plan_stock(program(text)) if is_stock else precise(text)
    seen = run_program(program(text), plan, arguments(rows))
    assert seen.trace.problems == ()
    assert check(seen.trace.items, Rules(program(text).target, long_chains=is_stock)).faults == ()
    for row in rows:
        assert KINDS[row[0]](plan, seen, row[1:]), " ".join(row)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_small_run_is_sound(path: Path) -> None:
    text = path.read_text()
    outcome = verify(program(text), precise(text), runs=60)
    assert outcome.runs > 0
    assert outcome.failure is None, "\n".join(outcome.failure.schedule)


def test_there_are_enough_facts() -> None:
    assert len(FILES) >= 50
