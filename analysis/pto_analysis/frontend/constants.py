"""Constants of the DSL where source names them: dtypes and enum members, and what to say of those it does not have."""

from __future__ import annotations

from pto_analysis.frontend.enums import Missing, dsl_constant, missing_constant
from pto_analysis.frontend.issues import IssueKind
from pto_analysis.frontend.names import dsl_path
from pto_analysis.frontend.reading import Reading
from pto_analysis.source import syntax


def named_constant(reading: Reading, node: syntax.Expression, path: str) -> object | None:
    """The constant under a DSL name without its module; one that cannot exist is refused, once."""
    value = dsl_constant(path)
    if value is None:
        check_constant(reading, node)
    return value


def check_constant(reading: Reading, node: syntax.Expression) -> None:
    """Refuse a dtype or enum member that the DSL does not have."""
    missing, origin = missing_in(reading, node), reading.origin(node)
    if missing is None or any(issue.origin == origin for issue in reading.issues):
        return
    path = dsl_path(reading, node)
    reading.refuse(
        IssueKind.UNKNOWN_CONSTANT, missing.message, origin, operation=path, suggestions=missing.near
    )  # fmt: skip


def missing_in(reading: Reading, node: syntax.Expression) -> Missing | None:
    """What is wrong with a constant of the DSL; None where it may be right."""
    module, _, path = (dsl_path(reading, node) or "").partition(".")
    return missing_constant(path) if module == "pl" else None
