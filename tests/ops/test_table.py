"""Every row of the op table is complete and consistent: signature, typing, storage, effects, unit, documentation."""

from __future__ import annotations

import pytest

from pto_analysis.ir.dtypes import DTYPES
from pto_analysis.ir.expr import Const, Var
from pto_analysis.ir.types import Space
from pto_analysis.ops import Bound, OpSpec, Refusal, bind, candidates, get, table
from pto_analysis.ops.binding import known_kinds
from pto_analysis.ops.deduce import deduce_row
from pto_analysis.ops.deduction.checks import known_checks
from pto_analysis.ops.deduction.rule_text import parse_rule
from pto_analysis.ops.deduction.whole import known_whole_rules
from pto_analysis.ops.docs import parameter_doc, signature_label
from pto_analysis.ops.signature import operand_names, parameters
from pto_analysis.ops.spec import Typing
from pto_analysis.ops.table.row import row
from tests.ops import test_cube, test_other_ops, test_tensor_ops, test_tile_elementwise, test_tile_memory
from tests.ops.dsl_reader import typed_statements
from tests.ops.notation import read_type, shown, typed_call
from tests.support.cases import load_cases

ROWS = list(table().values())
UNITS = ("V", "M", "S", "MTE1", "MTE2", "MTE3", "FIX", "ALL", "by-space", "none")
EFFECTS = ("R", "W", "RW", "cond")

every_row = pytest.mark.parametrize("spec", ROWS, ids=lambda spec: spec.name)


def test_the_table_has_the_ops_of_the_language() -> None:
    counts = {namespace: len([s for s in ROWS if s.namespace == namespace]) for namespace in ("tile", "tensor")}
    assert counts["tile"] >= 138
    assert counts["tensor"] >= 105
    assert all(get(spec.name) is spec for spec in ROWS)
    assert len({spec.spelling for spec in ROWS}) == len(ROWS)


@every_row
def test_signature(spec: OpSpec) -> None:
    params = parameters(spec.signature)
    assert len({p.name for p in params}) == len(params)
    optional = [p.default is not None for p in params if p.passing == "positional"]
    assert optional == sorted(optional), "a required parameter stands after an optional one"
    for param in params:
        kind = f"@{param.base_kind}" if param.is_attribute else param.base_kind
        assert kind in known_kinds()
        if not param.is_attribute and param.argument:
            assert param.argument.partition(",")[0] in {p.name for p in params}
        if param.default is not None and not param.is_attribute:
            assert param.default == "None" or param.default[1:] in operand_names(spec.signature)


@every_row
def test_typing(spec: OpSpec) -> None:
    typing = spec.typing
    assert {parse_rule(check).name for check in typing.checks} <= known_checks()
    assert typing.whole is None or typing.whole in known_whole_rules()
    assert typing.whole or typing.kind in ("tile", "tensor", "scalar", "unknown")


@every_row
def test_storage_and_effects(spec: OpSpec) -> None:
    operands = operand_names(spec.signature)
    if spec.storage.operand is None:
        assert spec.storage.relation in ("fresh", "none")
    else:
        assert spec.storage.relation in ("view", "reuse")
        assert spec.storage.operand < len(operands)
    assert all(i < len(operands) and effect in EFFECTS for i, effect in spec.effects.items())
    assert all(i < len(operands) for i in spec.forbid_output_alias)
    assert spec.reused_operand is None or spec.typing.kind == "unknown" or _is_written_or_renamed(spec)


def _is_written_or_renamed(spec: OpSpec) -> bool:
    """What a result is written into counts as written, unless the op touches no data."""
    return spec.access == "none" or spec.reused_operand in spec.effects or spec.namespace == "tensor"


@every_row
def test_spaces_and_unit(spec: OpSpec) -> None:
    names = {space.value for space in Space}
    operands = operand_names(spec.signature)
    variadic = any(p.passing == "rest" for p in parameters(spec.signature))
    assert variadic or len(spec.inputs.split()) <= len(operands)
    assert all(set(spec.input_spaces(i)) <= names for i in range(len(spec.inputs.split())))
    rule = parse_rule(spec.space) if spec.space else None
    assert rule is None or rule.name in {"attr", "inherit", *names}
    assert spec.unit in UNITS
    assert set(spec.roles.values()) <= set(range(len(operands)))


@every_row
def test_documentation(spec: OpSpec) -> None:
    assert spec.doc.endswith(".")
    assert spec.doc[0].isupper()
    for param in parameters(spec.signature):
        assert parameter_doc(param.name).endswith("."), param.name
    assert signature_label(spec).startswith(spec.spelling + "(")


@every_row
def test_the_spelling_leads_back_to_the_row(spec: OpSpec) -> None:
    assert spec in candidates(spec.spelling.removeprefix("pl."))


def test_every_named_rule_is_used() -> None:
    checks = {parse_rule(check).name for spec in ROWS for check in spec.typing.checks}
    assert checks == known_checks()
    assert {spec.typing.whole for spec in ROWS} - {None} == known_whole_rules()


def test_every_op_is_typed_somewhere() -> None:
    """In one of the tables of this folder, or with the compiler's own verdict."""
    modules = (test_cube, test_other_ops, test_tensor_ops, test_tile_elementwise, test_tile_memory)
    typed = [typed_call(operands, call) for module in modules for operands, call, _ in module.ROWS]
    typed += [each for case in load_cases("types") if case.status == "ok" for each in typed_statements(case.source)]
    seen = {each.op for each in typed if not isinstance(each.found, Refusal)}
    assert seen >= set(table()), sorted(set(table()) - seen)


def test_matmul_family_names_the_roles() -> None:
    for spec in ROWS:
        if spec.namespace == "tile" and "matmul" in spec.families:
            assert {"lhs", "rhs"} <= set(spec.roles)
            assert ("accumulate" in spec.families) == ("acc" in spec.roles)
            assert spec.space == "Acc"
            assert spec.unit == "M"
    foldable = {spec.name for spec in ROWS if "foldable" in spec.families}
    assert foldable == {"tile.matmul", "tile.matmul_acc", "tile.matmul_bias"}


def test_materialising_broadcasts() -> None:
    found = {spec.name.removeprefix("tile.col_expand_") for spec in ROWS if "col_expand_materialising" in spec.families}
    assert found == {"mul", "add", "div", "sub", "max", "min", "expdif"}


@pytest.mark.parametrize(
    ("name", "relation", "operand"),
    [
        ("tile.slice", "view", 0),
        ("tile.reshape", "view", 0),
        ("tile.set_validshape", "view", 0),
        ("tile.assemble", "view", 0),
        ("tile.transpose_view", "view", 0),
        ("tile.transpose", "fresh", None),
        ("tile.extract", "fresh", None),
        ("tile.matmul_acc", "reuse", 0),
        ("tile.store", "reuse", 2),
        ("tile.scatter", "reuse", 0),
        ("tile.mscatter", "reuse", 2),
        ("tile.read", "none", None),
    ],
)
def test_storage_relation(name: str, relation: str, operand: int | None) -> None:
    spec = get(name)
    assert spec is not None
    assert (spec.storage.relation, spec.shared_operand) == (relation, operand)
    assert (spec.viewed_operand, spec.reused_operand) == (
        operand if relation == "view" else None,
        operand if relation == "reuse" else None,
    )


def test_a_row_is_all_an_op_needs() -> None:
    """A new row alone gives the op its spelling, binding and type."""
    spec = row("tile.stretch", "Stretches.", "tile: tile, by: scalar(tile)", Typing(dtype="FP32"), space="Vec")
    bound = bind(spec, (Var("t", read_type("Vec FP16 [8, 16]")),), {"by": 2})
    assert isinstance(bound, Bound)
    assert bound.args[1] == Const(2.0, DTYPES["FP16"])
    typed = deduce_row(spec, bound.args, bound.attrs)
    assert not isinstance(typed, Refusal)
    assert shown(typed) == "Vec FP32 [8, 16]"
    assert spec.spelling == "pl.tile.stretch"


def test_defaults_of_a_row() -> None:
    spec = row("tile.twice", "Doubles.", "tile: tile", ROWS[0].typing, inputs="Vec|Acc -")
    assert row("tile.not", "Inverts.", "tile: tile", ROWS[0].typing).spelling == "pl.tile.not_"
    assert spec.input_spaces(0) == ("Vec", "Acc")
    assert spec.input_spaces(1) == ()
    assert spec.input_spaces(7) == ()
