"""`pto-lint budget`: bytes per on-chip buffer at the worst point of each kernel."""

from __future__ import annotations

from argparse import Namespace

from pto_analysis.report import InternalError
from pto_lsp.cli.configuration import Configuration
from pto_lsp.cli.console import Console
from pto_lsp.cli.inputs import gather
from pto_lsp.cli.kernels import choose, kernels_in, report_faults
from pto_lsp.cli.main import ERROR
from pto_lsp.output.budget import KernelBudget, render
from pto_lsp.workspace.provider import Surroundings
from pto_lsp.workspace.reading import is_relevant


def run(arguments: Namespace) -> int:
    console = Console(arguments)
    configuration = Configuration(arguments)
    surroundings = Surroundings()
    kernels: list[KernelBudget] = []
    for item in gather(arguments, configuration.main.exclude, console):
        if item.shown.endswith(".py") and is_relevant(item.shown, item.text):
            errors: list[InternalError] = []
            found = kernels_in(item, configuration, surroundings, errors)
            kernels += [
                KernelBudget(kernel.path, kernel.facts, kernel.first_line) for kernel in found if kernel.facts.is_core
            ]
            report_faults(item, errors, console)
    console.write(render(choose(kernels, arguments.function), arguments.output_format, console.style))
    return ERROR if console.failed else 0
