"""Which batched accumulators the newer compilers pack along columns (#2554, 2026-08-28)."""

from __future__ import annotations

from datetime import date

from pto_analysis.ir import walk
from pto_analysis.ir.expr import Call, Var
from pto_analysis.ir.stmt import Assign, Block, For, If, While
from pto_analysis.ir.types import TileType
from pto_analysis.passes.lowering.windows import known
from pto_analysis.toolchain import Bites, Toolchain

COLUMNS_SINCE = Bites(pypto_since=date(2026, 8, 28))
BOX_COLUMNS = 16


def column_packed(body: Block, toolchain: Toolchain) -> frozenset[Var]:
    """The accumulators, under all their names, whose pages lie side by side instead of one above the other."""
    if not COLUMNS_SINCE.on(toolchain):
        return frozenset()
    same: dict[Var, set[Var]] = {}
    seeds: list[Var] = []
    for stmt in walk.statements(body):
        for left, right in _renamings(stmt):
            same.setdefault(left, set()).add(right)
            same.setdefault(right, set()).add(left)
        call = stmt.value if isinstance(stmt, Assign) else None
        if isinstance(call, Call) and call.op == "tile.batch_matmul_acc":
            accumulator = call.args[0]
            if isinstance(accumulator, Var) and _is_wide(accumulator):
                seeds.append(accumulator)
    return _closure(seeds, same)


def _closure(seeds: list[Var], same: dict[Var, set[Var]]) -> frozenset[Var]:
    found = set(seeds)
    work = list(seeds)
    while work:
        for other in same.get(work.pop(), ()):
            if other not in found:
                found.add(other)
                work.append(other)
    return frozenset(found)


def _is_wide(var: Var) -> bool:
    shape = known(var.type.shape) if isinstance(var.type, TileType) else None
    return shape is not None and len(shape) == 3 and shape[0] > 1 and shape[-1] > BOX_COLUMNS


def _renamings(stmt: object) -> list[tuple[Var, Var]]:
    if isinstance(stmt, Assign):
        value = stmt.value
        if isinstance(value, Var):
            return [(stmt.var, value)]
        if isinstance(value, Call) and value.op == "tile.batch_matmul_acc" and isinstance(value.args[0], Var):
            return [(stmt.var, value.args[0])]
        return []
    pairs: list[tuple[Var, Var]] = []
    if isinstance(stmt, (For, While)):
        end = walk.final_yield(stmt.body)
        for position, item in enumerate(stmt.iter_args):
            if isinstance(item.init, Var):
                pairs.append((item.var, item.init))
            if position < len(stmt.return_vars):
                pairs.append((stmt.return_vars[position], item.var))
            value = end.values[position] if end is not None and position < len(end.values) else None
            if isinstance(value, Var):
                pairs.append((item.var, value))
    if isinstance(stmt, If):
        for block in (stmt.then, stmt.orelse):
            end = walk.final_yield(block)
            values = end.values if end is not None else ()
            pairs += [(r, v) for r, v in zip(stmt.return_vars, values, strict=False) if isinstance(v, Var)]
    return pairs
