"""`pto-lint sync`: which waits a kernel needs, precise for rotating slots (contract section 2)."""

from __future__ import annotations

import json
import shutil
import sys
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

from attrs import frozen

from pto_analysis.arith.terms import INDEX_BITS
from pto_analysis.check import findings_of_program
from pto_analysis.findings import Finding
from pto_analysis.rules.program_facts import ProgramFacts
from pto_analysis.suggest import did_you_mean
from pto_analysis.sync.checker import Rules
from pto_analysis.sync.items import trace_json
from pto_analysis.sync.policies import Policies
from pto_analysis.sync.program import Argument, Branch, Define, Loop, SyncProgram, statements
from pto_analysis.sync.trace import Outcomes, unroll
from pto_analysis.sync.verify import verify
from pto_analysis.toolchain import Toolchain
from pto_lsp.cli.arguments import UsageError
from pto_lsp.cli.configuration import Configuration
from pto_lsp.cli.console import Console
from pto_lsp.cli.inputs import shown_path
from pto_lsp.cli.main import ERROR
from pto_lsp.cli.programs import SyncSource, sync_source
from pto_lsp.output import sync_html, sync_json, sync_svg, sync_text
from pto_lsp.output.as_json import dump
from pto_lsp.output.sync_run import COUNTERPART, PLANS, page, typical_page
from pto_lsp.output.sync_view import SyncPreview
from pto_lsp.workspace.batch import without_collector
from pto_lsp.workspace.reading import ReadError, read_source

_NARROWEST, _WIDEST = 80, 160


def run(arguments: Namespace) -> int:
    """Errors: UsageError for a missing kernel or arguments that do not fit."""
    with without_collector():
        return _run(arguments)


def _run(arguments: Namespace) -> int:
    console = Console(arguments)
    configuration = Configuration(arguments)
    path = Path(cast("str", arguments.path))
    try:
        text = read_source(path)
    except ReadError as error:
        console.fail(f"{shown_path(path)}: {error}")
        return ERROR
    source = sync_source(path, text, configuration.for_file(path))
    for problem in source.problems:
        print(f"{shown_path(path)}:{problem}", file=sys.stderr)
    programs = _chosen(source.programs, arguments.function)
    if arguments.trace is not None and arguments.output_format in ("text", "json"):
        console.write(_trace(programs, arguments))
        return 0
    toolchain = configuration.for_file(path).options.toolchain
    previews = [_preview(source, Policies(program), arguments, toolchain) for program in programs]
    console.write(_rendered(previews, arguments, console))
    unsound = any(one.verification is not None and not one.verification.ok for one in previews)
    return 1 if unsound else 0


def _chosen(programs: Sequence[SyncProgram], qualname: str | None) -> list[SyncProgram]:
    """The programs of one kernel; a mixed kernel's name stands for both of its cores."""
    if qualname is None:
        return list(programs)
    names = {qualname, f"{qualname}_aic", f"{qualname}_aiv"}
    chosen = [program for program in programs if names & {program.name, program.qualname}]
    if not chosen:
        known = [program.qualname for program in programs]
        raise UsageError(f"there is no kernel `{qualname}`{did_you_mean(qualname, known)}")
    return chosen


def _findings(policies: Policies, toolchain: Toolchain) -> tuple[Finding, ...]:
    """What the rules about synchronisation say; a rule that raises has been reported by `check`."""
    found = findings_of_program(ProgramFacts(policies, toolchain, policies.program.qualname), [])
    return tuple(sorted(found, key=lambda finding: (finding.span, finding.code, finding.message)))


def _preview(source: SyncSource, policies: Policies, arguments: Namespace, toolchain: Toolchain) -> SyncPreview:
    program, model = policies.program, cast("str", arguments.model)
    findings = _findings(policies, toolchain)
    plan = PLANS[model](policies)
    pictured = arguments.output_format in ("svg", "html")
    other = PLANS[COUNTERPART[model]](policies) if pictured else None
    outcome = None
    if arguments.verify:
        outcome = verify(program, plan, Rules(program.target, long_chains=model == "ptoas"))
    return SyncPreview(source.shown, program, plan, source.lines, other, findings, outcome, source.notes)


def _rendered(previews: list[SyncPreview], arguments: Namespace, console: Console) -> str:
    if arguments.output_format == "json":
        return sync_json.render(previews[0].path if previews else shown_path(Path(arguments.path)), previews)
    if arguments.output_format == "text":
        width = min(max(shutil.get_terminal_size((100, 24)).columns, _NARROWEST), _WIDEST)
        return sync_text.render(previews, console.style, width)
    given = None if arguments.trace is None else _run_arguments([p.program for p in previews], arguments.trace)
    pages = [_page(preview, given) for preview in previews]
    if arguments.output_format == "html":
        return sync_html.render(pages)
    return sync_svg.stacked([sync_svg.render(page.preview, page.pictures) for page in pages])


# One run


@frozen
class _RunArguments:
    """What `--trace` takes: scalars by name, and outcomes of branches by line."""

    scalars: Mapping[str, int]
    branches: Mapping[int, tuple[bool, ...]]


def _trace(programs: list[SyncProgram], arguments: Namespace) -> str:
    if len(programs) != 1:
        names = ", ".join(program.qualname for program in programs) or "none"
        raise UsageError(f"--trace unrolls one kernel; choose it with --function: {names}")
    given = _run_arguments(programs, arguments.trace)
    program = programs[0]
    plan = PLANS[cast("str", arguments.model)](Policies(program))
    trace = unroll(program, plan, given.scalars, Outcomes(given.branches, given.scalars))
    for problem in (*trace.problems, *trace.warnings):
        _warn(problem)
    return dump(trace_json(trace))


def _run_arguments(programs: Sequence[SyncProgram], text: str) -> _RunArguments:
    try:
        found: object = json.loads(text or "{}")
    except (ValueError, RecursionError) as error:
        raise UsageError(f"--trace: not JSON: {error}") from None
    if not isinstance(found, dict):
        raise UsageError('--trace: expected an object such as {"n": 4, "branches": {"12": [true]}}')
    table = cast("dict[str, object]", found)
    known = {argument.symbol.name: argument for program in programs for argument in _scalars_of_a_run(program)}
    scalars: dict[str, int] = {}
    for name, value in table.items():
        if name == "branches":
            continue
        argument = known.get(name.lstrip("%"))
        if argument is None:
            raise UsageError(f"--trace: nothing leaves a scalar `{name}` to the run{did_you_mean(name, sorted(known))}")
        scalars[name.lstrip("%")] = _number(argument, value)
    missing = [one.symbol.name for program in programs for one in program.arguments if one.symbol.name not in scalars]
    if missing:
        names = ", ".join(f"`{name}`" for name in dict.fromkeys(missing))
        _warn(f"{names} not given, taken as 0")
    return _RunArguments(scalars, _branches(table.get("branches", {}), _deciding_lines(programs)))


def _warn(problem: str) -> None:
    """Tell on standard error what is odd about a run."""
    print(f"pto-lint: warning: {problem}", file=sys.stderr)


def _scalars_of_a_run(program: SyncProgram) -> Iterator[Argument]:
    """The scalars that a run decides: arguments, and what the kernel loads or asks for."""
    yield from program.arguments
    for statement in statements(program.body):
        if isinstance(statement, Define) and statement.value is None:
            yield Argument(statement.symbol)


def _number(argument: Argument, value: object) -> int:
    """The value of a scalar as a register of its width holds it, read with or without a sign."""
    name, bits = argument.symbol.name, argument.symbol.bits
    if not isinstance(value, int) or (isinstance(value, bool) and bits != 1):
        raise UsageError(f"--trace: `{name}` must be a whole number, not {json.dumps(value)}")
    width = bits or INDEX_BITS
    low, high = -(1 << (width - 1)), (1 << width) - 1
    if not low <= value <= high:
        raise UsageError(f"--trace: `{name}` = {value} does not fit {width} bits: {low} to {high}")
    if argument.lower is not None and value < argument.lower:
        raise UsageError(f"--trace: `{name}` = {value} is less than {argument.lower}, the least that it may be")
    if argument.upper is not None and value > argument.upper:
        raise UsageError(f"--trace: `{name}` = {value} is more than {argument.upper}, the most that it may be")
    return int(value)


def _deciding_lines(programs: Sequence[SyncProgram]) -> list[int]:
    """The lines of branches and loops, 1-based."""
    found = (s for program in programs for s in statements(program.body) if isinstance(s, (Branch, Loop)))
    return sorted({statement.where.span.line + 1 for statement in found})


def _branches(found: object, lines: Sequence[int]) -> dict[int, tuple[bool, ...]]:
    form = UsageError('--trace: "branches" must map lines to lists of true and false')
    if not isinstance(found, dict):
        raise form
    branches: dict[int, tuple[bool, ...]] = {}
    for line, outcomes in cast("dict[str, object]", found).items():
        if not line.isdecimal() or not isinstance(outcomes, list):
            raise form
        listed = cast("list[object]", outcomes)
        if not all(isinstance(outcome, bool) for outcome in listed):
            raise form
        if int(line) not in lines:
            known = ", ".join(map(str, lines)) or "nowhere"
            _warn(f"no branch or loop begins at line {line}; there are some at {known}")
        branches[int(line)] = tuple(bool(outcome) for outcome in listed)
    return branches


def _page(preview: SyncPreview, given: _RunArguments | None) -> sync_html.Page:
    if given is None:
        return typical_page(preview)
    return page(preview, given.scalars, lambda: Outcomes(given.branches, given.scalars))
