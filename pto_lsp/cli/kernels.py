"""The kernels of an input, for the commands that show one kernel at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol, TypeVar

from attrs import frozen

from pto_analysis.passes.lowering.pipeline import WHOLE
from pto_analysis.report import InternalError
from pto_analysis.rules.facts import FileFacts, KernelFacts
from pto_analysis.rules.gather import kernels_of
from pto_analysis.source.unit import Unit, split_units
from pto_analysis.suggest import did_you_mean
from pto_lsp.cli.arguments import UsageError
from pto_lsp.cli.configuration import Configuration
from pto_lsp.cli.console import Console
from pto_lsp.cli.inputs import Input
from pto_lsp.workspace.provider import Surroundings


@frozen(eq=False)
class FoundKernel:
    """A kernel as the compiler sees it: as written, or made of a tensor-level one. `first_line` is its unit's."""

    path: str
    facts: KernelFacts
    first_line: int


class HasFacts(Protocol):
    @property
    def facts(self) -> KernelFacts: ...


_Item = TypeVar("_Item", bound=HasFacts)


def kernels_in(
    item: Input, configuration: Configuration, surroundings: Surroundings, errors: list[InternalError]
) -> Iterator[FoundKernel]:
    """The kernels of a file in order; a tensor-level function is left out for those that are made of it."""
    path = str(item.path.absolute())
    options = configuration.for_file(item.path).options
    modules = surroundings.of(path, item.text).modules
    source = split_units(item.text)
    file = FileFacts(path, source, modules, options.toolchain, options.rule_options)
    for unit in source.units:
        yield from _unit_kernels(item, file, unit, errors)


def _unit_kernels(item: Input, file: FileFacts, unit: Unit, errors: list[InternalError]) -> Iterator[FoundKernel]:
    kernels = kernels_of(file, unit, errors, WHOLE)
    replaced = {kernel.written for kernel in kernels if kernel.written is not None}
    for kernel in kernels:
        if kernel not in replaced:
            yield FoundKernel(item.shown, kernel, unit.first_line)


def choose(items: Sequence[_Item], qualname: str | None) -> list[_Item]:
    """Those of one name; a function's name stands for its regions too. Errors: UsageError for no such kernel."""
    if qualname is None:
        return list(items)
    chosen = [item for item in items if qualname in (item.facts.qualname, (item.facts.written or item.facts).qualname)]
    if not chosen:
        known = [item.facts.qualname for item in items]
        raise UsageError(f"there is no kernel `{qualname}`{did_you_mean(qualname, known)}")
    return chosen


def report_faults(item: Input, errors: Sequence[InternalError], console: Console) -> None:
    for error in errors:
        console.fail(f"{item.shown}: internal error in {error.where}: {error.summary}")
        console.detail(error.traceback)
