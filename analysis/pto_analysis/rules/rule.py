"""What a rule is: its code, its documentation, its examples and its check, all in one value.

A rule file defines one `RULE = Rule(...)`; the registry finds it, the tests run its examples, and the docs
page and `pto-lint rule` are rendered from it. See CONTRIBUTING, "Add a rule in one file".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Literal, Union

from attrs import field

from pto_analysis.findings import Finding, Severity
from pto_analysis.frozen import frozen
from pto_analysis.toolchain import Bites

if TYPE_CHECKING:
    from pto_analysis.rules.facts import FileFacts, KernelFacts
    from pto_analysis.rules.program_facts import ProgramFacts

KernelCheck = Callable[["KernelFacts"], Iterable[Finding]]
ModuleCheck = Callable[["FileFacts"], Iterable[Finding]]
ProgramCheck = Callable[["ProgramFacts"], Iterable[Finding]]

FixKind = Literal["never", "sometimes", "always"]

Language = Literal["python", "mlir"]

OptionValue = Union[bool, int, str]


@frozen
class Group:
    """A hundred of codes with one subject (contract section 3)."""

    prefix: str
    title: str
    summary: str


GROUPS: dict[str, Group] = {
    group.prefix: group
    for group in (
        Group("PTO0", "File", "The file and the linter itself."),
        Group("PTO1", "Slice canonicalization", "What the compiler will do with a slice."),
        Group("PTO2", "Accumulator windows", "Windows of an L0C accumulator that the MAD cannot write."),
        Group("PTO3", "Types", "Types, shapes, dtypes and memory spaces that a later stage rejects."),
        Group("PTO4", "Buffers", "Capacity and layout of on-chip buffers."),
        Group("PTO5", "Synchronisation", "Waits, event ids and manual synchronisation."),
        Group("PTO6", "Data flow", "Results that are lost or overwritten."),
    )
}


@frozen
class Reference:
    """A public report that a rule comes from: `Reference("hw-native-sys/pto-isa", 253)`."""

    repository: str
    number: int

    @property
    def label(self) -> str:
        return f"{self.repository.rpartition('/')[2]}#{self.number}"

    @property
    def url(self) -> str:
        return f"https://github.com/{self.repository}/issues/{self.number}"


@frozen
class Example:
    """A module with its expected findings.

    A line that carries a finding ends in `#! PTO201`, or in ``#! PTO201 `text` `` when the finding's span must
    cover exactly `text`. Several marks may follow one `#!`. A module without marks must be silent: every rule
    that is on by default is run over it, so a good example is good in all respects.

    `fixed` is the module after this rule's safe and unsafe fixes, where the fix is part of the example. An example in
    "mlir" is the text of a `.pto` file.
    """

    title: str
    code: str
    options: Mapping[str, OptionValue] = field(factory=dict[str, OptionValue])
    fixed: str | None = None
    language: Language = "python"

    @property
    def suffix(self) -> str:
        """How the name of a file with such a text ends."""
        return ".py" if self.language == "python" else ".pto"


@frozen
class Option:
    """A setting of one rule: `[tool.pto-lint.rules.PTO107] name = value`."""

    name: str
    default: OptionValue
    summary: str


@frozen
class Rule:
    """One rule.

    `code` is stable for ever; `name` is kebab-case and reads well after "ignore". `summary` is one line,
    `what` and `why` are Markdown paragraphs. `check` sees one kernel at a time, `check_program` one sync program (of
    a kernel or of a `.pto` function) at a time, `check_module` what stands around the kernels of a file; a rule without
    any is reported by the checker itself (PTO001, PTO002).
    """

    code: str
    name: str
    severity: Severity
    summary: str
    what: str
    why: str
    check: KernelCheck | None = None
    check_program: ProgramCheck | None = None
    check_module: ModuleCheck | None = None
    bad: tuple[Example, ...] = ()
    good: tuple[Example, ...] = ()
    references: tuple[Reference, ...] = ()
    fix: FixKind = "never"
    fix_note: str = ""
    options: tuple[Option, ...] = ()
    bites: Bites = Bites()
    on_by_default: bool = True

    @property
    def group(self) -> Group:
        return GROUPS[self.code[:4]]

    @property
    def url(self) -> str:
        return rule_url(self.code)


DOCS_URL = "https://github.com/hw-native-sys/pto-lsp/blob/main/docs/rules"


def rule_url(code: str) -> str:
    return f"{DOCS_URL}/{code}.md"
