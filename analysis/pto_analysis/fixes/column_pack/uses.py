"""What a kernel does with an accumulator: its windows, its stores, and whatever else there is (seed: Acc windows)."""

from __future__ import annotations

from attrs import field, frozen

from pto_analysis.ir import walk
from pto_analysis.ir.expr import Call, Expr, Tuple, Var
from pto_analysis.ir.function import Function
from pto_analysis.ir.stmt import Assign, Eval, For, If, Return, Stmt, While, Yield
from pto_analysis.ir.types import TileType
from pto_analysis.source.span import Origin


@frozen(eq=False)
class Uses:
    """`names` are the variables that mean the whole accumulator. `others` are uses that packing would not survive."""

    names: frozenset[Var]
    create: Call | None
    windows: tuple[Assign, ...] = ()
    stores: tuple[Assign, ...] = ()
    others: tuple[Origin | None, ...] = field(default=())


def uses_of(function: Function, base: Var) -> Uses:
    """Every use of the accumulator in a function in SSA form with flat calls."""
    statements = list(walk.statements(function.body))
    names = _whole(statements, base)
    create: Call | None = None
    windows: list[Assign] = []
    stores: list[Assign] = []
    others: list[Origin | None] = []
    for stmt in statements:
        if isinstance(stmt, Assign) and stmt.var is base:
            create = _created(stmt.value)
        if not any(var in names for operand in walk.operands(stmt) for var in walk.variables(operand)):
            continue
        if _is_window(stmt, names) and isinstance(stmt, Assign):
            windows.append(stmt)
        elif _is_store(stmt, names) and isinstance(stmt, Assign):
            stores.append(stmt)
        elif not _is_carry(stmt, names):
            others.append(stmt.origin)
    return Uses(frozenset(names), create, tuple(windows), tuple(stores), tuple(others))


def _whole(statements: list[Stmt], base: Var) -> set[Var]:
    """The base, its aliases, and the names under which loops and branches carry it."""
    names = {base}
    for _ in range(len(statements) + 1):
        before = len(names)
        for stmt in statements:
            if isinstance(stmt, Assign) and stmt.value in names:
                names.add(stmt.var)
            elif isinstance(stmt, (For, While)):
                for index, arg in enumerate(stmt.iter_args):
                    if arg.init in names:
                        names.add(arg.var)
                        names.update(stmt.return_vars[index : index + 1])
            elif isinstance(stmt, If):
                last = walk.final_yield(stmt.then)
                for result, value in zip(stmt.return_vars, last.values if last else (), strict=False):
                    if value in names:
                        names.add(result)
        if len(names) == before:
            break
    return names


def _created(value: Expr) -> Call | None:
    if isinstance(value, Call) and value.op == "tile.create" and isinstance(value.type, TileType):
        return value
    return None


def _is_window(stmt: Stmt, names: set[Var]) -> bool:
    value = stmt.value if isinstance(stmt, Assign) else None
    return isinstance(value, Call) and value.op == "tile.slice" and value.args[0] in names and len(value.args) == 3


def _is_store(stmt: Stmt, names: set[Var]) -> bool:
    value = stmt.value if isinstance(stmt, Assign) else None
    if not isinstance(value, Call) or value.op != "tile.store" or len(value.args) != 3:
        return False
    return value.args[0] in names and isinstance(value.args[1], Tuple) and not value.attrs.get("atomic")


def _is_carry(stmt: Stmt, names: set[Var]) -> bool:
    """Handing the whole accumulator on under another name."""
    if isinstance(stmt, (Eval, Return)):
        return False
    if isinstance(stmt, Assign):
        return stmt.value in names
    return isinstance(stmt, (For, While, If, Yield))
