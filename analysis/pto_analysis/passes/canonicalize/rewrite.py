"""Rewriting the consumers of slices (seed: algorithm, phase 2).

One walk in program order. Every consumer gets its own extract; only a loop's initialiser hands its extract on to
the uses inside that loop.
"""

from __future__ import annotations

from pto_analysis.frontend.typed import constant_int
from pto_analysis.frozen import evolve, frozen
from pto_analysis.ir.expr import Call, Expr, Tuple, Var
from pto_analysis.ir.stmt import Assign, Block, Eval, For, If, IterArg, Return, Scope, Stmt, While, Yield
from pto_analysis.ir.types import Shape, Space
from pto_analysis.ir.walk import substitute, substitute_attributes, substitute_call, updated
from pto_analysis.passes.canonicalize.collect import Collected, SliceWindow, index_sum, value_origin
from pto_analysis.passes.canonicalize.compiler_proof import address_residue, is_contiguous, is_dynamic
from pto_analysis.passes.canonicalize.extract import extract_of_slice, folded, out_of_bounds
from pto_analysis.passes.canonicalize.result import Action, Rejection, Rewrite, Why
from pto_analysis.source.span import Origin

COL_EXPAND_OPS = frozenset(f"tile.col_expand_{name}" for name in ("mul", "add", "div", "sub", "max", "min", "expdif"))
"""The column expansions whose lowering copies a view operand into the view's own buffer."""

MATMUL_OPERANDS = {"tile.matmul": (0, 1), "tile.matmul_bias": (0, 1), "tile.matmul_acc": (1, 2)}
"""Positions of the left and the right operand."""


@frozen(eq=False)
class _Plan:
    """One operand to be replaced: by which slice, into which space, and why."""

    operand: int
    window: SliceWindow
    target: Space
    rule: str
    action: Action
    why: Why | None = None
    residue: int | None = None


@frozen(eq=False)
class _Consumer:
    """The statement a slice is taken out of, for the record."""

    name: str
    origin: Origin | None


class Rewriter:
    """Rewrites one body; `rewrites` and `rejection` tell what happened."""

    def __init__(self, collected: Collected) -> None:
        self.slices = collected.slices
        self.multiples = collected.multiples
        self.in_loop: dict[Var, Var] = {}
        self.rewrites: list[Rewrite] = []
        self.rejection: Rejection | None = None

    def block(self, block: Block) -> Block:
        out: list[Stmt] = []
        for stmt in block:
            out += self.statement(stmt)
        same = len(out) == len(block) and all(a is b for a, b in zip(out, block, strict=True))
        return block if same else tuple(out)

    def statement(self, stmt: Stmt) -> list[Stmt]:
        if isinstance(stmt, Assign):
            return self.assign(stmt)
        if isinstance(stmt, Eval):
            return self.eval(stmt)
        if isinstance(stmt, (For, While)):
            return self.loop(stmt)
        if isinstance(stmt, Yield):
            return self.yield_(stmt)
        if isinstance(stmt, If):
            condition, then, orelse = self.expr(stmt.condition), self.block(stmt.then), self.block(stmt.orelse)
            if condition is stmt.condition and then is stmt.then and orelse is stmt.orelse:
                return [stmt]
            return [updated(stmt, condition=condition, then=then, orelse=orelse)]
        if isinstance(stmt, Scope):
            attrs, body = substitute_attributes(stmt.attrs, self.renamed), self.block(stmt.body)
            return [stmt] if attrs is stmt.attrs and body is stmt.body else [updated(stmt, attrs=attrs, body=body)]
        if isinstance(stmt, Return) and self.in_loop:
            return [updated(stmt, values=tuple(map(self.expr, stmt.values)))]
        return [stmt]

    # Expressions: inside a loop whose initialiser was copied, the slice is read from the copy

    def renamed(self, var: Var) -> Expr:
        return self.in_loop.get(var, var)

    def expr(self, expr: Expr) -> Expr:
        return substitute(expr, self.renamed) if self.in_loop else expr

    def slice_at(self, expr: Expr) -> SliceWindow | None:
        return self.slices.get(expr) if isinstance(expr, Var) else None

    # Consumers

    def assign(self, stmt: Assign) -> list[Stmt]:
        value = self.expr(stmt.value)
        if value is not stmt.value:
            stmt = updated(stmt, value=value)
        if isinstance(value, Var):
            return [self.alias(stmt, value)]
        if not isinstance(value, Call):
            return [stmt]
        source = self.slice_at(value.args[0]) if value.op == "tile.extract" and len(value.args) == 4 else None
        if source is not None:
            return [updated(stmt, value=self.fold(value, source, value_origin(stmt)))]
        consumer = _Consumer(value.op, value_origin(stmt))
        plans = self.matmul(value) or self.col_expand(value) or self.unaligned(value)
        extracts, call = self.carry_out(value, plans, consumer)
        return [*extracts, updated(stmt, value=call)] if extracts else [stmt]

    def eval(self, stmt: Eval) -> list[Stmt]:
        """A bare call: only the alignment rule looks at it."""
        value = substitute_call(stmt.value, self.renamed) if self.in_loop else stmt.value
        if value is not stmt.value:
            stmt = updated(stmt, value=value)
        if not isinstance(value, Call):
            return [stmt]
        extracts, call = self.carry_out(value, self.unaligned(value), _Consumer(value.op, value_origin(stmt)))
        return [*extracts, updated(stmt, value=call)] if extracts else [stmt]

    def fold(self, call: Call, window: SliceWindow, origin: Origin | None) -> Call:
        row, col = index_sum(call.args[1], window.row), index_sum(call.args[2], window.col)
        new = folded(call, window, row, col)
        target = call.attrs.get("target_memory")
        plan = _Plan(0, window, target if isinstance(target, Space) else Space.VEC, "PTO101", "fold-extract")
        self.record(plan, new, _Consumer(call.op, origin))
        return new

    def alias(self, stmt: Assign, source: Var) -> Assign:
        window = self.slice_at(source)
        plan = None if window is None else self.alignment_plan(0, window, "alias")
        if plan is None:
            return stmt
        call = self.extract(plan, _Consumer("assignment", stmt.origin))
        return updated(stmt, value=call)

    def yield_(self, stmt: Yield) -> list[Stmt]:
        values = [self.expr(value) for value in stmt.values]
        extracts: list[Stmt] = []
        for position, value in enumerate(values):
            window = self.slice_at(value)
            plan = None if window is None else self.alignment_plan(position, window, "yield")
            if plan is not None:
                extracts.append(self.extract_statement(plan, _Consumer("yield", stmt.origin)))
                values[position] = _defined(extracts[-1])
        if not extracts and all(a is b for a, b in zip(values, stmt.values, strict=True)):
            return [stmt]
        return [*extracts, updated(stmt, values=tuple(values))]

    def loop(self, stmt: For | While) -> list[Stmt]:
        extracts: list[Stmt] = []
        handed_on: list[Var] = []
        for position, arg in enumerate(stmt.iter_args):
            init = self.expr(arg.init)
            window = self.slice_at(init)
            plan = None if window is None else self.alignment_plan(position, window, "loop-init")
            if plan is not None:
                extracts.append(self.extract_statement(plan, _Consumer("loop", stmt.origin)))
                self.in_loop[plan.window.var] = _defined(extracts[-1])
                handed_on.append(plan.window.var)
        new = self.loop_inside(stmt)
        for var in handed_on:
            del self.in_loop[var]
        return [*extracts, new]

    def loop_inside(self, stmt: For | While) -> For | While:
        args = tuple(self.iter_arg(arg) for arg in stmt.iter_args)
        if isinstance(stmt, While):
            condition, body = self.expr(stmt.condition), self.block(stmt.body)
            if condition is stmt.condition and body is stmt.body and _same_inits(args, stmt.iter_args):
                return stmt
            return updated(stmt, iter_args=args, condition=condition, body=body)
        body = self.block(stmt.body)
        return (
            stmt
            if body is stmt.body and _same_inits(args, stmt.iter_args)
            else updated(stmt, iter_args=args, body=body)
        )

    def iter_arg(self, arg: IterArg) -> IterArg:
        init = self.expr(arg.init)
        return arg if init is arg.init else updated(arg, init=init)

    # What a call needs

    def matmul(self, call: Call) -> list[_Plan]:
        """Mat slices as the left and right operand."""
        positions = MATMUL_OPERANDS.get(call.op)
        if positions is None or len(call.args) <= positions[1]:
            return []
        plans: list[_Plan] = []
        for position, target in zip(positions, (Space.LEFT, Space.RIGHT), strict=True):
            window = self.slice_at(call.args[position])
            if window is not None and window.is_mat:
                plans.append(_Plan(position, window, target, "PTO101", "matmul-operand"))
        return plans

    def col_expand(self, call: Call) -> list[_Plan]:
        """Vec slices whose copy into their own buffer would not be an identity copy, on either operand."""
        if call.op not in COL_EXPAND_OPS or len(call.args) != 2:
            return []
        plans: list[_Plan] = []
        for position, arg in enumerate(call.args):
            window = self.slice_at(arg)
            if window is None or not window.is_vector:
                continue
            if is_dynamic(window.row, window.col):
                plans.append(_Plan(position, window, Space.VEC, "PTO102", "col-expand-operand", "dynamic offset"))
            elif not is_contiguous(window.tile, window.base_tile):
                plans.append(_Plan(position, window, Space.VEC, "PTO103", "col-expand-operand", "not contiguous"))
        return plans

    def unaligned(self, call: Call) -> list[_Plan]:
        """Vec slices whose address is not provably a multiple of 32 bytes, on any operand of an ordinary call."""
        if call.op in ("tile.slice", "tile.extract"):
            return []
        found = ((position, self.slice_at(arg)) for position, arg in enumerate(call.args))
        plans = [self.alignment_plan(position, window, "aligned-operand") for position, window in found if window]
        return [plan for plan in plans if plan is not None]

    def alignment_plan(self, operand: int, window: SliceWindow, action: Action) -> _Plan | None:
        if not window.is_vector:
            return None
        residue = address_residue(window.base_tile, window.row, window.col, self.multiples)
        if residue == 0:
            return None
        why = "unprovable" if residue is None else "unaligned"
        return _Plan(operand, window, Space.VEC, "PTO104", action, why, residue)

    # Carrying out

    def carry_out(self, call: Call, plans: list[_Plan], consumer: _Consumer) -> tuple[list[Stmt], Call]:
        args = list(call.args)
        extracts: list[Stmt] = []
        for plan in plans:
            extracts.append(self.extract_statement(plan, consumer))
            args[plan.operand] = _defined(extracts[-1])
        return extracts, evolve(call, args=tuple(args)) if plans else call

    def extract_statement(self, plan: _Plan, consumer: _Consumer) -> Assign:
        call = self.extract(plan, consumer)
        var = Var(f"{plan.window.var.name}_textract", call.type, plan.window.var.origin)
        return Assign(var, call, consumer.origin)

    def extract(self, plan: _Plan, consumer: _Consumer) -> Call:
        call = extract_of_slice(plan.window, plan.target, consumer.origin)
        self.record(plan, call, consumer)
        return call

    def record(self, plan: _Plan, call: Call, consumer: _Consumer) -> None:
        window = plan.window
        self.rewrites.append(
            Rewrite(
                plan.rule,
                plan.action,
                window.var,
                window.base,
                call.args[1],
                call.args[2],
                _extent(call),
                plan.target,
                False,
                window.origin,
                consumer.origin,
                consumer.name,
                plan.operand,
                plan.why,
                plan.residue,
            )
        )
        fault = out_of_bounds(call)
        if fault is not None and self.rejection is None:
            self.rejection = Rejection(
                "out-of-bounds", fault.message, window.var, window.base, window.origin, consumer.origin
            )


def _defined(stmt: Stmt) -> Var:
    assert isinstance(stmt, Assign)
    return stmt.var


def _extent(extract: Call) -> Shape:
    shape = extract.args[3]
    items = shape.items if isinstance(shape, Tuple) else ()
    return tuple(dim if (value := constant_int(dim)) is None else value for dim in items)


def _same_inits(new: tuple[IterArg, ...], old: tuple[IterArg, ...]) -> bool:
    return all(a is b for a, b in zip(new, old, strict=True))
