"""Makes rows of the op table: fills in what follows from the name."""

from __future__ import annotations

import keyword
from collections.abc import Iterable, Mapping
from typing import Literal

from pto_analysis.ops.spec import Effect, OpSpec, Storage, Typing

Access = Literal["functional", "none", "unknown"]
Core = Literal["", "cube", "vector", "shared"]


def fresh() -> Storage:
    """The result has a buffer of its own."""
    return Storage("fresh")


def view(operand: int) -> Storage:
    """The result is a part or a renaming of an operand's buffer."""
    return Storage("view", operand)


def reuse(operand: int) -> Storage:
    """The result is written into an operand's buffer."""
    return Storage("reuse", operand)


def no_buffer() -> Storage:
    """The result is a scalar or nothing."""
    return Storage("none")


def row(
    name: str,
    doc: str,
    signature: str,
    typing: Typing,
    *,
    inputs: str = "",
    space: str = "",
    storage: Storage | None = None,
    inplace_safe: bool = True,
    forbid_output_alias: tuple[int, ...] = (),
    effects: Mapping[int, Effect] | None = None,
    writes_through: str = "",
    access: Access = "functional",
    unit: str = "V",
    pto: str = "",
    families: Iterable[str] = (),
    roles: str = "",
    core: Core = "",
    targets: tuple[str, ...] = (),
    notes: str = "",
    prefix: str = "pl.",
) -> OpSpec:
    """One op. `roles` names the operands of a family in order ("acc lhs rhs"); `prefix` is the DSL module."""
    namespace, _, short = name.rpartition(".")
    spelled = short + "_" if keyword.iskeyword(short) else short
    return OpSpec(
        name=name,
        spelling=f"{prefix}{namespace}.{spelled}",
        doc=doc,
        signature=signature,
        typing=typing,
        inputs=inputs,
        space=space,
        storage=storage or fresh(),
        inplace_safe=inplace_safe,
        forbid_output_alias=forbid_output_alias,
        effects=dict(effects or {}),
        writes_through=writes_through,
        access=access,
        unit=unit,
        pto=pto,
        families=frozenset(families),
        roles={role: index for index, role in enumerate(roles.split())},
        core=core,
        targets=targets,
        notes=notes,
    )


def rows_by_name(*tables: Iterable[OpSpec]) -> dict[str, OpSpec]:
    """All rows of some tables by IR name."""
    return {spec.name: spec for table in tables for spec in table}
