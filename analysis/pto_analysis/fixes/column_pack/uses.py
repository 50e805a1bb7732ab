"""What a kernel does with an accumulator: its windows, its stores, and whatever else there is (seed: Acc windows)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from attrs import field

from pto_analysis.frontend.typed import constant_int
from pto_analysis.frozen import frozen
from pto_analysis.ir import walk
from pto_analysis.ir.expr import Call, Expr, Tuple, Var
from pto_analysis.ir.function import Function
from pto_analysis.ir.stmt import Assign, Eval, For, If, Stmt, While, Yield
from pto_analysis.ir.types import TileType


@frozen(eq=False)
class Store:
    """A store of the whole accumulator or of several bands; `value` is the call, bound to a name or not."""

    stmt: Assign | Eval
    value: Call


@frozen(eq=False)
class Uses:
    """What happens to an accumulator that is cut into bands of rows.

    `names` are the variables that mean all of it or a window of several bands, with how many. `windows` are single
    bands or parts of one, `outer` the windows of several bands, `views` other shapes of the same shape. `others` names
    uses that packing would not survive. `create` is None when the tile is not created here, once.
    """

    names: Mapping[Var, int]
    create: Call | None
    windows: tuple[Call, ...] = ()
    outer: tuple[Call, ...] = ()
    views: tuple[Call, ...] = ()
    stores: tuple[Store, ...] = ()
    others: tuple[str, ...] = ()


@frozen(eq=False)
class _Found:
    creates: list[Expr] = field(factory=list[Expr])
    windows: list[Call] = field(factory=list[Call])
    outer: list[Call] = field(factory=list[Call])
    views: list[Call] = field(factory=list[Call])
    stores: list[Store] = field(factory=list[Store])
    others: list[str] = field(factory=list[str])


def uses_of(function: Function, base: Var, rows: int) -> Uses:
    """Every use of the accumulator in a function in SSA form with flat calls; its bands have so many rows."""
    statements = list(walk.statements(function.body))
    names, foreign = _whole(statements, base, rows)
    found = _Found([param.var for param in function.params if param.var in names])
    if foreign:
        found.others.append("what it is merged with")
    for stmt in statements:
        _sort(stmt, names, found)
    create = _created(found.creates[0]) if len(found.creates) == 1 else None
    bands = {var: height // rows for var in names if (height := _height(var)) is not None}
    windows, outer, views = tuple(found.windows), tuple(found.outer), tuple(found.views)
    return Uses(bands, create, windows, outer, views, tuple(found.stores), tuple(found.others))


def _sort(stmt: Stmt, names: set[Var], found: _Found) -> None:
    """Puts a statement where it belongs, if it has to do with the accumulator."""
    call = stmt.value if isinstance(stmt, (Assign, Eval)) else None
    is_name = isinstance(stmt, Assign) and stmt.var in names
    if isinstance(stmt, Assign) and isinstance(call, Call) and _is_window(call, names):
        (found.outer if is_name else found.windows).append(call)
    elif isinstance(stmt, Assign) and is_name and isinstance(call, Call) and _is_same_view(stmt.var, call):
        found.views.append(call)
    elif isinstance(stmt, Assign) and is_name and stmt.value not in names:
        found.creates.append(stmt.value)
    elif not any(var in names for operand in stmt.operands for var in operand.variables):
        return
    elif isinstance(stmt, (Assign, Eval)) and isinstance(call, Call) and _is_store(call, names):
        found.stores.append(Store(stmt, call))
    elif isinstance(call, Call):
        found.others.append(f"`{call.op.rpartition('.')[2]}`")
    elif not isinstance(call, Var) and not _hands_on(stmt, names):
        found.others.append("its other uses")


def _whole(statements: Sequence[Stmt], base: Var, rows: int) -> tuple[set[Var], bool]:
    """All variables that mean the tile or several bands of it, and whether some may mean something else as well."""
    groups = [group for stmt in statements for group in _same(stmt)]
    of: dict[Expr, list[int]] = {}
    for index, group in enumerate(groups):
        for value in group:
            if isinstance(value, Var):
                of.setdefault(value, []).append(index)
    windows = dict(_outer_windows(statements, rows))
    names, foreign = {base}, False
    pending = [base]
    while pending:
        name = pending.pop()
        reached = [value for index in of.pop(name, ()) for value in groups[index]] + windows.get(name, [])
        for value in reached:
            if not isinstance(value, Var):
                foreign = True
            elif value not in names:
                names.add(value)
                pending.append(value)
    return names, foreign


def _outer_windows(statements: Iterable[Stmt], rows: int) -> dict[Var, list[Expr]]:
    """Windows of several bands by the tile that they are taken from, and the other way round."""
    found: dict[Var, list[Expr]] = {}
    for stmt in statements:
        call = stmt.value if isinstance(stmt, Assign) else None
        if not isinstance(stmt, Assign) or not isinstance(call, Call) or call.op != "tile.slice":
            continue
        source, height = call.args[0], _height(stmt.var)
        if isinstance(source, Var) and height is not None and height > rows and height % rows == 0:
            found.setdefault(source, []).append(stmt.var)
            found.setdefault(stmt.var, []).append(source)
    return found


def _height(var: Var) -> int | None:
    tile = var.type
    return constant_int(tile.shape[0]) if isinstance(tile, TileType) and len(tile.shape) == 2 else None


def _same(stmt: Stmt) -> Iterator[tuple[Expr, ...]]:
    """Values that a statement makes one: an alias and what it names, a carry's ends, a merge's branches."""
    if isinstance(stmt, Assign) and isinstance(stmt.value, Var):
        yield (stmt.var, stmt.value)
    elif isinstance(stmt, Assign) and isinstance(stmt.value, Call) and _is_same_view(stmt.var, stmt.value):
        yield (stmt.var, stmt.value.args[0])
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


def _is_same_view(var: Var, call: Call) -> bool:
    """Whether a call gives the same tile again, by the same shape."""
    source = call.args[0] if call.args else None
    if call.op != "tile.reshape" or len(call.args) != 2 or not isinstance(source, Var):
        return False
    before, after = source.type, var.type
    if not isinstance(before, TileType) or not isinstance(after, TileType):
        return False
    extents = [constant_int(dim) for dim in before.shape]
    return None not in extents and extents == [constant_int(dim) for dim in after.shape]


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
        return not any(var in names for test in tests for var in test.variables)
    return isinstance(stmt, Yield)
