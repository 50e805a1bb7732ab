"""The passes agree with the compiler on every kernel of `tests/cases`, statement by statement."""

from __future__ import annotations

import re

import pytest
from attrs import evolve

from pto_analysis.ir.function import FunctionKind
from pto_analysis.ir.printer import print_module
from pto_analysis.passes.canonicalize import canonicalize
from pto_analysis.passes.ssa import to_ssa
from pto_analysis.passes.windows import map_windows
from tests.passes.dsl_reader import read_function, read_functions
from tests.support.cases import Case, load_cases
from tests.support.irtext import difference

CANONICALIZE = load_cases("canonicalize")
ACC_WINDOWS = load_cases("acc_windows")
TENSOR = load_cases("tensor")

_SUBSCRIPTED = " = t["
"""Kernels that slice by subscript need the frontend; the tests through it are below."""


def _name(case: Case) -> str:
    return case.id


def _readable(cases: tuple[Case, ...]) -> list[Case]:
    return [case for case in cases if _SUBSCRIPTED not in case.source]


@pytest.mark.parametrize("case", [case for case in CANONICALIZE if case.text("before")], ids=_name)
def test_the_pass_turns_before_into_after(case: Case) -> None:
    before, after = case.text("before"), case.text("after")
    assert before is not None
    assert after is not None
    function = read_function(before)
    result = canonicalize(function)
    assert result.rejection is None
    assert (result.function is function) == (case.status == "unchanged")
    assert difference(after, print_module([result.function])) is None


@pytest.mark.parametrize("case", [case for case in CANONICALIZE if case.text("before")], ids=_name)
def test_printing_gives_the_compilers_text_back(case: Case) -> None:
    for key in ("before", "after"):
        text = case.text(key)
        assert text is not None
        assert _assignments(print_module([read_function(text)])) == _assignments(text)


def _assignments(text: str) -> list[str]:
    """The lines that assign, which the compiler prints on one line each; signatures may be wrapped."""
    return [line for line in text.splitlines() if line.startswith(" " * 8) and " = pl." in line]


@pytest.mark.parametrize("case", [case for case in _readable(CANONICALIZE) if case.text("before")], ids=_name)
def test_ssa_conversion_gives_before(case: Case) -> None:
    result = to_ssa(read_function(case.source))
    assert result.issues == ()
    before = case.text("before")
    assert before is not None
    if "gemv" not in case.source:  # its default `acc_phase` is the frontend's to fill in
        assert difference(before, print_module([result.function])) is None


@pytest.mark.parametrize("case", [case for case in CANONICALIZE if case.status == "rejected"], ids=_name)
def test_what_the_compiler_rejects_is_rejected(case: Case) -> None:
    function = to_ssa(read_function(case.source)).function
    windows, result = map_windows(function), canonicalize(function)
    kinds = ["acc-window"] * bool(windows.rejected) + ["out-of-bounds"] * bool(result.rejection)
    assert case.verdict["kind"] in kinds


@pytest.mark.parametrize("case", ACC_WINDOWS, ids=_name)
def test_accumulator_windows(case: Case) -> None:
    function = to_ssa(read_function(case.source)).function
    codes = sorted({strided.code for strided in map_windows(function).rejected})
    assert codes == case.verdict["codes"]


@pytest.mark.parametrize("case", [case for case in TENSOR if case.text("after")], ids=_name)
def test_the_pass_on_lowered_tensor_kernels(case: Case) -> None:
    """What enters and what leaves the pass deep in the compiler's pipeline; its texts leave the decorator out."""
    before, after = (re.sub(r", attrs=\{[^}]*\}", "", case.text(key) or "") for key in ("before", "after"))
    functions = [evolve(function, kind=FunctionKind.INCORE) for function in read_functions(before)]
    assert functions
    assert difference(after, print_module([canonicalize(function).function for function in functions])) is None
    assert [map_windows(function).rejected for function in functions] == [()] * len(functions)


def test_the_cases_are_all_here() -> None:
    assert len(CANONICALIZE) == 345
    assert len(ACC_WINDOWS) == 115
