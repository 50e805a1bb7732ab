"""Where every tile lies: spaces are inferred, and a value that is wanted elsewhere is moved there.

Facts: hw-native-sys/pypto, `infer_tile_memory_space` (2026-08-21; reference: DSL section f.6). Its last step,
which keeps loads out of loops, needs a tensor that the caller has just created and is not part of this stage.
"""

from __future__ import annotations

from collections.abc import Mapping

from attrs import define, field

from pto_analysis.frozen import evolve
from pto_analysis.ir import walk
from pto_analysis.ir.expr import Call, Expr, Invoke, Opaque, Var, type_of
from pto_analysis.ir.function import Function
from pto_analysis.ir.stmt import Assign, Block, Eval, For, If, Return, Scope, Stmt, While, Yield
from pto_analysis.ir.types import Layout, Space, TileType, Type
from pto_analysis.ir.views import effective_view, implicit_view, normalised
from pto_analysis.ir.walk import updated
from pto_analysis.passes.lowering.emit import Emitter, make_call
from pto_analysis.passes.lowering.spaces import RETARGETABLE, allowed_spaces, inherits_space
from pto_analysis.passes.lowering.tree import call_of, substitute

Spaces = Mapping[Var, Space]
Move = tuple[Var, Space]


def place(function: Function) -> Function:
    """The function with a space for every tile, and `tile.move`s where an operation wants another one."""
    carried = frozenset(
        item.var for stmt in walk.statements(function.body) if isinstance(stmt, (For, While)) for item in stmt.iter_args
    )
    spaces = _Inference(_demands(function.body, carried), carried).run(function.body)
    if not spaces:
        return function
    mover = _Mover(spaces, carried, _needed_moves(function.body, spaces, carried))
    return evolve(function, body=mover.block(function.body))


def is_tile(var: Var) -> bool:
    return isinstance(var.type, TileType)


# What consumers ask for


def _demands(body: Block, carried: frozenset[Var]) -> Spaces:
    wanted: dict[Var, Space] = {}
    edges: list[Move | tuple[Var, Var]] = []
    for stmt in walk.statements(body):
        call = call_of(stmt)
        if call is None:
            continue
        for position, arg in enumerate(call.args):
            allowed = allowed_spaces(call.op, position)
            if allowed and isinstance(arg, Var) and arg not in carried:
                _want(wanted, arg, allowed[0])
        if isinstance(stmt, Assign) and inherits_space(call.op):
            source = next((arg for arg in call.args if isinstance(arg, Var) and is_tile(arg)), None)
            if source is not None:
                edges.append((stmt.var, source))
    for result, source in reversed(edges):
        if result in wanted and isinstance(source, Var):
            _want(wanted, source, wanted[result])
    return wanted


def _want(wanted: dict[Var, Space], var: Var, space: Space) -> None:
    if var not in wanted or (wanted[var] is Space.VEC and space is not Space.VEC):
        wanted[var] = space


# Where each tile is


@define
class _Inference:
    demands: Spaces
    carried: frozenset[Var]
    spaces: dict[Var, Space] = field(factory=dict[Var, Space])

    def run(self, block: Block) -> Spaces:
        for stmt in block:
            self._statement(stmt)
        return self.spaces

    def _statement(self, stmt: Stmt) -> None:
        if isinstance(stmt, Assign):
            self._assign(stmt)
        elif isinstance(stmt, For):
            self._loop(stmt)
        else:
            for inner in stmt.blocks:
                self.run(inner)
            if isinstance(stmt, If):
                self._merge(stmt)

    def _assign(self, stmt: Assign) -> None:
        if not is_tile(stmt.var):
            return
        if isinstance(stmt.value, Call):
            self.spaces[stmt.var] = self._of_call(stmt.value, stmt.var)
        elif isinstance(stmt.value, Var) and stmt.value in self.spaces:
            self.spaces[stmt.var] = self.spaces[stmt.value]

    def _of_call(self, call: Call, var: Var) -> Space:
        if not call.op.startswith("tile."):
            return Space.VEC
        if inherits_space(call.op):
            return self._inherited(call) or Space.VEC
        target = call.attrs.get("target_memory")
        if isinstance(target, Space):
            return target
        demand = self.demands.get(var)
        if call.op in RETARGETABLE:
            return demand if demand in (Space.VEC, Space.MAT) else self._inherited(call) or Space.VEC
        kind = call.type
        return kind.space if isinstance(kind, TileType) and kind.space is not None else Space.VEC

    def _inherited(self, call: Call) -> Space | None:
        return next((self.spaces[arg] for arg in call.args if isinstance(arg, Var) and arg in self.spaces), None)

    def _known(self, value: Expr) -> Space | None:
        if not isinstance(value, Var):
            return None
        annotated = value.type.space if isinstance(value.type, TileType) else None
        return self.spaces.get(value, annotated)

    def _loop(self, loop: For) -> None:
        for item in loop.iter_args:
            space = self._known(item.init)
            if is_tile(item.var) and space is not None:
                self.spaces[item.var] = space
        self.run(loop.body)
        end = walk.final_yield(loop.body)
        values = end.values if end is not None else ()
        for position, (result, value) in enumerate(zip(loop.return_vars, values, strict=False)):
            space = None if value in self.carried else self._known(value)
            if is_tile(result) and space is not None:
                self._carry(loop, position, result, space)

    def _carry(self, loop: For, position: int, result: Var, space: Space) -> None:
        """What is carried lies where the loop's own value lies, from its first value on."""
        self.spaces[result] = space
        if position < len(loop.iter_args):
            item = loop.iter_args[position]
            self.spaces[item.var] = space
            if isinstance(item.init, Var) and is_tile(item.init) and item.init not in self.carried:
                self.spaces[item.init] = space

    def _merge(self, branch: If) -> None:
        ends = [end for block in (branch.then, branch.orelse) if (end := walk.final_yield(block)) is not None]
        for position, result in enumerate(branch.return_vars):
            if not isinstance(result.type, TileType):
                continue
            found = {self._known(end.values[position]) for end in ends if position < len(end.values)} - {None}
            if len(found) == 1:
                (space,) = found
                assert space is not None
                self.spaces[result] = space
            elif not found and result.type.space is not None:
                self.spaces[result] = result.type.space


# Moves


def _needed_moves(body: Block, spaces: Spaces, carried: frozenset[Var]) -> frozenset[Move]:
    needed: set[Move] = set()
    for stmt in walk.statements(body):
        call = call_of(stmt)
        if call is None:
            continue
        for position, arg in enumerate(call.args):
            allowed = allowed_spaces(call.op, position)
            movable = isinstance(arg, Var) and arg not in carried
            if allowed and isinstance(arg, Var) and movable and spaces.get(arg, allowed[0]) not in allowed:
                needed.add((arg, allowed[0]))
    return frozenset(needed)


@define
class _Mover:
    """Rewrites a function with its spaces; a move serves the rest of its block and the blocks inside."""

    spaces: Spaces
    carried: frozenset[Var]
    needed: frozenset[Move]
    values: dict[Var, Expr] = field(factory=dict[Var, Expr])
    moved: dict[Move, Var] = field(factory=dict[Move, Var])

    def block(self, block: Block) -> Block:
        made: list[Move] = []
        result: list[Stmt] = []
        for stmt in block:
            if len(block) > 1:
                result += self._moves_before(stmt, made)
            result.append(self._statement(stmt))
        for key in made:
            del self.moved[key]
        return tuple(result)

    def define(self, var: Var) -> Var:
        known = self.values.get(var)
        if isinstance(known, Var):
            return known
        kind = self._placed(var)
        if kind == var.type:
            return var
        fresh = evolve(var, type=kind)
        self.values[var] = fresh
        return fresh

    def _placed(self, var: Var) -> Type:
        space = self.spaces.get(var)
        kind = var.type
        if not isinstance(kind, TileType) or space is None or kind.space is space:
            return kind
        layout = implicit_view(kind.shape, space)
        view = evolve(effective_view(kind), blayout=layout.blayout, slayout=layout.slayout, fractal=layout.fractal)
        return normalised(evolve(kind, space=space, view=view))

    def expression(self, expr: Expr) -> Expr:
        if isinstance(expr, Var):
            return self.define(expr)
        for var in expr.variables:
            self.define(var)
        return substitute(expr, self.values)

    def _moves_before(self, stmt: Stmt, made: list[Move]) -> list[Stmt]:
        call = call_of(stmt)
        if call is None or not self.needed:
            return []
        emit = Emitter(call.origin or stmt.origin)
        for position, arg in enumerate(call.args):
            allowed = allowed_spaces(call.op, position)
            if not allowed or not isinstance(arg, Var) or arg in self.carried:
                continue
            key = (arg, allowed[0])
            if key in self.needed and key not in self.moved:
                self.moved[key] = self._move(emit, arg, allowed[0])
                made.append(key)
        return emit.statements

    def _move(self, emit: Emitter, var: Var, space: Space) -> Var:
        source = self.define(var)
        attrs: dict[str, object] = {"target_memory": space}
        if self.spaces.get(var) is Space.ACC and space is Space.VEC:
            attrs |= {"blayout": Layout.ROW_MAJOR, "slayout": Layout.NONE_BOX}
        why = f"the next operation takes this value from {space.value}"
        return emit.bind(f"{source.name}_{space.value}", "tile.move", source, attrs=attrs, why=why)

    def _statement(self, stmt: Stmt) -> Stmt:
        if isinstance(stmt, Assign):
            return self._assign(stmt)
        if isinstance(stmt, Eval):
            value = self._call(stmt.value) if isinstance(stmt.value, Call) else self.expression(stmt.value)
            return updated(stmt, value=value) if isinstance(value, (Call, Invoke, Opaque)) else stmt
        if isinstance(stmt, (Yield, Return)):
            return updated(stmt, values=tuple(self.expression(value) for value in stmt.values))
        if isinstance(stmt, (For, While)):
            return self._loop(stmt)
        if isinstance(stmt, If):
            condition = self.expression(stmt.condition)
            then, orelse = self.block(stmt.then), self.block(stmt.orelse)
            results = tuple(self.define(result) for result in stmt.return_vars)
            return updated(stmt, condition=condition, then=then, orelse=orelse, return_vars=results)
        if isinstance(stmt, Scope):
            return updated(stmt, body=self.block(stmt.body))
        return stmt

    def _loop(self, loop: For | While) -> Stmt:
        inits = [self.expression(item.init) for item in loop.iter_args]
        carried = tuple(
            updated(item, var=self.define(item.var), init=init)
            for item, init in zip(loop.iter_args, inits, strict=True)
        )
        if isinstance(loop, For):
            start, stop, step = (self.expression(bound) for bound in (loop.start, loop.stop, loop.step))
            loop = updated(loop, start=start, stop=stop, step=step)
        else:
            loop = updated(loop, condition=self.expression(loop.condition))
        body = self.block(loop.body)
        results = tuple(self.define(result) for result in loop.return_vars)
        return updated(loop, iter_args=carried, body=body, return_vars=results)

    def _assign(self, stmt: Assign) -> Stmt:
        value = self._call(stmt.value) if isinstance(stmt.value, Call) else self.expression(stmt.value)
        if isinstance(value, Call):
            value = self._retargeted(value, stmt.var)
        var = self.define(stmt.var)
        kind = type_of(value)
        if isinstance(value, Call) and isinstance(kind, TileType) and isinstance(var.type, TileType):
            placed = TileType(kind.shape, kind.dtype, var.type.space, kind.view, kind.memref or var.type.memref)
            var = Var(var.name, placed, var.origin)
            self.values[stmt.var] = var
        return updated(stmt, var=var, value=value)

    def _call(self, call: Call) -> Call:
        args: list[Expr] = []
        for position, arg in enumerate(call.args):
            allowed = allowed_spaces(call.op, position) if self.moved and isinstance(arg, Var) else ()
            moved = self.moved.get((arg, allowed[0])) if allowed and isinstance(arg, Var) else None
            args.append(self.expression(arg) if moved is None else moved)
        if all(new is old for new, old in zip(args, call.args, strict=True)):
            return call
        if not call.op.startswith("tile."):
            return call.with_parts(tuple(args))
        return make_call(call.op, tuple(args), call.attrs, call.origin)

    def _retargeted(self, call: Call, var: Var) -> Call:
        """A load or a fresh tile is made where it is wanted."""
        space = self.spaces.get(var)
        kind = call.type
        if call.op not in RETARGETABLE or space is None or not isinstance(kind, TileType):
            return call
        if call.attrs.get("target_memory") is space:
            return call
        placed = normalised(evolve(kind, space=space, view=implicit_view(kind.shape, space)))
        return evolve(call, attrs={**call.attrs, "target_memory": space}, type=placed)
