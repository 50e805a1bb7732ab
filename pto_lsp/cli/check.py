"""`pto-lint check`: findings of files, folders or standard input."""

from __future__ import annotations

import sys
from argparse import Namespace
from collections.abc import Iterable
from os import cpu_count
from pathlib import Path

from pto_analysis.report import FileAnalysis, InternalError, report_file
from pto_lsp.cli.configuration import Configuration
from pto_lsp.cli.console import Console, write_text
from pto_lsp.cli.inputs import Input, gather
from pto_lsp.cli.main import ERROR
from pto_lsp.cli.outcome import Checked, Outcome
from pto_lsp.config.settings import Settings, at_least
from pto_lsp.output.render import render
from pto_lsp.workspace.batch import Job, analyze_all
from pto_lsp.workspace.cache import CacheFolder, default_cache_dir
from pto_lsp.workspace.reading import is_relevant


def run(arguments: Namespace) -> int:
    """Runs `check` once, or for ever with `--watch`."""
    if arguments.watch:
        from pto_lsp.cli.watch import watch

        return watch(arguments, run_once)
    return run_once(arguments)


def run_once(arguments: Namespace) -> int:
    console = Console(arguments)
    configuration = Configuration(arguments)
    inputs = gather(arguments, configuration.main.exclude, console)
    outcome = check_inputs(arguments, configuration, console, inputs)
    if arguments.diff:
        return _show_diff(arguments, configuration, console, outcome)
    if arguments.fix:
        outcome = _apply(arguments, configuration, console, outcome)
    report = outcome.report(configuration.main, statistics=arguments.statistics)
    text = render(report, arguments.output_format, console.style, quiet=arguments.quiet)
    if arguments.fix and "-" in arguments.paths:
        write_text("".join(outcome.texts(inputs)))
        print(text, end="", file=sys.stderr)
    else:
        console.write(text)
    return exit_status(arguments, console, outcome, configuration.main)


def _apply(arguments: Namespace, configuration: Configuration, console: Console, outcome: Outcome) -> Outcome:
    from pto_lsp.cli.fix import allowed_fixes, fix_outcome, save

    fixed = fix_outcome(outcome, configuration, allowed_fixes(arguments))
    if "-" not in arguments.paths:
        save(outcome, fixed, console)
    return fixed


def _show_diff(arguments: Namespace, configuration: Configuration, console: Console, outcome: Outcome) -> int:
    from pto_lsp.cli.fix import allowed_fixes, diff, fix_outcome

    text = diff(outcome, fix_outcome(outcome, configuration, allowed_fixes(arguments)))
    console.write(text)
    if console.failed:
        return ERROR
    return 1 if text and not arguments.exit_zero else 0


def check_inputs(
    arguments: Namespace, configuration: Configuration, console: Console, inputs: Iterable[Input]
) -> Outcome:
    """Analyses the inputs that mention the DSL and reports on them."""
    everything = list(inputs)
    relevant = [item for item in everything if is_relevant(item.shown, item.text)]
    settings = [configuration.for_file(item.path) for item in relevant]
    jobs = [Job(str(item.path), item.text, found.options) for item, found in zip(relevant, settings, strict=True)]
    with console.progress(len(jobs)) as progress:
        analyses = analyze_all(jobs, arguments.jobs or cpu_count() or 1, _caches(arguments), progress)
    report_errors(zip(relevant, analyses, strict=True), console)
    checked = tuple(
        Checked(item, report_file(analysis, found.enabled), found.enabled.named)
        for item, found, analysis in zip(relevant, settings, analyses, strict=True)
    )
    return Outcome(checked, len(everything))


def report_errors(items: Iterable[tuple[Input, FileAnalysis]], console: Console) -> None:
    """Names each fault once, with the number of its other places."""
    places: dict[tuple[str, str], list[tuple[Input, InternalError]]] = {}
    for item, analysis in items:
        for error in analysis.errors:
            places.setdefault((error.where.split(" ")[0], error.summary), []).append((item, error))
    for found in places.values():
        item, error = found[0]
        more = f" (and {len(found) - 1} more like it)" if len(found) > 1 else ""
        console.fail(f"{item.shown}: internal error in {error.where}: {error.summary}{more}")
        console.detail(error.traceback)


def _caches(arguments: Namespace) -> CacheFolder | None:
    if arguments.no_cache:
        return None
    return CacheFolder(Path(arguments.cache_dir) if arguments.cache_dir else default_cache_dir())


def exit_status(arguments: Namespace, console: Console, outcome: Outcome, settings: Settings) -> int:
    if console.failed:
        return ERROR
    findings = (finding for checked in outcome.checked for finding in checked.result.findings)
    found = any(at_least(finding.severity, settings.fail_level) for finding in findings)
    return 1 if found and not arguments.exit_zero else 0
