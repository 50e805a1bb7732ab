"""What the analysis tells: findings, their related places and their fixes. Plain data; no protocol, no printing."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from attrs import field

from pto_analysis.frozen import frozen
from pto_analysis.source.span import Span


class Severity(Enum):
    ERROR = "error"
    WARNING = "warning"
    INFO = "info"
    HINT = "hint"


class Applicability(Enum):
    """`SAFE`: same meaning, applied by `--fix`. `UNSAFE`: may change meaning or leaves work. `DISPLAY`: shown only."""

    SAFE = "safe"
    UNSAFE = "unsafe"
    DISPLAY = "display"


@frozen
class Edit:
    """Replace the text of `span` by `text`. `path` None is the file of the finding."""

    span: Span
    text: str
    path: str | None = None


@frozen
class Fix:
    title: str
    applicability: Applicability
    edits: tuple[Edit, ...]


@frozen
class Related:
    message: str
    span: Span
    path: str | None = None


@frozen
class Finding:
    """One diagnostic. `function` is the qualname of the kernel it belongs to; `data` holds numbers for tools."""

    code: str
    severity: Severity
    message: str
    span: Span
    function: str | None = None
    related: tuple[Related, ...] = ()
    fix: Fix | None = None
    data: Mapping[str, object] = field(factory=dict[str, object])
