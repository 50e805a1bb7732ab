"""Scalars of the tile IR in the arithmetic engine."""

from __future__ import annotations

from pto_analysis.arith.from_ir import IrScalars
from pto_analysis.arith.questions import interval, multiple_of, stays_in_block
from pto_analysis.ir.dtypes import INDEX, INT32
from pto_analysis.ir.expr import Binary, Cast, Const, Expr, Var
from pto_analysis.ir.stmt import For
from pto_analysis.ir.types import ScalarType


def var(name: str) -> Var:
    return Var(name, ScalarType(INDEX))


def const(value: int) -> Const:
    return Const(value, INDEX)


def binary(op: str, left: Expr, right: Expr) -> Binary:
    return Binary(op, left, right, INDEX)


def test_definitions_are_looked_up() -> None:
    b, half = var("b"), var("half")
    definitions: dict[Var, Expr] = {half: binary("//", b, const(2))}
    ir = IrScalars(definitions.get)
    offset = binary("*", half, const(64))
    assert multiple_of(ir.term(offset), 64, ir.scalars)
    assert not multiple_of(ir.term(offset), 128, ir.scalars)


def test_a_long_chain_of_definitions_does_not_recurse() -> None:
    chain = [var(f"v{i}") for i in range(5000)]
    definitions: dict[Var, Expr] = {chain[i]: binary("+", chain[i - 1], const(8)) for i in range(1, 5000)}
    definitions[chain[0]] = const(0)
    ir = IrScalars(definitions.get)
    assert interval(ir.term(chain[-1]), ir.scalars).single == 8 * 4999


def test_loop_variables_know_their_stride() -> None:
    i = var("i")
    ir = IrScalars()
    ir.loop(For("range", i, const(0), const(128), const(16), ()), "loop")
    assert multiple_of(ir.term(binary("+", i, const(32))), 16, ir.scalars)
    assert stays_in_block(ir.term(i), 16, 16, ir.scalars)
    assert not stays_in_block(ir.term(i), 17, 16, ir.scalars)
    values = interval(ir.term(i), ir.scalars)
    assert (values.lower, values.upper, values.modulus) == (0, 112, 16)


def test_casts_keep_what_fits() -> None:
    n = var("n")
    ir = IrScalars()
    ir.unknown(n)
    wide = Cast(binary("*", n, const(8)), INDEX)
    narrow = Cast(binary("*", n, const(8)), INT32)
    assert multiple_of(ir.term(wide), 8, ir.scalars)
    assert not multiple_of(ir.term(narrow), 8, ir.scalars)
