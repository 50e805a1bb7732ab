"""Fixes for what the frontend refuses, where the right form is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import cast

from pto_analysis.findings import Applicability, Fix
from pto_analysis.fixes import forms, scratch
from pto_analysis.fixes.spelling import did_you_mean
from pto_analysis.frontend.issues import FrontendIssue, IssueKind
from pto_analysis.frontend.scalars import ELEMENTWISE
from pto_analysis.frontend.typed import constant_int
from pto_analysis.frozen import evolve, frozen
from pto_analysis.ir.expr import Call, Expr, Opaque, Var, type_of
from pto_analysis.ir.function import Function
from pto_analysis.ir.stmt import Assign, Stmt
from pto_analysis.ir.types import ScalarType, TensorType, TileType, Type
from pto_analysis.ir.walk import statements
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.source.remembered import FEW
from pto_analysis.source.span import Origin
from pto_analysis.suggest import near_match

MAX_LOOKED_UP = 50
"""Findings of a kernel for which a name is looked up that is alike: each compares with all names."""

_SAME_ON_TILES = frozenset("+-*/")
"""Operators that mean on numbers what the elementwise operation does."""

_SWAPPED = frozenset("+*")
"""Operators whose operands may change places."""


def form_fix(kernel: KernelFacts, issue: FrontendIssue) -> Fix | None:
    """The fix of one refusal, by its kind."""
    make = _MAKERS.get(issue.kind)
    return None if make is None or kernel.unit is None else make(kernel, issue)


def _outside(kernel: KernelFacts, issue: FrontendIssue) -> Fix | None:
    unit = kernel.unit
    assert unit is not None
    return forms.dsl_range(unit, issue.origin) or _augmented(kernel, issue)


def _augmented(kernel: KernelFacts, issue: FrontendIssue) -> Fix | None:
    assert kernel.unit is not None
    found = forms.augmented(kernel.unit, issue.origin)
    if found is None:
        return None
    name, op = found
    kinds = {type(var.type) for var in known_in(kernel.function).variables.get(name, ())} & _KINDS
    if kinds == {ScalarType}:
        return forms.assigned_sum(kernel.unit, issue.origin, None)
    if ScalarType not in kinds and len(kinds) == 1 and op in _SAME_ON_TILES:
        return forms.assigned_sum(kernel.unit, issue.origin, ELEMENTWISE[op])
    return None


_KINDS: frozenset[type[Type]] = frozenset((ScalarType, TileType, TensorType))


def _subscript(kernel: KernelFacts, issue: FrontendIssue) -> Fix | None:
    assert kernel.unit is not None
    if issue.data.get("reason") == "element-write":
        return forms.written_element(kernel.unit, issue.origin)
    if issue.data.get("reason") != "dynamic-lower-bound":
        return None
    refused = known_in(kernel.function).refused.get(issue.origin)
    tile = type_of(refused.operands[0]) if refused is not None and refused.operands else None
    if not isinstance(tile, TileType) or (tile.view is not None and tile.view.valid_shape not in (None, tile.shape)):
        return None
    shape = [constant_int(extent) for extent in tile.shape]
    known = [extent for extent in shape if extent is not None]
    if len(known) != len(shape):
        return None
    return forms.sliced_subscript(kernel.unit, issue.origin, known, known_in(kernel.function).names)


def _operator(kernel: KernelFacts, issue: FrontendIssue) -> Fix | None:
    assert kernel.unit is not None
    name, op = issue.data.get("suggestion"), issue.data.get("operator")
    refused = known_in(kernel.function).refused.get(issue.origin)
    if not isinstance(name, str) or op not in _SAME_ON_TILES or refused is None or len(refused.operands) != 2:
        return None
    left, right = (type_of(each) for each in refused.operands)
    if isinstance(left, (TileType, TensorType)):
        return forms.called_operator(kernel.unit, issue.origin, name, swapped=False)
    swaps = isinstance(left, ScalarType) and isinstance(right, (TileType, TensorType)) and op in _SWAPPED
    return forms.called_operator(kernel.unit, issue.origin, name, swapped=True) if swaps else None


def _condition(kernel: KernelFacts, issue: FrontendIssue) -> Fix | None:
    assert kernel.unit is not None
    found = str(issue.data.get("found", ""))
    is_integer = found == "INDEX" or found.startswith(("INT", "UINT"))
    return forms.compared_condition(kernel.unit, issue.origin) if is_integer else None


def _annotation(kernel: KernelFacts, issue: FrontendIssue) -> Fix | None:
    assert kernel.unit is not None
    annotated, inferred = issue.data.get("annotated"), issue.data.get("inferred")
    if type(annotated) is not type(inferred):
        return None
    if isinstance(annotated, ScalarType) and isinstance(inferred, ScalarType):
        return forms.corrected_annotation(kernel.unit, issue.origin, inferred.dtype.name, None)
    if not isinstance(annotated, (TileType, TensorType)) or not isinstance(inferred, (TileType, TensorType)):
        return None
    dtype = inferred.dtype.name if annotated.dtype != inferred.dtype else None
    extents = [constant_int(extent) for extent in inferred.shape]
    differs = [constant_int(extent) for extent in annotated.shape] != extents
    shape = [str(extent) for extent in extents] if differs and None not in extents else None
    return forms.corrected_annotation(kernel.unit, issue.origin, dtype, shape)


def _undefined(kernel: KernelFacts, issue: FrontendIssue) -> Fix | None:
    assert kernel.unit is not None
    if issue not in kernel.issues[:MAX_LOOKED_UP]:
        return None
    wrong = str(issue.data.get("name", ""))
    known = forms.names_of_kernels(kernel.unit) if "kernel" in issue.message else known_in(kernel.function).names
    right = near_match(wrong, known - {wrong})
    return None if right is None else forms.meant_name(kernel.unit, issue.origin, wrong, right)


def _loop(kernel: KernelFacts, issue: FrontendIssue) -> Fix | None:
    assert kernel.unit is not None
    if issue.data.get("loop") != "pipeline" or "stage=" not in issue.message:
        return None
    return forms.staged_pipeline(kernel.unit, issue.origin)


def _operands(kernel: KernelFacts, issue: FrontendIssue) -> Fix | None:
    """A scratch tile as large as what it serves, where it serves nothing else."""
    unit, needed, position = kernel.unit, issue.data.get("needed"), issue.data.get("operand")
    assert unit is not None
    if not isinstance(needed, tuple) or not isinstance(position, int):
        return None
    wanted = cast("tuple[object, ...]", needed)
    extents = [extent for extent in wanted if isinstance(extent, int)]
    name = forms.named_argument(unit, issue.origin, position)
    made = known_in(kernel.function).made.get(name or "", ())
    value = made[0].value if len(made) == 1 and isinstance(made[0], Assign) else None
    if len(extents) != len(wanted) or not isinstance(value, Call) or value.op != "tile.create":
        return None
    return forms.resized_create(unit, value.origin, str(name), extents)


def _arguments(kernel: KernelFacts, issue: FrontendIssue) -> Fix | None:
    """A scratch tile for a reduction of a tile that has none."""
    assert kernel.unit is not None
    if issue.data.get("keyword") != "tmp_tile" or "needs a scratch tile" not in issue.message:
        return None
    name = scratch.reduced_name(kernel.unit, issue.origin)
    types = {var.type for var in known_in(kernel.function).variables.get(name or "", ())}
    tile = types.pop() if len(types) == 1 else None
    if not isinstance(tile, TileType):
        return None
    extents = [extent for extent in map(constant_int, tile.shape) if extent is not None]
    if len(extents) != len(tile.shape):
        return None
    return scratch.added_scratch(kernel.unit, issue.origin, extents, tile.dtype.name)


def _misspelt(kernel: KernelFacts, issue: FrontendIssue) -> Fix | None:
    """The name of the DSL that was meant in an annotation."""
    assert kernel.unit is not None
    wrong, near = issue.data.get("wrong"), issue.data.get("suggestions")
    if not isinstance(wrong, str) or not isinstance(near, tuple):
        return None
    names = tuple(str(name) for name in cast("tuple[object, ...]", near))
    return did_you_mean(kernel.unit, issue.origin, wrong, names)


def _rebound(kernel: KernelFacts, issue: FrontendIssue) -> Fix | None:
    """A cast of a value that differs from the name's in nothing but its dtype."""
    assert kernel.unit is not None
    before, after = issue.data.get("before"), issue.data.get("after")
    if not isinstance(before, (TileType, TensorType)) or not isinstance(after, type(before)):
        return None
    is_alike = before.dtype != after.dtype and before.shape == after.shape
    made = forms.cast_value(kernel.unit, issue.origin, before.dtype.name) if is_alike else None
    return None if made is None else evolve(made, applicability=Applicability.UNSAFE)


_MAKERS = {
    IssueKind.ARGUMENTS: _arguments,
    IssueKind.OPERANDS: _operands,
    IssueKind.OUTSIDE_DSL: _outside,
    IssueKind.SUBSCRIPT: _subscript,
    IssueKind.SCALAR_TYPES: _operator,
    IssueKind.CONDITION: _condition,
    IssueKind.ANNOTATION: _misspelt,
    IssueKind.ANNOTATION_MISMATCH: _annotation,
    IssueKind.UNDEFINED_NAME: _undefined,
    IssueKind.LOOP_FORM: _loop,
    IssueKind.REBOUND_TYPE: _rebound,
}


@frozen(eq=False)
class Known:
    """A function's variables and the statements that define them, by name; what stands for refused expressions."""

    variables: Mapping[str, Sequence[Var]]
    made: Mapping[str, Sequence[Stmt]]
    refused: Mapping[Origin | None, Opaque]

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self.variables)


@lru_cache(maxsize=FEW)
def known_in(function: Function) -> Known:
    variables: dict[str, list[Var]] = {}
    made: dict[str, list[Stmt]] = {}
    refused: dict[Origin | None, Opaque] = {}
    for param in function.params:
        variables.setdefault(param.var.name, []).append(param.var)
    for stmt in statements(function.body):
        for var in stmt.definitions:
            variables.setdefault(var.name, []).append(var)
            made.setdefault(var.name, []).append(stmt)
        waiting: list[Expr] = list(stmt.operands)
        while waiting:
            expr = waiting.pop()
            if isinstance(expr, Opaque):
                refused.setdefault(expr.origin, expr)
            waiting.extend(expr.children)
    return Known(variables, made, refused)
