"""Ways through the IR, and rebuilding with other variables."""

from __future__ import annotations

from pto_analysis.ir.dtypes import BOOL, FP32, INDEX
from pto_analysis.ir.expr import Binary, Call, Const, Opaque, Tuple, Var
from pto_analysis.ir.stmt import Assign, Eval, For, If, IterArg, Return, Scope, Skipped, While, Yield
from pto_analysis.ir.types import MemRef, ScalarType, Space, TensorType, TensorView, TileType, TileView, TupleType
from pto_analysis.ir.walk import final_yield, statements, substitute, substitute_type, type_variables


def scalar(name: str) -> Var:
    return Var(name, ScalarType(INDEX))


x, y, z = scalar("x"), scalar("y"), scalar("z")
ONE = Const(1, INDEX)


def rename(var: Var) -> Var:
    return z if var is x else var


def test_variables_come_from_left_to_right_and_as_often_as_they_occur() -> None:
    call = Call(
        "tile.slice", (x, Tuple((y, ONE)), Binary("+", x, z, INDEX)), {"base": y, "ids": (z,)}, ScalarType(INDEX)
    )
    assert list(call.variables) == [x, y, x, z, y, z]
    assert list(Opaque("lambda", (x, y)).variables) == [x, y]


def test_substitution_reaches_operands_attributes_and_types() -> None:
    call = Call("tile.load", (x, Tuple((x, ONE))), {"slot": x, "other": 1}, TileType((x, 8), FP32))
    changed = substitute(call, rename)
    assert isinstance(changed, Call)
    assert list(changed.variables) == [z, z, z]
    assert changed.type == TileType((z, 8), FP32)
    assert changed.attrs["other"] == 1


def test_what_does_not_change_is_the_same_object() -> None:
    call = Call("tile.load", (y, Tuple((y, ONE))), {"slot": (y, 1)}, TileType((y, 8), FP32, Space.VEC))
    assert substitute(call, rename) is call
    assert substitute_type(call.type, rename) is call.type


def test_every_symbolic_part_of_a_type() -> None:
    tile = TileType((x, 8), FP32, Space.VEC, TileView(valid_shape=(y, 8)), MemRef("m", z, 4096, 3, x))
    tensor = TensorType((x, y), FP32, TensorView(valid_shape=(z, 1)))
    assert list(type_variables(tile)) == [x, y, z, x]
    assert list(type_variables(tensor)) == [x, y, z]
    assert list(type_variables(TupleType((tile, tensor)))) == [x, y, z, x, x, y, z]
    renamed = substitute_type(TupleType((tile, tensor)), rename)
    assert list(type_variables(renamed)) == [z, y, z, z, z, y, z]


def test_statements_in_program_order_outer_before_inner() -> None:
    first, second, third = Assign(x, ONE), Eval(Opaque("call")), Return((x,))
    branch = If(Binary("<", x, ONE, BOOL), (first,), (second,))
    loop = For("range", y, ONE, ONE, ONE, (branch,))
    assert list(statements((loop, third))) == [loop, branch, first, second, third]


def test_definitions_and_operands() -> None:
    arg, result = IterArg(y, x), z
    loop = For("range", x, ONE, ONE, ONE, (), (arg,), (result,))
    assert loop.definitions == (x, z, y)
    assert loop.operands == (ONE, ONE, ONE, x)
    again = While(Binary("<", y, ONE, BOOL), (), (arg,), (result,))
    assert again.definitions == (z, y)
    assert Skipped("try", (x,)).definitions == (x,)
    assert Scope("at", {}, (), y).definitions == (y,)


def test_a_final_yield_is_found_through_transparent_scopes_only() -> None:
    end = Yield((x,))
    assert final_yield((end,)) is end
    assert final_yield((Scope("scope", {}, (end,)),)) is end
    assert final_yield((Scope("at", {}, (end,)),)) is None
    assert final_yield(()) is None
    assert final_yield((end, Return(()))) is None
