"""A DSL call as a typed IR call in one step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Union

from pto_analysis.ir.expr import Call
from pto_analysis.ops.deduce import deduce
from pto_analysis.ops.lookup import ScalarCall, resolve
from pto_analysis.ops.spec import Refusal
from pto_analysis.source.span import Origin


def call(
    spelling: str, positional: Sequence[object], keywords: Mapping[str, object], origin: Origin | None = None
) -> Union[Call, ScalarCall, Refusal]:
    """Resolves, binds and types a call; see `lookup.resolve` for the arguments."""
    resolved = resolve(spelling, positional, keywords)
    if isinstance(resolved, (ScalarCall, Refusal)):
        return resolved
    type_ = deduce(resolved.op, resolved.args, resolved.attrs)
    if isinstance(type_, Refusal):
        return type_
    return Call(resolved.op, resolved.args, resolved.attrs, type_, origin)
