"""The ops room against the compiler: every recorded type and refusal, and every type in recorded program texts.

`tests/cases/types.jsonl.gz` holds one-op kernels with the compiler's verdict. The other files hold whole programs as
the compiler prints them, where every statement carries its type: a typing test for each line.
"""

from __future__ import annotations

import pytest

from pto_analysis.ir.types import Space, TileType, UnknownType
from pto_analysis.ops import Refusal
from pto_analysis.ops.views import same_type
from tests.ops.dsl_reader import Reader, Typed, type_from, typed_statements
from tests.support.cases import Case, load_cases

ONE_OP = load_cases("types")
WINDOWS = load_cases("canonicalize")
PROGRAMS = load_cases("tensor")


@pytest.mark.parametrize("case", ONE_OP, ids=lambda case: f"{case.id} {case.family}")
def test_one_op_kernel(case: Case) -> None:
    reader = Reader()
    statements = reader.module(case.source)
    if case.status == "refused":
        assert any(isinstance(typed.found, Refusal) for typed in statements)
        return
    result = next(typed.found for typed in statements if typed.name == "res")
    assert not isinstance(result, Refusal), result.message
    expected = type_from(case.text("type") or "", reader.scope)
    assert same_type(result, expected), f"{result} is not {expected}"


def _agrees(typed: Typed) -> bool:
    if typed.written is None or isinstance(typed.written, UnknownType):
        return True
    return not isinstance(typed.found, Refusal) and same_type(typed.written, typed.found)


def _keeps_the_layout_of_a_slice(typed: Typed) -> bool:
    """A slice that canonicalisation turns into a copy within Vec keeps the type of its variable."""
    written, found = typed.written, typed.found
    if typed.spelling != "tile.extract" or not isinstance(written, TileType) or not isinstance(found, TileType):
        return False
    return written.space is found.space is Space.VEC and (written.shape, written.dtype) == (found.shape, found.dtype)


@pytest.mark.parametrize("key", ["before", "after"])
def test_statements_before_and_after_canonicalisation(key: str) -> None:
    _check_texts(WINDOWS, key, at_least=2000)


@pytest.mark.parametrize("key", ["lowered", "before", "after", "placed"])
def test_statements_of_lowered_programs(key: str) -> None:
    _check_texts(PROGRAMS, key, at_least=1000)


def _check_texts(cases: tuple[Case, ...], key: str, at_least: int) -> None:
    statements = [typed for case in cases for typed in typed_statements(case.text(key) or "")]
    differing = [typed for typed in statements if not _agrees(typed) and not _keeps_the_layout_of_a_slice(typed)]
    assert not differing, differing[0]
    assert len(statements) >= at_least


@pytest.mark.parametrize("case", WINDOWS, ids=lambda case: case.id)
def test_reads_past_the_source_are_refused_and_nothing_else(case: Case) -> None:
    refused = [typed.found.kind for typed in typed_statements(case.source) if isinstance(typed.found, Refusal)]
    if case.status == "type-error":
        assert "out-of-bounds" in refused
    else:
        assert not refused
