"""The whole way from source text: every kernel of `tests/cases` through the frontend, the passes and the rules."""

from __future__ import annotations

from textwrap import indent

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pto_analysis.frontend.module import Modules
from pto_analysis.ir.printer import print_module
from pto_analysis.report import InternalError
from pto_analysis.rules.facts import FileFacts, KernelFacts
from pto_analysis.rules.gather import kernels_of
from pto_analysis.rules.selection import Selection, resolve
from pto_analysis.source.unit import split_units
from pto_analysis.source.workspace import Workspace
from pto_analysis.toolchain import Toolchain
from tests.passes.random_kernels import PARAMS, random_body
from tests.support.cases import Case, load_cases
from tests.support.checking import PATH, Texts, check_text
from tests.support.irtext import difference

CANONICALIZE = load_cases("canonicalize")
ACC_WINDOWS = load_cases("acc_windows")
EVERYTHING = resolve(Selection(select=("ALL",)))


def kernel_of(text: str) -> KernelFacts:
    """The one kernel of a module."""
    source = split_units(text)
    modules = Modules(Workspace(Texts({PATH: text})))
    file = FileFacts(PATH, source, modules, Toolchain(), {})
    errors: list[InternalError] = []
    (kernel,) = [kernel for unit in source.units for kernel in kernels_of(file, unit, errors)]
    assert errors == []
    return kernel


def _name(case: Case) -> str:
    return case.id


@pytest.mark.parametrize("case", CANONICALIZE, ids=_name)
def test_before_and_after(case: Case) -> None:
    kernel = kernel_of(case.source)
    analysis = kernel.analysis
    before, after = case.text("before"), case.text("after")
    if before is None or after is None:
        assert analysis.is_rejected or any(issue.kind.value == "out-of-bounds" for issue in kernel.issues)
        return
    assert kernel.issues == ()
    assert kernel.not_understood == ()
    assert analysis.ssa.issues == ()
    assert not analysis.is_rejected
    assert difference(before, print_module([analysis.function])) is None
    assert difference(after, print_module([analysis.canonical.function])) is None
    assert (analysis.canonical.function is analysis.function) == (case.status == "unchanged")


@pytest.mark.parametrize("case", ACC_WINDOWS, ids=_name)
def test_accumulator_findings(case: Case) -> None:
    report = check_text(case.source, None, EVERYTHING)
    codes = sorted({finding.code for finding in report.findings if finding.code.startswith("PTO2")})
    assert report.analysis.errors == ()
    assert codes == case.verdict["codes"]


@pytest.mark.parametrize("case", [case for case in CANONICALIZE if case.status == "rewritten"][::4], ids=_name)
def test_every_rewrite_is_told(case: Case) -> None:
    """Each rewritten slice has a finding of its rule, on a line that slices."""
    analysis = kernel_of(case.source).analysis
    findings = check_text(case.source, None, EVERYTHING).findings
    told = {(finding.code, finding.data["slice"]) for finding in findings if "slice" in finding.data}
    lines = case.source.splitlines()
    for rewrite in analysis.canonical.rewrites:
        assert (rewrite.rule, rewrite.slice.name.split("__")[0]) in told
    for finding in findings:
        if finding.code in ("PTO101", "PTO102", "PTO103", "PTO104", "PTO106", "PTO107"):
            text = lines[finding.span.line][finding.span.column :]
            assert text.startswith(("pl.tile.slice(", "t["))


@pytest.mark.parametrize("case", [*CANONICALIZE[::6], *ACC_WINDOWS[::6]], ids=_name)
def test_what_is_printed_reads_back(case: Case) -> None:
    """The source as the frontend read it, its SSA form and the canonical form: printed, read, printed again."""
    kernel = kernel_of(case.source)
    if kernel.issues:
        return
    for function in (kernel.function, kernel.analysis.function, kernel.analysis.canonical.function):
        text = print_module([function])
        again = kernel_of(text)
        assert again.issues == ()
        assert difference(text, print_module([again.function])) is None


@given(st.integers(0, 1 << 32))
@settings(max_examples=40, deadline=None)
def test_no_rule_fails_on_any_kernel(seed: int) -> None:
    body = indent(random_body(seed), " " * 8)
    head = f"    def kernel(self, {PARAMS}, out: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):\n"
    module = "import pypto.language as pl\n\n\n@pl.program\nclass K:\n    @pl.function(type=pl.FunctionType.InCore)\n"
    report = check_text(f"{module}{head}{body}\n        return out\n", None, EVERYTHING)
    assert report.analysis.errors == ()
