"""What a rule about synchronisation may ask: one sync program and its plans, each made when first asked for."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from pto_analysis.findings import Finding, Fix, Related, Severity
from pto_analysis.fixes.multi_tile import PtoText
from pto_analysis.frozen import frozen
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.rule import Rule
from pto_analysis.sync.difference import FalseDependence, compare
from pto_analysis.sync.policies import Policies
from pto_analysis.sync.program import Location, Op, SyncProgram, statements
from pto_analysis.toolchain import Toolchain


@frozen(eq=False, slots=False)
class ProgramFacts:
    """One core's program, from a `.pto` function or a kernel. `function` is what its findings are filed under.

    `policies` are its plans. `kernel` is what the program was made of, `text` the `.pto` file that holds it; one of
    them is None.
    """

    policies: Policies
    toolchain: Toolchain
    function: str
    kernel: KernelFacts | None = None
    text: PtoText | None = None

    @property
    def program(self) -> SyncProgram:
        return self.policies.program

    @cached_property
    def false_dependences(self) -> tuple[FalseDependence, ...]:
        """The waits that only the stock assembler needs."""
        return compare(self.policies)

    @cached_property
    def op_names(self) -> Mapping[str, str]:
        """The pto name of every op by its id."""
        return {stmt.id: stmt.name for stmt in statements(self.program.body) if isinstance(stmt, Op)}

    @cached_property
    def op_places(self) -> Mapping[str, Location]:
        """Where every op stands, by its id."""
        return {stmt.id: stmt.where for stmt in statements(self.program.body) if isinstance(stmt, Op)}

    def finding(
        self,
        rule: Rule,
        where: Location,
        message: str,
        *,
        related: tuple[Related, ...] = (),
        fix: Fix | None = None,
        severity: Severity | None = None,
        data: Mapping[str, object] | None = None,
    ) -> Finding:
        return Finding(
            rule.code, severity or rule.severity, message, where.span, self.function, related, fix, data or {}
        )

    def related(self, where: Location, message: str) -> Related:
        return Related(message, where.span)
