"""`pto-lint canonicalize`: what the compiler's CanonicalizeTileSlice makes of each kernel."""

from __future__ import annotations

from argparse import Namespace

from pto_analysis.check import findings_of
from pto_analysis.report import InternalError, shifted
from pto_lsp.cli.configuration import Configuration
from pto_lsp.cli.console import Console
from pto_lsp.cli.inputs import gather
from pto_lsp.cli.kernels import FoundKernel, choose, kernels_in, report_faults
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
            errors: list[InternalError] = []
            kernels += [
                _with_findings(found, errors) for found in kernels_in(item, configuration, surroundings, errors)
            ]
            report_faults(item, errors, console)
    console.write(render(choose(kernels, arguments.function), arguments.output_format, console.style))
    return ERROR if console.failed else 0


def _with_findings(found: FoundKernel, errors: list[InternalError]) -> CanonicalKernel:
    sources = [found.facts] if found.facts.written is None else [found.facts.written, found.facts]
    findings = [shifted(finding, found.first_line) for part in sources for finding in findings_of(part, errors)]
    return CanonicalKernel(found.path, found.facts, found.first_line, tuple(findings))
