"""What is made of regions, and what rules say about it, kept by content: an edit costs the region that it stands in."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from attrs import frozen

from pto_analysis.check import findings_of
from pto_analysis.findings import Finding
from pto_analysis.ir.fingerprint import fingerprint
from pto_analysis.ir.function import Function
from pto_analysis.ir.walk import statements
from pto_analysis.passes.lowering import LoweredFunction, LoweringNote
from pto_analysis.passes.lowering.pipeline import lower_core
from pto_analysis.report import InternalError
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.understanding import unknown_in
from pto_analysis.source.unit import UnitContent
from pto_analysis.toolchain import Toolchain
from pto_lsp.workspace.moving import moved_findings
from pto_lsp.workspace.versions import Uses, Versions

MAX_STATEMENTS = 6_000
"""Statements of the functions that are kept; one takes some kilobytes with all that is known about it."""


@frozen(eq=False)
class _Judged:
    """What is said about a function, and where the statements that it was made of stood."""

    content: UnitContent
    findings: tuple[Finding, ...]


class Cores:
    """The functions that run on a core, and what is said about them. Not for several threads at once."""

    def __init__(self, uses: Uses) -> None:
        self._lowered: Versions[str, LoweredFunction] = Versions(MAX_STATEMENTS, uses)
        self._judged: WeakKeyDictionary[LoweredFunction, dict[bytes, _Judged]] = WeakKeyDictionary()

    def lower(
        self, path: str, core: Function, toolchain: Toolchain, notes: tuple[LoweringNote, ...]
    ) -> LoweredFunction:
        """`lower_core`, which depends on nothing but its arguments."""
        return self._lowered.of(
            path,
            core.qualname,
            fingerprint(core, notes, toolchain),
            lambda: lower_core(core, toolchain, notes),
            lambda _: sum(1 for _ in statements(core.body)),
        )

    def sweep(self, path: str, since: int) -> None:
        """Forgets what of a file was of no use since then."""
        self._lowered.sweep(path, since)

    def findings(
        self, kernel: KernelFacts, content: UnitContent, options: bytes, errors: list[InternalError]
    ) -> list[Finding]:
        """`findings_of` a kernel in a unit; of a region it depends on what was made of it alone."""
        if kernel.lowered is None or kernel.written is None:
            return findings_of(kernel, errors)
        known = self._judged.setdefault(kernel.lowered, {})
        key = fingerprint(kernel.qualname, not unknown_in(kernel.written), options)
        kept = known.get(key)
        moved = None if kept is None else moved_findings(kept.findings, kept.content, content)
        if moved is not None:
            return moved
        before = len(errors)
        found = findings_of(kernel, errors)
        if len(errors) == before:
            known[key] = _Judged(content, tuple(found))
        return found
