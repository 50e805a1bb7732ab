"""From a text to its findings: the frontend reads kernels, every rule looks at each of them, comments have their say.

Two steps, so that the first can be remembered: `analyze_file` runs all rules that bite, whatever is selected;
`report.report_file` keeps what is selected and not silenced.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TypeVar

from pto_analysis.findings import Finding, Severity
from pto_analysis.fixes.multi_tile import PtoText
from pto_analysis.frontend.module import Modules
from pto_analysis.frozen import evolve, frozen
from pto_analysis.pto.syntax import Complaint
from pto_analysis.report import (
    CheckOptions,
    FileAnalysis,
    FileReport,
    InternalError,
    Unknown,
    report_file,
    shifted,
    sort_key,
)
from pto_analysis.rules.facts import FileFacts, KernelFacts
from pto_analysis.rules.gather import kernels_of
from pto_analysis.rules.guard import guarded
from pto_analysis.rules.kernel_programs import is_worth_planning, policies_of
from pto_analysis.rules.program_facts import ProgramFacts
from pto_analysis.rules.registry import rules_on
from pto_analysis.rules.selection import Enabled
from pto_analysis.rules.suppression import may_suppress, suppressions_of
from pto_analysis.rules.syntax_errors import (
    SyntaxProblem,
    late_futures,
    problems_of_read,
    statement_problems,
    unit_problems,
)
from pto_analysis.rules.understanding import unknown_in
from pto_analysis.source.unit import ModuleSource, Unit, split_units
from pto_analysis.sync.policies import Policies


@frozen
class UnitAnalysis:
    """What the rules say about one unit. Lines count from the unit's first."""

    findings: tuple[Finding, ...]
    functions: int
    cores: int
    understood: int
    unknown: tuple[Unknown, ...]
    errors: tuple[InternalError, ...]


@frozen
class ModuleAnalysis:
    """What the rules say about a file's statements around its units. Lines are those of the file."""

    findings: tuple[Finding, ...] = ()
    errors: tuple[InternalError, ...] = ()


def check_file(path: str, text: str, modules: Modules, options: CheckOptions, enabled: Enabled) -> FileReport:
    """The findings of one file. Never raises on what a user can write."""
    return report_file(analyze_file(path, text, modules, options), enabled)


def analyze_file(path: str, text: str, modules: Modules, options: CheckOptions) -> FileAnalysis:
    """All findings of one file, selected or not. `path` is absolute, and `modules` sees this text under it."""
    if path.endswith(".pto"):
        return analyze_pto(text, options)
    source = modules.workspace.source(path) or split_units(text)
    file = FileFacts(path, source, modules, options.toolchain, options.rule_options)
    return assemble(source, [analyze_unit(file, unit) for unit in source.units], analyze_module(file))


def analyze_pto(text: str, options: CheckOptions) -> FileAnalysis:
    """What the reader of `.pto` text complains about, and what all rules say about its programs."""
    source = PtoText(text, options.toolchain.target)
    lowered = source.lowered
    errors: list[InternalError] = []
    findings = [*filter(None, map(_pto_finding, lowered.complaints))]
    for program in lowered.programs:
        facts = ProgramFacts(Policies(program), options.toolchain, program.qualname, text=source)
        findings += findings_of_program(facts, errors)
    return FileAnalysis(
        tuple(sorted(findings, key=sort_key)),
        functions=len(lowered.programs),
        cores=len(lowered.programs),
        understood=len(lowered.programs),
        errors=tuple(errors),
    )


def _pto_finding(complaint: Complaint) -> Finding | None:
    """None for what is no fault of the author's: what the lowering cannot follow."""
    if complaint.kind == "syntax":
        return _syntax_finding((complaint.span, complaint.message))
    if complaint.kind == "unknown-operation":
        return Finding("PTO003", Severity.WARNING, complaint.message, complaint.span)
    return None


def assemble(source: ModuleSource, units: Sequence[UnitAnalysis], module: ModuleAnalysis) -> FileAnalysis:
    """The analysis of a file from those of its units, in their order, and of what stands around them."""
    findings = [*module_findings(source), *module.findings]
    unknown: list[Unknown] = []
    for unit, place in zip(units, source.units, strict=True):
        findings += [shifted(finding, place.first_line) for finding in unit.findings]
        unknown += [evolve(value, line=value.line + place.first_line) for value in unit.unknown]
    return FileAnalysis(
        tuple(sorted({sort_key(finding): finding for finding in reversed(findings)}.values(), key=sort_key)),
        suppressions_of(source.pieces) if may_suppress(source.source.text) else (),
        sum(unit.functions for unit in units),
        sum(unit.cores for unit in units),
        sum(unit.understood for unit in units),
        tuple(unknown),
        (*module.errors, *(error for unit in units for error in unit.errors)),
    )


def analyze_module(file: FileFacts) -> ModuleAnalysis:
    """What all rules that bite say about what stands around the kernels of a file."""
    errors: list[InternalError] = []
    findings: list[Finding] = []
    for rule in rules_on(file.toolchain):
        if rule.check_module is not None:
            findings += guarded(partial(_run, rule.check_module, file), f"{rule.code} on {file.path}", errors) or ()
    return ModuleAnalysis(tuple(findings), tuple(errors))


@frozen(eq=False)
class UnitKernels:
    """The kernels of a unit as rules and editors see them, with what raised while they were read."""

    unit: Unit
    kernels: tuple[KernelFacts, ...]
    errors: tuple[InternalError, ...] = ()


def read_unit(file: FileFacts, unit: Unit) -> UnitKernels:
    errors: list[InternalError] = []
    kernels = kernels_of(file, unit, errors)
    return UnitKernels(unit, kernels, tuple(errors))


def kernels_at(read: UnitKernels, unit: Unit) -> UnitKernels:
    """The kernels of a unit as they are in another unit of the same statements, whose lines differ."""
    moved: dict[KernelFacts, KernelFacts] = {}
    for kernel in read.kernels:
        written = None if kernel.written is None else moved[kernel.written]
        own = None if kernel.unit is None else unit
        moved[kernel] = evolve(kernel, locate=unit.span_of, written=written, unit=own)
    return UnitKernels(unit, tuple(moved.values()), read.errors)


def analyze_unit(file: FileFacts, unit: Unit) -> UnitAnalysis:
    """What all rules say about one unit; depends on its text and on the constants it reads, not on its place."""
    return judge_unit(read_unit(file, unit))


Judge = Callable[[KernelFacts, "list[InternalError]"], "list[Finding]"]
"""What all rules say about one kernel."""


def judge_unit(read: UnitKernels, judge: Judge | None = None) -> UnitAnalysis:
    """What all rules say about the kernels of a unit; `judge` may remember what `findings_of` said."""
    errors = [*read.errors]
    problems = problems_of_read(read.unit) if read.kernels else unit_problems(read.unit)
    findings = [_syntax_finding(problem) for problem in problems]
    for kernel in read.kernels:
        findings += (judge or findings_of)(kernel, errors)
    unknown = {kernel: unknown_in(kernel) for kernel in read.kernels}
    cores = [kernel for kernel in read.kernels if kernel.is_core]
    understood = sum(not unknown[core] and not unknown[core.written or core] for core in cores)
    functions = sum(kernel.written is None for kernel in read.kernels)
    values = tuple(value for values in unknown.values() for value in values)
    return UnitAnalysis(tuple(findings), functions, len(cores), understood, values, tuple(errors))


def findings_of(kernel: KernelFacts, errors: list[InternalError]) -> list[Finding]:
    """What all rules that bite say about one kernel and about its sync programs."""
    findings: list[Finding] = []
    name = kernel.qualname
    for rule in rules_on(kernel.toolchain):
        if rule.check is not None:
            where = f"{rule.code} on {name}"
            findings += guarded(partial(_run, rule.check, kernel), where, errors) or ()
    return findings + _sync_findings(kernel, errors)


def findings_of_program(facts: ProgramFacts, errors: list[InternalError]) -> list[Finding]:
    """What all rules that bite say about one sync program."""
    findings: list[Finding] = []
    for rule in rules_on(facts.toolchain):
        if rule.check_program is not None:
            where = f"{rule.code} on {facts.function}"
            findings += guarded(partial(_run, rule.check_program, facts), where, errors) or ()
    return findings


_Facts = TypeVar("_Facts")


def _run(check: Callable[[_Facts], Iterable[Finding]], facts: _Facts) -> list[Finding]:
    return list(check(facts))


def _sync_findings(kernel: KernelFacts, errors: list[InternalError]) -> list[Finding]:
    """What rules about synchronisation say about the programs of a kernel, one for each core."""
    if not is_worth_planning(kernel):
        return []
    where = f"the sync programs of {kernel.qualname}"
    policies = guarded(lambda: policies_of(kernel), where, errors) or ()
    facts = [ProgramFacts(one, kernel.toolchain, kernel.qualname, kernel) for one in policies]
    return [finding for item in facts for finding in findings_of_program(item, errors)]


def module_findings(source: ModuleSource) -> list[Finding]:
    """Syntax errors in module-level statements."""
    problems = [problem for line in source.statements for problem in statement_problems(line)]
    return [_syntax_finding(problem) for problem in (*problems, *late_futures(source))]


def _syntax_finding(problem: SyntaxProblem) -> Finding:
    span, message = problem
    return Finding("PTO001", Severity.ERROR, f"syntax error: {message}", span)
