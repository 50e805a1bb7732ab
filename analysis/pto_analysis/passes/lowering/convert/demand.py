"""Which memory the consumers of a value ask for, so that a window is loaded straight to where it is needed."""

from __future__ import annotations

from collections.abc import Mapping

from pto_analysis.ir import walk
from pto_analysis.ir.expr import Call, Var
from pto_analysis.ir.stmt import Assign, Block, For, While
from pto_analysis.ir.types import Space, TensorType, TileType
from pto_analysis.passes.lowering.convert.rules import Conversion
from pto_analysis.passes.lowering.spaces import inherits_space


def consumer_spaces(body: Block, table: Mapping[str, Conversion]) -> Mapping[Var, Space]:
    """The space each variable is wanted in; a special one beats Vec. Demands travel back through views."""
    wanted: dict[Var, Space] = {}
    edges: list[tuple[Var, Var]] = []
    for stmt in walk.statements(body):
        if not isinstance(stmt, Assign):
            continue
        source = _shares_memory_with(stmt)
        if source is not None:
            edges.append((stmt.var, source))
        conversion = table.get(stmt.value.op) if isinstance(stmt.value, Call) else None
        if conversion is None or not isinstance(stmt.value, Call):
            continue
        for position, needed in conversion.spaces.items():
            arg = stmt.value.args[position] if position < len(stmt.value.args) else None
            if isinstance(arg, Var):
                _want(wanted, arg, needed.space)
    for result, source in reversed(edges):
        if result in wanted:
            _want(wanted, source, wanted[result])
    return wanted


def _want(wanted: dict[Var, Space], var: Var, space: Space) -> None:
    if var not in wanted or (wanted[var] is Space.VEC and space is not Space.VEC):
        wanted[var] = space


def _shares_memory_with(stmt: Assign) -> Var | None:
    if not _is_shaped(stmt.var):
        return None
    if isinstance(stmt.value, Var):
        return stmt.value if _is_shaped(stmt.value) else None
    if isinstance(stmt.value, Call) and inherits_space(stmt.value.op):
        return next((arg for arg in stmt.value.args if isinstance(arg, Var) and _is_shaped(arg)), None)
    return None


def _is_shaped(var: Var) -> bool:
    return isinstance(var.type, (TensorType, TileType))


def loaded_at_entry(body: Block, table: Mapping[str, Conversion]) -> set[Var]:
    """Tensors that a converted operation takes as a whole: those among the parameters are loaded at entry."""
    used: set[Var] = set()
    carried: dict[Var, object] = {}
    for stmt in walk.statements(body):
        if isinstance(stmt, (For, While)):
            carried.update((item.var, item.init) for item in stmt.iter_args)
        value = stmt.value if isinstance(stmt, Assign) else None
        conversion = table.get(value.op) if isinstance(value, Call) else None
        if conversion is None or conversion.self_loading or not isinstance(value, Call):
            continue
        for position, arg in enumerate(value.args):
            if isinstance(arg, Var) and isinstance(arg.type, TensorType) and position not in conversion.spaces:
                used.add(arg)
    work = [var for var in used if var in carried]
    while work:
        init = carried[work.pop()]
        if isinstance(init, Var) and isinstance(init.type, TensorType) and init not in used:
            used.add(init)
            if init in carried:
                work.append(init)
    return used
