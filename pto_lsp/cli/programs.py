"""The sync programs of a file, whatever language it is in."""

from __future__ import annotations

from pathlib import Path

from attrs import frozen

from pto_analysis.check import read_unit
from pto_analysis.pto.lower import lower_pto
from pto_analysis.rules.facts import FileFacts
from pto_analysis.rules.kernel_programs import programs_of_facts
from pto_analysis.source.unit import split_units
from pto_analysis.sync.program import SyncProgram
from pto_lsp.cli.configuration import FileSettings
from pto_lsp.cli.inputs import shown_path
from pto_lsp.workspace.provider import Surroundings


@frozen
class SyncSource:
    """The programs of one file in text order. `problems` are `line:column: message`."""

    shown: str
    lines: tuple[str, ...]
    programs: tuple[SyncProgram, ...]
    problems: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def sync_source(path: Path, text: str, settings: FileSettings) -> SyncSource:
    """Read and lower one file."""
    if path.suffix == ".py":
        return _python_source(path, text, settings)
    lines = tuple(text.splitlines())
    lowered = lower_pto(text, settings.options.toolchain.target)
    problems = [
        f"{complaint.span.line + 1}:{complaint.span.column + 1}: {complaint.message}"
        for complaint in lowered.complaints
    ]
    return SyncSource(shown_path(path), lines, lowered.programs, tuple(problems))


def _python_source(path: Path, text: str, settings: FileSettings) -> SyncSource:
    """The programs of every kernel of a module that runs on a core."""
    absolute = str(path.absolute())
    modules = Surroundings().of(absolute, text).modules
    source = split_units(text)
    file = FileFacts(absolute, source, modules, settings.options.toolchain, settings.options.rule_options)
    programs: list[SyncProgram] = []
    problems: list[str] = []
    for unit in source.units:
        read = read_unit(file, unit)
        for kernel in read.kernels:
            programs += programs_of_facts(kernel, unit.first_line)
        problems += [
            f"{unit.first_line + 1}:1: internal error in {error.where}: {error.summary}" for error in read.errors
        ]
    return SyncSource(shown_path(path), tuple(text.splitlines()), tuple(programs), tuple(problems))
