"""The lowering agrees with the compiler on every tensor-level kernel of `tests/cases`, at all four points."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pto_analysis.ir import walk
from pto_analysis.ir.expr import Call
from pto_analysis.ir.printer import print_module
from pto_analysis.ir.stmt import Assign
from pto_analysis.passes.lowering import LoweredFunction, lower
from pto_analysis.toolchain import Toolchain, parse_toolchain
from tests.lowering.reading import read
from tests.support.cases import Case, load_cases
from tests.support.irtext import difference

CASES = load_cases("tensor")
COMPILER = parse_toolchain("pypto=2026-08-21", Toolchain())
POINTS = ("lowered", "before", "after", "placed")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_every_point_agrees(case: Case) -> None:
    functions = lower(read(case.source), COMPILER)
    for point in POINTS:
        expected = case.text(point)
        assert expected is not None
        printed = print_module([getattr(function, point) for function in functions])
        assert difference(expected, printed) is None, point


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_what_the_compiler_rewrites_is_rewritten_and_nothing_else(case: Case) -> None:
    functions = lower(read(case.source), COMPILER)
    assert any(function.after is not function.before for function in functions) == (case.status == "rewritten")
    assert not any(function.notes or function.rejection for function in functions)


@pytest.mark.parametrize("case", CASES[::8], ids=lambda case: case.id)
def test_every_operation_knows_where_it_comes_from(case: Case) -> None:
    written = _lines(case.source)
    for function in lower(read(case.source), COMPILER):
        for stmt in walk.statements(function.placed.body):
            if isinstance(stmt, Assign):
                assert stmt.value.origin is not None, function.name
                assert 0 <= stmt.value.origin.statement < written


def test_operations_of_the_compiler_say_why() -> None:
    functions = [function for case in CASES for function in lower(read(case.source), COMPILER)]
    unexplained = {
        value.op for function in functions for value in _values(function) if value.origin and not value.origin.reason
    }
    assert not unexplained & {"tile.load", "tile.store", "tile.move", "tile.create"}


def _lines(text: str) -> int:
    return text.count("\n") + 1


def _values(function: LoweredFunction) -> Iterator[Call]:
    for stmt in walk.statements(function.placed.body):
        if isinstance(stmt, Assign) and isinstance(stmt.value, Call):
            yield stmt.value
