"""What the frontend could not accept, as data. Rules turn an issue into a finding; nothing is printed here."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from attrs import field

from pto_analysis.frozen import frozen
from pto_analysis.source.span import Origin


class IssueKind(Enum):
    """Why the compiler, or this analysis, refuses a piece of source. The value names the kind in data."""

    SYNTAX = "syntax"
    OUTSIDE_DSL = "outside-dsl"
    UNKNOWN_OPERATION = "unknown-operation"
    UNKNOWN_KEYWORD = "unknown-keyword"
    UNKNOWN_CONSTANT = "unknown-constant"
    UNDEFINED_NAME = "undefined-name"
    ARGUMENTS = "arguments"
    OPERANDS = "operands"
    OUT_OF_BOUNDS = "out-of-bounds"
    SUBSCRIPT = "subscript"
    SCALAR_TYPES = "scalar-types"
    CONDITION = "condition"
    ASSERTION = "assertion"
    ANNOTATION = "annotation"
    ANNOTATION_MISMATCH = "annotation-mismatch"
    REBOUND_TYPE = "rebound-type"
    LOOP_FORM = "loop-form"
    CALL_ARITY = "call-arity"


CODE_HINTS: dict[IssueKind, str] = {
    IssueKind.SYNTAX: "PTO001",
    IssueKind.UNKNOWN_OPERATION: "PTO003",
    IssueKind.UNKNOWN_KEYWORD: "PTO003",
    IssueKind.UNKNOWN_CONSTANT: "PTO003",
    IssueKind.OUTSIDE_DSL: "PTO004",
}
"""The code of the kinds that have one of their own; every other kind is a typing error (group PTO3xx)."""


@frozen
class FrontendIssue:
    """One refusal at one place. `data` holds names and numbers for the message and for tools."""

    kind: IssueKind
    message: str
    origin: Origin
    data: Mapping[str, object] = field(factory=dict[str, object])

    @property
    def code_hint(self) -> str:
        return CODE_HINTS.get(self.kind, "PTO3xx")


@frozen
class NotUnderstood:
    """A value that the analysis could not follow: where, which operation or name, and why (for `--statistics`)."""

    what: str
    why: str
    origin: Origin
