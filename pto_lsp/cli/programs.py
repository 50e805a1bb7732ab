"""The sync programs of a file, whatever language it is in."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from attrs import field, frozen

from pto_analysis.findings import Finding
from pto_analysis.pto.lower import lower_pto
from pto_analysis.sync.program import SyncProgram
from pto_lsp.cli.configuration import FileSettings
from pto_lsp.cli.inputs import shown_path


@frozen
class SyncSource:
    """The programs of one file in text order. `problems` are `line:column: message`; `findings` by qualname."""

    shown: str
    lines: tuple[str, ...]
    programs: tuple[SyncProgram, ...]
    problems: tuple[str, ...] = ()
    findings: Mapping[str, tuple[Finding, ...]] = field(factory=dict[str, tuple[Finding, ...]])
    notes: tuple[str, ...] = ()


def sync_source(path: Path, text: str, settings: FileSettings) -> SyncSource:
    """Read and lower one file."""
    lines = tuple(text.splitlines())
    lowered = lower_pto(text, settings.options.toolchain.target)
    problems = [
        f"{complaint.span.line + 1}:{complaint.span.column + 1}: {complaint.message}"
        for complaint in lowered.complaints
    ]
    return SyncSource(shown_path(path), lines, lowered.programs, tuple(problems))
