"""Converts the body of one InCore function: entry loads, operations in place, exit stores.

Facts: hw-native-sys/pypto, transform `convert_tensor_to_tile_ops` (2026-08-21).
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import define

from pto_analysis.frozen import evolve, frozen
from pto_analysis.ir.expr import Call, Expr, Invoke, Opaque, Var, type_of
from pto_analysis.ir.function import Direction, Function, Param
from pto_analysis.ir.stmt import Assign, Block, Eval, Return, Stmt
from pto_analysis.ir.types import Space, TensorType, TileType
from pto_analysis.ir.walk import updated
from pto_analysis.passes.lowering.convert.assemble_loop import store_instead_of_assemble
from pto_analysis.passes.lowering.convert.bridge import bridged
from pto_analysis.passes.lowering.convert.demand import consumer_spaces, loaded_at_entry
from pto_analysis.passes.lowering.convert.memory import load_window
from pto_analysis.passes.lowering.convert.rules import PASSED_THROUGH, Conversion, conversions
from pto_analysis.passes.lowering.convert.scalar_fill import fill_by_tiles
from pto_analysis.passes.lowering.emit import Emitter, because
from pto_analysis.passes.lowering.notes import LoweringNote, Refused
from pto_analysis.passes.lowering.retyping import Retyping
from pto_analysis.passes.lowering.tree import base_name, index_tuple, is_unknown
from pto_analysis.passes.ssa.names import is_unnamed
from pto_analysis.toolchain import Toolchain

STAGE = "lowered"


@frozen
class Converted:
    function: Function
    notes: tuple[LoweringNote, ...] = ()


def convert_tensors(function: Function, toolchain: Toolchain) -> Converted:
    """The function in tile operations. What cannot be converted stays and is noted."""
    table = conversions(toolchain)
    body = fill_by_tiles(function.body, function.params)
    converter = _Converter(table, consumer_spaces(body, table))
    entry = _entry_loads(function, body, table, converter)
    statements = [*entry, *converter.block(tuple(stmt for stmt in body if not isinstance(stmt, Return)))]
    final = next((stmt for stmt in body if isinstance(stmt, Return)), Return((), function.origin))
    finished = _exit_stores(function, final, statements, converter)
    return Converted(finished, tuple(converter.notes))


def tile_name(name: str) -> str:
    """A value that was a tensor keeps its author's name, with its new role; one without a name stays without."""
    return f"{name if is_unnamed(name) else base_name(name)}__tile"


@define
class _Converter(Retyping):
    table: Mapping[str, Conversion]
    wanted: Mapping[Var, Space]

    def assign(self, stmt: Assign) -> Block:
        value = self.expression(stmt.value)
        conversion = self.table.get(value.op) if isinstance(value, Call) else None
        if not isinstance(value, Call) or conversion is None:
            self._check_passed_through(value)
            var = self.define(stmt.var, type_of(value)) if _changes_kind(stmt.value, value) else stmt.var
            return (updated(stmt, var=var, value=value),)
        emit = Emitter(value.origin or stmt.origin)
        result = self._converted(emit, value, conversion, stmt.var)
        if isinstance(result, Refused):
            self.notes.append(result.note(STAGE, value))
            return (updated(stmt, value=value),)
        var = Var(tile_name(stmt.var.name), type_of(result), stmt.var.origin)
        self.values[stmt.var] = var
        return (*emit.statements, Assign(var, result, stmt.origin))

    def _converted(self, emit: Emitter, call: Call, conversion: Conversion, var: Var | None) -> Expr | Refused:
        if any(is_unknown(arg) for arg in call.args):
            return Refused("an operand's type is not known", "unknown")
        source = type_of(call.args[0]) if call.args else None
        space = self.wanted.get(var) if var is not None else None
        if call.op == "tensor.slice" and space is not None and var is not None and isinstance(source, TensorType):
            return load_window(emit, call, source, space, f"{tile_name(var.name)}_full_rank")
        return conversion.convert(emit, bridged(emit, call, conversion.spaces))

    def evaluate(self, stmt: Eval) -> Block:
        value = self.expression(stmt.value)
        conversion = self.table.get(value.op) if isinstance(value, Call) else None
        if not isinstance(value, Call) or conversion is None:
            return (updated(stmt, value=value),) if isinstance(value, (Call, Invoke, Opaque)) else (stmt,)
        emit = Emitter(value.origin or stmt.origin)
        result = self._converted(emit, value, conversion, None)
        if isinstance(result, Refused):
            self.notes.append(result.note(STAGE, value))
            return (evolve(stmt, value=value),)
        ending = (Eval(result, stmt.origin),) if isinstance(result, (Call, Invoke, Opaque)) else ()
        return (*emit.statements, *ending)

    def _check_passed_through(self, value: Expr) -> None:
        if isinstance(value, Call) and value.op.startswith("tensor.") and value.op not in PASSED_THROUGH:
            self.notes.append(Refused("has no tile form").note(STAGE, value))


def _changes_kind(old: Expr, new: Expr) -> bool:
    return new is not old and type_of(new) != type_of(old)


def _entry_loads(function: Function, body: Block, table: Mapping[str, Conversion], converter: _Converter) -> list[Stmt]:
    used = loaded_at_entry(body, table)
    loads: list[Stmt] = []
    for param in function.params:
        kind = param.var.type
        if param.var not in used or not isinstance(kind, TensorType):
            continue
        emit = Emitter(function.origin or param.var.origin)
        why = "the compiler loads this parameter whole"
        load = emit.load(param.var, (0,) * len(kind.shape), kind.shape, None, Space.VEC, why=why)
        converter.values[param.var] = emit.name(tile_name(param.var.name), load)
        loads += emit.statements
    return loads


def _exit_stores(function: Function, final: Return, statements: list[Stmt], converter: _Converter) -> Function:
    """A returned value that became a tile leaves through a parameter that the compiler adds."""
    params = list(function.params)
    values: list[Expr] = []
    added = 0
    for value, declared in zip(final.values, function.returns, strict=False):
        result = converter.expression(value)
        if not isinstance(type_of(result), TileType) or not isinstance(declared, TensorType):
            values.append(result)
            continue
        origin = because(final.origin, "the compiler adds a parameter for this result")
        out = Var(f"ret{added}__out", declared, origin)
        params.append(Param(out, Direction.OUT))
        through_loop = store_instead_of_assemble(statements, result, out)
        if through_loop is not None:
            statements[:] = through_loop.statements
            values.append(through_loop.result)
        else:
            values.append(_stored(result, out, added, final, statements))
        added += 1
    body = (*statements, evolve(final, values=tuple(values)))
    return evolve(function, params=tuple(params), returns=tuple(type_of(value) for value in values), body=body)


def _stored(tile: Expr, out: Var, number: int, final: Return, statements: list[Stmt]) -> Var:
    emit = Emitter(final.origin, "the compiler stores this result")
    kind = type_of(tile)
    rank = len(kind.shape) if isinstance(kind, TileType) else 0
    store = emit.call("tile.store", tile, index_tuple((0,) * rank), out)
    stored = emit.name(f"ret{number}__store", store)
    statements += emit.statements
    return stored
