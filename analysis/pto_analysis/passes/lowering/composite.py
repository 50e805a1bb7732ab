"""Sine and cosine of tiles are spelled out: reduction to half a period, a sign, a polynomial.

Facts: hw-native-sys/pypto, `lower_composite_ops` (2026-08-21): the order of the operations and the numbers, which are
those of the CANN library. Collective operations over several cards stay as they are.
"""

from __future__ import annotations

import struct

from attrs import define

from pto_analysis.frozen import evolve
from pto_analysis.ir.dtypes import FP32, INT32
from pto_analysis.ir.expr import Call, Const, Expr, Var
from pto_analysis.ir.function import Function
from pto_analysis.ir.stmt import Assign, Block, For, If, Scope, Stmt, While
from pto_analysis.passes.lowering.emit import Emitter
from pto_analysis.passes.lowering.tree import map_block, map_inner

NONE, RINT, ROUND, FLOOR = "none", "rint", "round", "floor"

_INVERSE_PI = 0.31830988732818603515625
_PI_PARTS = (
    3.140625,
    0.0009670257568359375,
    6.2771141529083251953125e-7,
    1.21644916362129151821e-10,
    -1.0290623200529979163e-13,
)
_HALF_PI = (1.57079637050628662109375, -4.371139000189375e-8)
_POLYNOMIAL = (2.604926501e-6, -1.980894471e-4, 8.333049340e-3, -1.666665792e-1)
_WHY = {
    "tile.sin": "a sine is spelled out as a reduction to half a period and a polynomial",
    "tile.cos": "a cosine is spelled out as a reduction to half a period and a polynomial",
}


def lower_composites(function: Function) -> Function:
    return evolve(function, body=_block(function.body))


def _block(block: Block) -> Block:
    return map_block(block, _statement)


def _statement(stmt: Stmt) -> Block:
    if isinstance(stmt, (If, For, While, Scope)):
        return (map_inner(stmt, _block),)
    call = stmt.value if isinstance(stmt, Assign) else None
    if not isinstance(stmt, Assign) or not isinstance(call, Call) or call.op not in _WHY:
        return (stmt,)
    steps = _Steps(Emitter(call.origin, _WHY[call.op]))
    value = _wave(steps, call.args[0], cosine=call.op == "tile.cos")
    return (*steps.emit.statements, evolve(stmt, value=value))


def single(value: float) -> Const:
    """A number as a single-precision literal holds it."""
    return Const(struct.unpack("f", struct.pack("f", value))[0], FP32)


@define
class _Steps:
    emit: Emitter

    def times(self, name: str, value: Expr, factor: float) -> Var:
        return self.emit.bind(name, "tile.muls", value, single(factor))

    def plus(self, name: str, value: Expr, amount: float) -> Var:
        return self.emit.bind(name, "tile.adds", value, single(amount))

    def apply(self, name: str, op: str, left: Expr, right: Expr) -> Var:
        return self.emit.bind(name, f"tile.{op}", left, right)

    def whole(self, names: tuple[str, str], value: Expr, mode: str) -> Var:
        """The value rounded to a whole number, as a float again."""
        attrs = {"target_type": INT32, "mode": mode}
        number = self.emit.bind(names[0], "tile.cast", value, attrs=attrs)
        return self.emit.bind(names[1], "tile.cast", number, attrs={"target_type": FP32, "mode": NONE})


def _wave(steps: _Steps, x: Expr, *, cosine: bool) -> Call:
    periods = steps.times("pi_inv_x", x, _INVERSE_PI)
    if cosine:
        half = steps.whole(("k_i", "k_f"), steps.plus("k_pre", periods, 0.5), RINT)
    else:
        half = steps.whole(("k_i", "k_f"), periods, ROUND)
    rest = _reduced(steps, x, half, cosine=cosine)
    sign = _sign(steps, half)
    polynomial = _horner(steps, steps.apply("t2sq", "mul", rest, rest))
    return steps.emit.call("tile.mul", sign, steps.apply("t_p", "mul", rest, polynomial))


def _reduced(steps: _Steps, x: Expr, half: Var, *, cosine: bool) -> Var:
    """What is left of x after whole half periods; pi is taken in parts, so that no bits are lost."""
    names = ("k_pi_v2", "k_pi_c1", "k_pi_c2", "k_pi_c3", "k_pi_c4")
    rest = x
    for position, (name, part) in enumerate(zip(names, _PI_PARTS, strict=True)):
        product = steps.times(name, half, part)
        rest = steps.apply(f"t{position}", "sub", rest, product)
        if cosine and position == 1:
            rest = steps.plus("t1h", rest, _HALF_PI[0])
    if cosine:
        rest = steps.plus("t4t", rest, _HALF_PI[1])
    assert isinstance(rest, Var)
    return rest


def _sign(steps: _Steps, half: Var) -> Var:
    """Minus one to the power of the number of half periods, without a branch."""
    pairs = steps.whole(("floor_hk_i", "floor_hk_f"), steps.times("half_k", half, 0.5), FLOOR)
    four = steps.times("floor_x4", pairs, 4.0)
    minus = steps.times("neg2_k", half, -2.0)
    return steps.plus("sign", steps.apply("sign_pre", "add", four, minus), 1.0)


def _horner(steps: _Steps, square: Var) -> Var:
    value = steps.times("p_r0", square, _POLYNOMIAL[0])
    for position, coefficient in enumerate(_POLYNOMIAL[1:], start=1):
        value = steps.plus(f"p_r{position}", value, coefficient)
        value = steps.apply(f"p_t2_r{position}", "mul", value, square)
    return steps.plus("p_one", value, 1.0)
