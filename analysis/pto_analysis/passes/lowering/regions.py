"""Which parts of an orchestration function run on a core, in one form: `Scope("incore")`.

`with pl.at(level=pl.Level.CORE_GROUP)`, `for i in pl.spmd(n)` and an inline `with pl.spmd(n)` become such scopes
before SSA conversion, because the compiler carries values through them as through plain statements, not as through
loops (reference: DSL section a.3).
"""

from __future__ import annotations

from collections.abc import Mapping

from pto_analysis.frozen import evolve
from pto_analysis.ir import walk
from pto_analysis.ir.dtypes import INDEX
from pto_analysis.ir.expr import Call, Var
from pto_analysis.ir.function import Function
from pto_analysis.ir.stmt import Assign, Block, For, If, Scope, Stmt, While
from pto_analysis.ir.types import ScalarType
from pto_analysis.ir.walk import updated
from pto_analysis.passes.lowering.tree import calls
from pto_analysis.source.span import Origin

INCORE = "incore"
"""The kind of a scope whose body is outlined into a function of its own."""

_SPMD_SUFFIX = "_spmd"


def mark_regions(function: Function) -> Function:
    return evolve(function, body=_block(function.body))


def has_region(function: Function) -> bool:
    return any(isinstance(stmt, Scope) and stmt.kind == INCORE for stmt in walk.statements(function.body))


def holds_region(body: Block) -> bool:
    """Whether a region stands anywhere in code that is not marked yet."""
    return any(
        (isinstance(stmt, Scope) and (is_core_group(stmt) or stmt.kind in (INCORE, "spmd")))
        or (isinstance(stmt, For) and stmt.kind == "spmd")
        for stmt in walk.statements(body)
    )


def is_core_group(scope: Scope) -> bool:
    """`with pl.at(level=pl.Level.CORE_GROUP, …)`; any other level makes a function of the hierarchy."""
    return scope.kind == "at" and _last_word(scope.attrs.get("level")) == "CORE_GROUP"


def name_hint(scope: Scope) -> str | None:
    hint = scope.attrs.get("name_hint")
    return hint if isinstance(hint, str) and hint else None


def _last_word(value: object) -> str:
    named = getattr(value, "name", value)
    return str(named).rsplit(".", 1)[-1]


def _block(block: Block) -> Block:
    return tuple(_statement(stmt) for stmt in block)


def _statement(stmt: Stmt) -> Stmt:
    if isinstance(stmt, If):
        return updated(stmt, then=_block(stmt.then), orelse=_block(stmt.orelse))
    if isinstance(stmt, While):
        return updated(stmt, body=_block(stmt.body))
    if isinstance(stmt, For):
        return _loop(stmt)
    if isinstance(stmt, Scope):
        return _scope(stmt)
    return stmt


def _loop(loop: For) -> Stmt:
    if loop.kind == "spmd":
        body = (_bound(loop.var, "tile.get_block_idx", loop.origin), *loop.body)
        return Scope(INCORE, _inner_hint(loop.attrs), body, None, loop.origin)
    if loop.kind == "split_aiv":
        body = (_bound(loop.var, "tile.get_subblock_idx", loop.origin), *_block(loop.body))
        return Scope("split_aiv", loop.attrs, body, None, loop.origin)
    return updated(loop, body=_block(loop.body))


def _bound(var: Var, op: str, origin: Origin | None) -> Stmt:
    return Assign(var, Call(op, (), {}, ScalarType(INDEX), origin), origin)


def _scope(scope: Scope) -> Stmt:
    if is_core_group(scope):
        return updated(scope, kind=INCORE)
    if scope.kind == "spmd" and (_reads_block_index(scope.body) or scope.attrs.get("optimizations")):
        return Scope(INCORE, _inner_hint(scope.attrs), scope.body, None, scope.origin)
    return updated(scope, body=_block(scope.body))


def _reads_block_index(body: Block) -> bool:
    for stmt in walk.statements(body):
        if isinstance(stmt, Scope) and is_core_group(stmt):
            return False
        for operand in stmt.operands:
            if any(call.op.endswith(".get_block_idx") for call in calls(operand)):
                return True
    return False


def _inner_hint(attrs: Mapping[str, object]) -> Mapping[str, object]:
    """An spmd launch names its wrapper; the kernel inside has the name without the launch's suffix."""
    hint = attrs.get("name_hint")
    if not isinstance(hint, str) or not hint:
        return {key: value for key, value in attrs.items() if key != "name_hint"}
    return {**attrs, "name_hint": hint.removesuffix(_SPMD_SUFFIX)}
