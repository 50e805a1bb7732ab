"""What a rule may ask: facts about one kernel and about the file around it, each computed when first asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from attrs import field

from pto_analysis.findings import Finding, Fix, Related, Severity
from pto_analysis.fixes.keeping import keeps_comments
from pto_analysis.frontend.issues import FrontendIssue, IssueKind, NotUnderstood
from pto_analysis.frontend.module import Modules
from pto_analysis.frozen import frozen
from pto_analysis.ir.function import Function
from pto_analysis.passes.canonicalize import Canonicalized
from pto_analysis.passes.kernel import KernelAnalysis, analyse_kernel, analyse_lowered
from pto_analysis.passes.lowering import LoweredFunction, LoweringNote
from pto_analysis.passes.lowering.pipeline import lower_core
from pto_analysis.rules.rule import OptionValue, Rule
from pto_analysis.source.scanner import LogicalLine
from pto_analysis.source.span import Origin, Span
from pto_analysis.source.unit import ModuleSource, Unit
from pto_analysis.toolchain import Toolchain

IssueFix = Callable[["KernelFacts", FrontendIssue], Fix | None]

RuleOptions = Mapping[str, Mapping[str, OptionValue]]


@frozen
class RuleSetting:
    """What rules are asked under. Kernels know this of their file and no more, so that they can outlive it."""

    toolchain: Toolchain
    options: RuleOptions = field(factory=dict[str, Mapping[str, OptionValue]])

    def option(self, rule: Rule, name: str) -> OptionValue:
        """The configured value of a rule's option, else its default."""
        default = next(option.default for option in rule.options if option.name == name)
        return self.options.get(rule.code, {}).get(name, default)


Lower = Callable[[Function, Toolchain, "tuple[LoweringNote, ...]"], LoweredFunction]
"""Takes a function that runs on a core through all stages; the notes are those of the stages before."""


@frozen(eq=False)
class FileFacts:
    """One file, cut into units, in a workspace that it takes constants from.

    `lower` may remember what it gave.
    """

    path: str
    source: ModuleSource
    modules: Modules
    toolchain: Toolchain
    options: RuleOptions = field(factory=dict[str, Mapping[str, OptionValue]])
    lower: Lower = lower_core

    @property
    def setting(self) -> RuleSetting:
        return RuleSetting(self.toolchain, self.options)


@frozen(eq=False)
class KernelFacts:
    """One function as its author wrote it, or one that the compiler makes of a tensor-level function.

    For the latter `function` is the tile IR that enters CanonicalizeTileSlice, `lowered` how it came about and
    `written` the facts of the function in the source. `issues` are what the frontend and typing refused, and
    `not_understood` what they could not follow; both belong to the function in the source. `is_core`: tile rules
    apply to the whole body. `unit` is the source around it, which fixes edit; `siblings` are all its functions,
    `around` the statements of the module.
    """

    setting: RuleSetting
    function: Function
    locate: Callable[[Origin], Span]
    issues: tuple[FrontendIssue, ...] = ()
    not_understood: tuple[NotUnderstood, ...] = ()
    is_core: bool = False
    written: KernelFacts | None = None
    lowered: LoweredFunction | None = None
    unit: Unit | None = None
    siblings: tuple[Function, ...] = ()
    around: tuple[LogicalLine, ...] = ()

    @property
    def toolchain(self) -> Toolchain:
        return self.setting.toolchain

    @property
    def is_incore(self) -> bool:
        """Whether this is tile IR that runs on a core, so that tile rules apply to the whole body."""
        return self.is_core

    @property
    def qualname(self) -> str:
        """The dotted path in the module; a region has the compiler's name beside its function's."""
        if self.written is None:
            return self.function.qualname
        outer = self.written.function.qualname.rpartition(".")[0]
        return f"{outer}.{self.function.name}" if outer else self.function.name

    @property
    def analysis(self) -> KernelAnalysis:
        """SSA form, windows and canonical form, each computed when first asked for."""
        return analyse_kernel(self.function) if self.lowered is None else analyse_lowered(self.lowered)

    @property
    def canonicalized(self) -> Canonicalized:
        """What CanonicalizeTileSlice makes of the kernel."""
        return self.analysis.canonical

    def sibling(self, spelled: str) -> Function | None:
        """The kernel of the same program that a call `self.f(…)` means; None for calls of other kernels."""
        owner, _, name = spelled.rpartition(".")
        around = self.function.qualname.rpartition(".")[0]
        wanted = f"{around}.{name}" if around else name
        return next((each for each in self.siblings if owner == "self" and each.qualname == wanted), None)

    def span(self, origin: Origin | None) -> Span:
        """The source range of a node; the function's own when the node has none."""
        if origin is not None:
            return self.locate(origin)
        return self.locate(self.function.origin) if self.function.origin is not None else Span(0, 0, 0, 0)

    def finding(
        self,
        rule: Rule,
        origin: Origin | None,
        message: str,
        *,
        related: tuple[Related, ...] = (),
        fix: Fix | None = None,
        severity: Severity | None = None,
        data: Mapping[str, object] | None = None,
    ) -> Finding:
        """A finding of `rule` in this kernel; `severity` differs from the rule's own only where the rule says so.

        A fix that would lose a comment is not offered.
        """
        if fix is not None and self.unit is not None and not keeps_comments(self.unit, fix):
            fix = None
        return Finding(
            rule.code,
            severity or rule.severity,
            message,
            self.span(origin),
            self.qualname,
            related,
            fix,
            data or {},
        )

    def related(self, origin: Origin | None, message: str) -> Related:
        return Related(message, self.span(origin))

    def findings_of(self, rule: Rule, *kinds: IssueKind, fix: IssueFix | None = None) -> list[Finding]:
        """The frontend's issues of these kinds, as findings of `rule`; `fix` makes the fixes of some."""
        return [
            self.finding(
                rule, issue.origin, issue.message, data=issue.data, fix=fix(self, issue) if fix is not None else None
            )
            for issue in self.issues
            if issue.kind in kinds
        ]
