"""`pto-lint canonicalize`: what the compiler's CanonicalizeTileSlice makes of each kernel."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterator

from pto_analysis.check import findings_of, shifted
from pto_analysis.passes.lowering.pipeline import WHOLE
from pto_analysis.rules.facts import FileFacts
from pto_analysis.rules.gather import kernels_of
from pto_analysis.rules.guard import InternalError
from pto_analysis.source.unit import Unit, split_units
from pto_analysis.suggest import did_you_mean
from pto_lsp.cli.arguments import UsageError
from pto_lsp.cli.configuration import Configuration
from pto_lsp.cli.console import Console
from pto_lsp.cli.inputs import Input, gather
from pto_lsp.cli.main import ERROR
from pto_lsp.output.canonical import CanonicalKernel, render
from pto_lsp.workspace.provider import Surroundings
from pto_lsp.workspace.reading import is_relevant


def run(arguments: Namespace) -> int:
    console = Console(arguments)
    configuration = Configuration(arguments)
    surroundings = Surroundings()
    kernels: list[CanonicalKernel] = []
    for item in gather(arguments, configuration.main.exclude, console):
        if item.shown.endswith(".py") and is_relevant(item.shown, item.text):
            kernels += _kernels(item, configuration, surroundings, console)
    chosen = choose(kernels, arguments.function)
    console.write(render(chosen, arguments.output_format, console.style))
    return ERROR if console.failed else 0


def choose(kernels: list[CanonicalKernel], qualname: str | None) -> list[CanonicalKernel]:
    """The kernels of one name; a function's name stands for its regions too. Errors: UsageError for no such kernel."""
    if qualname is None:
        return kernels
    chosen = [item for item in kernels if qualname in (item.facts.qualname, item.written.qualname)]
    if not chosen:
        known = [item.facts.qualname for item in kernels]
        raise UsageError(f"there is no kernel `{qualname}`{did_you_mean(qualname, known)}")
    return chosen


def _kernels(
    item: Input, configuration: Configuration, surroundings: Surroundings, console: Console
) -> Iterator[CanonicalKernel]:
    path = str(item.path.absolute())
    options = configuration.for_file(item.path).options
    _, modules = surroundings.of(path, item.text)
    source = split_units(item.text)
    file = FileFacts(path, source, modules, options.toolchain, options.rule_options)
    errors: list[InternalError] = []
    for unit in source.units:
        yield from _unit_kernels(item, file, unit, errors)
    for error in errors:
        console.fail(f"{item.shown}: internal error in {error.where}: {error.summary}")
        console.detail(error.traceback)


def _unit_kernels(item: Input, file: FileFacts, unit: Unit, errors: list[InternalError]) -> Iterator[CanonicalKernel]:
    kernels = kernels_of(file, unit, errors, WHOLE)
    lowered = {kernel.written for kernel in kernels if kernel.written is not None}
    for kernel in kernels:
        if kernel in lowered:
            continue
        sources = [kernel] if kernel.written is None else [kernel.written, kernel]
        findings = [shifted(finding, unit.first_line) for part in sources for finding in findings_of(part, errors)]
        yield CanonicalKernel(item.shown, kernel, unit.first_line, tuple(findings))
