"""Every kernel with a known verdict is read: the compiler's own text after SSA conversion, and its refusals."""

from __future__ import annotations

import pytest

from pto_analysis.ir.printer import print_module
from pto_analysis.passes.ssa import to_ssa
from tests.frontend.reader import issues, kernels, read, refused_as_dsl
from tests.support.cases import Case, load_cases
from tests.support.irtext import canon, first_difference

CANONICALIZE = load_cases("canonicalize")


@pytest.mark.parametrize("case", [c for c in CANONICALIZE if c.text("before")], ids=lambda case: case.id)
def test_a_kernel_is_what_the_compiler_reads(case: Case) -> None:
    facts = read(case.source)
    assert issues(facts) == []
    printed = print_module([to_ssa(kernel.function).function for kernel in kernels(facts)])
    before = case.text("before")
    assert before is not None
    assert first_difference(canon(printed), canon(before)) is None


@pytest.mark.parametrize("case", [c for c in CANONICALIZE if c.status == "type-error"], ids=lambda case: case.id)
def test_what_the_compiler_cannot_type_is_refused(case: Case) -> None:
    assert issues(read(case.source))


@pytest.mark.parametrize("case", load_cases("acc_windows"), ids=lambda case: case.id)
def test_accumulator_kernels_are_accepted(case: Case) -> None:
    assert issues(read(case.source)) == []


@pytest.mark.parametrize("name", ["tensor", "types"])
def test_other_kernels_are_dsl(name: str) -> None:
    for case in load_cases(name):
        assert refused_as_dsl(read(case.source)) == [], case.id
