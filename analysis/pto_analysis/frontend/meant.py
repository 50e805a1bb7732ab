"""Loops and scopes whose name the DSL does not have, but one very much like it."""

from __future__ import annotations

from collections.abc import Iterable

from pto_analysis.frontend.issues import IssueKind
from pto_analysis.frontend.names import dsl_path
from pto_analysis.frontend.reading import Reading
from pto_analysis.ops.lookup import is_known
from pto_analysis.source import syntax
from pto_analysis.suggest import near_match


def meant_name(reading: Reading, node: syntax.Expression, known: Iterable[str]) -> str | None:
    """Which of these names was meant by a name of the DSL that means nothing; it is refused.

    None where it means something, or nothing near.
    """
    path = dsl_path(reading, node)
    module, _, name = (path or "").partition(".")
    if module != "pl" or "." in name or is_known(name):
        return None
    near = near_match(name, known)
    if near is None:
        return None
    reading.refuse(
        IssueKind.UNKNOWN_OPERATION, f"there is no {path}, did you mean pl.{near}?", reading.origin(node),
        operation=path, suggestions=(near,),
    )  # fmt: skip
    return near
