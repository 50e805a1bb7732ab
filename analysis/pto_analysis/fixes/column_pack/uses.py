"""What a kernel does with an accumulator: its windows, its stores, and whatever else there is (seed: Acc windows)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import frozen

from pto_analysis.ir import walk
from pto_analysis.ir.expr import Call, Expr, Tuple, Var
from pto_analysis.ir.function import Function
from pto_analysis.ir.stmt import Assign, Eval, For, If, Stmt, While, Yield
from pto_analysis.ir.types import TileType


@frozen(eq=False)
class Store:
    """A store of the whole accumulator; `value` is the call, bound to a name or not."""

    stmt: Assign | Eval
    value: Call


@frozen(eq=False)
class Uses:
    """`names` are the variables that mean the whole accumulator. `others` names uses that packing would not survive.

    `create` is None when the tile is not created here, once.
    """

    names: frozenset[Var]
    create: Call | None
    windows: tuple[Call, ...] = ()
    stores: tuple[Store, ...] = ()
    others: tuple[str, ...] = ()


def uses_of(function: Function, base: Var) -> Uses:
    """Every use of the accumulator in a function in SSA form with flat calls."""
    statements = list(walk.statements(function.body))
    names, foreign = _whole(statements, base)
    creates: list[Expr] = [param.var for param in function.params if param.var in names]
    windows: list[Call] = []
    stores: list[Store] = []
    others = ["what it is merged with"] if foreign else []
    for stmt in statements:
        if isinstance(stmt, Assign) and stmt.var in names and stmt.value not in names:
            creates.append(stmt.value)
        if not any(var in names for operand in walk.operands(stmt) for var in walk.variables(operand)):
            continue
        call = stmt.value if isinstance(stmt, (Assign, Eval)) else None
        if isinstance(stmt, Assign) and isinstance(call, Call) and _is_window(call, names):
            windows.append(call)
        elif isinstance(stmt, (Assign, Eval)) and isinstance(call, Call) and _is_store(call, names):
            stores.append(Store(stmt, call))
        elif isinstance(call, Call):
            others.append(f"`{call.op.rpartition('.')[2]}`")
        elif not isinstance(call, Var) and not _hands_on(stmt, names):
            others.append("its other uses")
    create = _created(creates[0]) if len(creates) == 1 else None
    return Uses(frozenset(names), create, tuple(windows), tuple(stores), tuple(others))


def _whole(statements: Sequence[Stmt], base: Var) -> tuple[set[Var], bool]:
    """All variables that mean the tile, and whether some of them may mean something else as well."""
    groups = [group for stmt in statements for group in _same(stmt)]
    of: dict[Expr, list[int]] = {}
    for index, group in enumerate(groups):
        for value in group:
            if isinstance(value, Var):
                of.setdefault(value, []).append(index)
    names, foreign = {base}, False
    pending = [base]
    while pending:
        for index in of.pop(pending.pop(), ()):
            for value in groups[index]:
                if not isinstance(value, Var):
                    foreign = True
                elif value not in names:
                    names.add(value)
                    pending.append(value)
    return names, foreign


def _same(stmt: Stmt) -> Iterator[tuple[Expr, ...]]:
    """Values that a statement makes one: an alias and what it names, a carry's ends, a merge's branches."""
    if isinstance(stmt, Assign) and isinstance(stmt.value, Var):
        yield (stmt.var, stmt.value)
    elif isinstance(stmt, (For, While)):
        last = walk.final_yield(stmt.body)
        values = last.values if last is not None else ()
        for index, arg in enumerate(stmt.iter_args):
            yield (arg.var, arg.init, *stmt.return_vars[index : index + 1], *values[index : index + 1])
    elif isinstance(stmt, If):
        ends = [walk.final_yield(block) for block in (stmt.then, stmt.orelse)]
        for index, var in enumerate(stmt.return_vars):
            yield (var, *(end.values[index] for end in ends if end is not None and index < len(end.values)))


def _created(value: Expr) -> Call | None:
    if isinstance(value, Call) and value.op == "tile.create" and isinstance(value.type, TileType):
        return value
    return None


def _is_window(call: Call, names: set[Var]) -> bool:
    """A plain slice, or one with a valid shape, which counts from the window's own corner."""
    return call.op == "tile.slice" and call.args[0] in names and len(call.args) in (3, 4)


def _is_store(call: Call, names: set[Var]) -> bool:
    if call.op != "tile.store" or len(call.args) != 3 or call.args[0] not in names:
        return False
    return isinstance(call.args[1], Tuple) and call.args[2] not in names and not call.attrs.get("atomic")


def _hands_on(stmt: Stmt, names: set[Var]) -> bool:
    """Whether a loop, a branch or a yield only passes the tile on, as a whole."""
    if isinstance(stmt, (Assign, Eval)):
        return False
    if isinstance(stmt, (For, While, If)):
        tests = (stmt.condition,) if isinstance(stmt, (While, If)) else (stmt.start, stmt.stop, stmt.step)
        return not any(var in names for test in tests for var in walk.variables(test))
    return isinstance(stmt, Yield)
