"""What a rule about synchronisation may ask: one sync program and its plans, each made when first asked for."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from attrs import frozen

from pto_analysis.findings import Finding, Related, Severity
from pto_analysis.rules.rule import Rule
from pto_analysis.sync.plan import Plan
from pto_analysis.sync.precise import plan_precise
from pto_analysis.sync.program import Location, SyncProgram
from pto_analysis.sync.stock import plan_stock
from pto_analysis.toolchain import Toolchain


@frozen(eq=False, slots=False)
class ProgramFacts:
    """One core's program, from a `.pto` function or a kernel. `function` is what its findings are filed under."""

    program: SyncProgram
    toolchain: Toolchain
    function: str

    @cached_property
    def precise(self) -> Plan:
        """What is needed."""
        return plan_precise(self.program)

    @cached_property
    def stock(self) -> Plan:
        """What the stock assembler inserts."""
        return plan_stock(self.program)

    def finding(
        self,
        rule: Rule,
        where: Location,
        message: str,
        *,
        related: tuple[Related, ...] = (),
        severity: Severity | None = None,
        data: Mapping[str, object] | None = None,
    ) -> Finding:
        return Finding(
            rule.code, severity or rule.severity, message, where.span, self.function, related, None, data or {}
        )

    def related(self, where: Location, message: str) -> Related:
        return Related(message, where.span)
