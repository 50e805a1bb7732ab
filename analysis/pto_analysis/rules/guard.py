"""The one place that catches what should never raise, so that one fault takes nothing else down."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import TypeVar

from pto_analysis.report import InternalError

_Result = TypeVar("_Result")


def guarded(action: Callable[[], _Result], where: str, errors: list[InternalError]) -> _Result | None:
    """The result of `action`; None when it raises, which is then recorded in `errors`."""
    try:
        return action()
    except Exception as error:
        lines = f"{type(error).__name__}: {error}".splitlines()
        errors.append(InternalError(where, lines[0], traceback.format_exc()))
        return None
