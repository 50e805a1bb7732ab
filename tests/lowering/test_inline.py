"""Inline functions and helpers take the place of their calls, also across files."""

from __future__ import annotations

from pto_analysis.ir import walk
from pto_analysis.ir.stmt import Assign
from pto_analysis.passes.lowering import lower_own
from pto_analysis.toolchain import Toolchain
from tests.lowering.reading import KERNEL, lower_all, modules, operations

_HELPERS = """
import pypto.language as pl

N = pl.dynamic("N")


@pl.jit.inline
def scaled(x: pl.Tensor[[16, 64], pl.FP32]):
    y = pl.mul(x, 2.0)
    return y


@pl.jit.inline
def stage(x: pl.Tensor[[N, 64], pl.FP32], out: pl.Out[pl.Tensor[[N, 64], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="stage"):
        out[0:16, :] = pl.exp(x[0:16, :])
    return out


@pl.jit.inline
def twice(x: pl.Tensor[[16, 64], pl.FP32]):
    return twice(x)


@pl.jit.inline
def pair(x: pl.Tensor[[16, 64], pl.FP32]):
    return pl.neg(x), pl.abs(x)
"""

_MAIN = """
import pypto.language as pl
from helpers import {names}


@pl.jit
def main(a: pl.Tensor[[16, 64], pl.FP32], out: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
{body}
    return out
"""


def _main(names: str, body: str) -> str:
    lines = "\n".join(f"    {line}" for line in body.strip().splitlines())
    return _MAIN.replace("{names}", names).replace("{body}", lines)


def test_a_helper_is_part_of_its_callers_region() -> None:
    text = _main("scaled", "with pl.at(level=pl.Level.CORE_GROUP):\n    out[:, :] = pl.exp(scaled(a))")
    other = _main("scaled", "with pl.at(level=pl.Level.CORE_GROUP):\n    y = scaled(a)\n    out[:, :] = pl.exp(y)")
    function = lower_all(other, helpers=_HELPERS)["main_incore_0"]
    assert operations(function.lowered) == ["load", "muls", "exp", "store"]
    (note,) = lower_all(text, helpers=_HELPERS)["main_incore_0"].notes[:1]
    assert note.op == "scaled"


def test_code_of_another_file_stands_at_its_call() -> None:
    text = _main("scaled", "with pl.at(level=pl.Level.CORE_GROUP):\n    y = scaled(a)\n    out[:, :] = y")
    function = lower_all(text, helpers=_HELPERS)["main_incore_0"].lowered
    product = next(
        stmt.value
        for stmt in walk.statements(function.body)
        if isinstance(stmt, Assign) and "tile.muls" in repr(stmt.value)
    )
    assert product.origin is not None
    assert product.origin.reason == "written in the inline function scaled"


def test_two_calls_have_variables_of_their_own() -> None:
    body = "with pl.at(level=pl.Level.CORE_GROUP):\n    x = scaled(a)\n    y = scaled(x)\n    out[:, :] = y"
    function = lower_all(_main("scaled", body), helpers=_HELPERS)["main_incore_0"]
    assert operations(function.lowered) == ["load", "muls", "muls", "store"]


def test_several_results_are_the_values_themselves() -> None:
    body = "with pl.at(level=pl.Level.CORE_GROUP):\n    x, y = pair(a)\n    out[:, :] = pl.add(x, y)"
    function = lower_all(_main("pair", body), helpers=_HELPERS)["main_incore_0"]
    assert operations(function.lowered) == ["load", "neg", "abs", "add", "store"]


def test_a_helper_that_calls_itself_is_noted() -> None:
    body = "with pl.at(level=pl.Level.CORE_GROUP):\n    x = twice(a)\n    out[:, :] = pl.neg(a)"
    function = lower_all(_main("twice", body), helpers=_HELPERS)["main_incore_0"]
    assert any("itself" in note.why for note in function.notes)


def test_regions_of_inline_functions_know_where_they_are_written() -> None:
    text = _main("stage", "out = stage(a, out)\nout = stage(out, out)")
    functions = lower_all(text, helpers=_HELPERS)
    assert list(functions) == ["stage", "stage_0"]
    assert {function.written_in for function in functions.values()} == {"stage"}
    assert operations(functions["stage"].lowered) == ["load", "exp", "store"]


def test_a_unit_is_asked_for_its_own_regions_alone() -> None:
    workspace = modules(_main("stage", "out = stage(a, out)"), helpers=_HELPERS)
    (unit,) = workspace.read(KERNEL).units
    assert lower_own([facts.function for facts in unit.functions], Toolchain(), workspace.called) == ()
    own = [
        function.name
        for unit in workspace.read("/project/helpers.py").units
        for function in lower_own([facts.function for facts in unit.functions], Toolchain(), workspace.called)
    ]
    assert own == ["stage"]
