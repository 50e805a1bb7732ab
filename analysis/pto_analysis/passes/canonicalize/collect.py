"""Which slices there are, and what they are windows of (seed: algorithm, phase 1)."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field

from pto_analysis.frontend.typed import constant_int, type_of
from pto_analysis.frozen import frozen
from pto_analysis.ir.dtypes import INDEX
from pto_analysis.ir.expr import Binary, Call, Const, Expr, Tuple, Var
from pto_analysis.ir.stmt import Assign, Block, Eval
from pto_analysis.ir.types import ScalarType, Space, TileType
from pto_analysis.ir.walk import statements
from pto_analysis.passes.canonicalize.compiler_proof import KnownMultiples
from pto_analysis.source.span import Origin


@frozen(eq=False)
class SliceWindow:
    """A slice peeled to its first non-slice tile: `var` is the window of `base` at (`row`, `col`), in elements."""

    var: Var
    base: Var
    row: Expr
    col: Expr
    origin: Origin | None

    @property
    def tile(self) -> TileType:
        assert isinstance(self.var.type, TileType)
        return self.var.type

    @property
    def base_tile(self) -> TileType:
        assert isinstance(self.base.type, TileType)
        return self.base.type

    @property
    def is_mat(self) -> bool:
        return self.tile.space is Space.MAT

    @property
    def is_vector(self) -> bool:
        """In Vec, or not placed yet, which becomes Vec by default."""
        return self.tile.space in (None, Space.VEC)


@frozen(eq=False)
class Collected:
    """`slices` are the canonical ones, those that may be rewritten, in program order."""

    slices: Mapping[Var, SliceWindow]
    multiples: KnownMultiples


class Constants:
    """Scalars defined as an integer literal, through plain aliases, so a literal offset stays one after SSA."""

    def __init__(self) -> None:
        self._values: dict[Var, Const] = {}

    def define(self, var: Var, value: Expr) -> None:
        known = value if isinstance(value, Const) else self._values.get(value) if isinstance(value, Var) else None
        if known is not None and constant_int(known) is not None:
            self._values[var] = known

    def resolve(self, expr: Expr) -> Expr:
        return self._values.get(expr, expr) if isinstance(expr, Var) else expr


@frozen(eq=False)
class _Sweep:
    constants: Constants = field(factory=Constants)
    multiples: KnownMultiples = field(factory=KnownMultiples)
    slices: dict[Var, SliceWindow] = field(factory=dict[Var, SliceWindow])

    def visit(self, stmt: Assign) -> None:
        if isinstance(stmt.var.type, ScalarType):
            self.multiples.define(stmt.var, stmt.value)
        self.constants.define(stmt.var, stmt.value)
        if is_canonical(stmt.value):
            window = slice_window(stmt, self.slices, self.constants)
            if window is not None:
                self.slices[stmt.var] = window


def collect(body: Block) -> Collected:
    """Index the slices of a body in one sweep in program order."""
    sweep = _Sweep()
    for stmt in statements(body):
        if isinstance(stmt, Assign):
            sweep.visit(stmt)
    return Collected(sweep.slices, sweep.multiples)


def is_canonical(value: Expr) -> bool:
    """Whether a slice is a plain window: source, shape and offset, nothing else."""
    return isinstance(value, Call) and len(value.args) == 3


def slice_operands(stmt: Assign, constants: Constants) -> tuple[Var, Expr, Expr] | None:
    """Source, row and column of a `tile.slice` with a two-part offset, known literals resolved; else None."""
    call = stmt.value
    if not isinstance(call, Call) or call.op != "tile.slice" or len(call.args) < 3:
        return None
    source, offset = call.args[0], call.args[2]
    if not isinstance(source, Var) or not isinstance(offset, Tuple) or len(offset.items) != 2:
        return None
    if not isinstance(stmt.var.type, TileType) or not isinstance(source.type, TileType):
        return None
    return source, constants.resolve(offset.items[0]), constants.resolve(offset.items[1])


def slice_window(stmt: Assign, known: Mapping[Var, SliceWindow], constants: Constants) -> SliceWindow | None:
    """The window of a slice, peeled through the slices that are known already."""
    parts = slice_operands(stmt, constants)
    if parts is None:
        return None
    source, row, col = parts
    outer = known.get(source)
    if outer is None:
        return SliceWindow(stmt.var, source, row, col, value_origin(stmt))
    return SliceWindow(stmt.var, outer.base, index_sum(outer.row, row), index_sum(outer.col, col), value_origin(stmt))


def value_origin(stmt: Assign | Eval) -> Origin | None:
    """Where the operation of a statement is written: the call itself, else the statement."""
    own = None if isinstance(stmt.value, Var) else stmt.value.origin
    return own or stmt.origin


def index_sum(left: Expr, right: Expr) -> Expr:
    """`left + right` as the compiler writes an index: literals are added, a zero disappears."""
    a, b = constant_int(left), constant_int(right)
    if a is not None and b is not None:
        return Const(a + b, INDEX)
    if a == 0:
        return right
    if b == 0:
        return left
    dtype = type_of(left)
    return Binary("+", left, right, dtype.dtype if isinstance(dtype, ScalarType) else INDEX)
