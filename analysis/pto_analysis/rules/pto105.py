"""PTO105: a slice that is no plain window reaches a column expansion in a form that the compiler cannot copy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pto_analysis.findings import Finding, Fix, Severity
from pto_analysis.fixes.plain_extract import row_extract
from pto_analysis.frozen import frozen
from pto_analysis.ir.expr import Call, Expr, Var
from pto_analysis.ir.stmt import Assign, Eval
from pto_analysis.ir.types import Space, TileType
from pto_analysis.ir.walk import statements
from pto_analysis.passes.canonicalize.collect import Constants, is_canonical, slice_operands, value_origin
from pto_analysis.passes.canonicalize.compiler_proof import is_contiguous, is_dynamic
from pto_analysis.passes.canonicalize.rewrite import COL_EXPAND_OPS
from pto_analysis.passes.ssa import names
from pto_analysis.rules.example import on_rows
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.rule import Example, Reference, Rule
from pto_analysis.rules.slice_fixes import is_own_tile
from pto_analysis.rules.slice_text import extent_text, offset_text, quoted, source_name
from pto_analysis.source.span import Origin


@frozen(eq=False)
class _Irregular:
    """A slice with valid_shape or dropped dimensions, seen from its immediate source as code generation sees it."""

    var: Var
    source: Var
    row: Expr
    col: Expr
    origin: Origin | None
    drops_dimensions: bool

    @property
    def hazard(self) -> str | None:
        if is_dynamic(self.row, self.col):
            return f"its offset {offset_text(self.row, self.col)} is known at run time only"
        window, source = self.var.type, self.source.type
        assert isinstance(window, TileType)
        assert isinstance(source, TileType)
        known = all(isinstance(dim, int) for dim in (*window.shape, *source.shape))
        if known and not is_contiguous(window, source):
            return f"its {extent_text(window.shape)} window of a {extent_text(source.shape)} tile is not contiguous"
        return None


def check(kernel: KernelFacts) -> Iterable[Finding]:
    if not kernel.is_incore:
        return
    constants, slices = Constants(), dict[Var, _Irregular]()
    for stmt in statements(kernel.analysis.function.body):
        if isinstance(stmt, Assign):
            constants.define(stmt.var, stmt.value)
            found = _irregular(stmt, constants)
            if found is not None:
                slices[stmt.var] = found
        if isinstance(stmt, (Assign, Eval)) and isinstance(stmt.value, Call) and stmt.value.op in COL_EXPAND_OPS:
            yield from _hazards(kernel, stmt, stmt.value, slices)


def _irregular(stmt: Assign, constants: Constants) -> _Irregular | None:
    parts = slice_operands(stmt, constants)
    if parts is None or is_canonical(stmt.value) or not isinstance(stmt.value, Call):
        return None
    tile = stmt.var.type
    if not isinstance(tile, TileType) or tile.space not in (None, Space.VEC):
        return None
    return _Irregular(stmt.var, *parts, value_origin(stmt), len(stmt.value.args) > 4)


def _hazards(kernel: KernelFacts, stmt: Assign | Eval, call: Call, slices: dict[Var, _Irregular]) -> Iterator[Finding]:
    for position, arg in enumerate(call.args):
        item = slices.get(arg) if isinstance(arg, Var) else None
        hazard = None if item is None else item.hazard
        if item is None or hazard is None:
            continue
        kind = "dropped dimensions" if item.drops_dimensions else "a valid_shape"
        name, op = _shown(item), call.op.rpartition(".")[2]
        message = (
            f"`{op}` cannot read {name}, and the compiler cannot copy it: {hazard}, and a slice with {kind} is not "
            "rewritten; the compiler stops with an internal check"
        )
        related = (kernel.related(item.origin, f"a slice of {quoted(item.source)} with {kind}"),)
        data = {"slice": source_name(item.var), "base": source_name(item.source), "operand": position, "op": call.op}
        fix = _fix(kernel, item)
        yield kernel.finding(RULE, value_origin(stmt), message, related=related, fix=fix, data=data)


def _shown(item: _Irregular) -> str:
    """The slice by its name; one that is written inside of the call has none that its author knows."""
    name = names.source_name(item.var.name)
    return f"`{name}`" if name else f"the slice of {quoted(item.source)}"


def _fix(kernel: KernelFacts, item: _Irregular) -> Fix | None:
    """The row as an extract; a valid shape cannot be said that way."""
    if kernel.unit is None or not item.drops_dimensions or not is_own_tile(kernel, item.var, item.origin):
        return None
    return row_extract(kernel.unit, item.origin, item.source)


RULE = Rule(
    code="PTO105",
    name="irregular-column-expansion",
    severity=Severity.ERROR,
    summary="A slice with valid_shape or dropped dimensions reaches a column expansion in a hazardous form",
    what="""\
Reports a `col_expand_*` operand that is a slice with a `valid_shape` or with dropped dimensions (`t[i]`) and whose
offset is not a literal, or whose window is neither a single row nor as wide as its source.""",
    why="""\
Column expansions read whole tiles, so a view must be copied first. Plain slices get a copy of their own; slices that
carry more than shape and offset do not, and copying them in place would overwrite their own source. The compiler stops
with an internal check that names neither the slice nor the cure. A plain slice of the same window works:
`pl.tile.slice(t, [1, 128], [i, 0])`.""",
    check=check,
    fix="sometimes",
    fix_note="Takes a row by an index as a `pl.tile.extract`; unsafe, since the result keeps both dimensions.",
    references=(Reference("hw-native-sys/pypto", 1640), Reference("hw-native-sys/pypto", 2010)),
    bad=(
        Example(
            "a row taken by a run-time index",
            on_rows(
                """\
        for r in pl.range(8):
            row = table[r]
            y = pl.store(pl.col_expand_mul(row, gamma), [r, 0], y)  #! PTO105
        return y
"""
            ),
            fixed=on_rows(
                """\
        for r in pl.range(8):
            row = pl.tile.extract(table, r, 0, shape=[1, 128], target_memory=pl.Mem.Vec)
            y = pl.store(pl.col_expand_mul(row, gamma), [r, 0], y)
        return y
"""
            ),
        ),
    ),
    good=(
        Example(
            "a row taken by a literal index",
            on_rows(
                """\
        row = table[3]
        y = pl.store(pl.col_expand_mul(row, gamma), [3, 0], y)
        return y
"""
            ),
        ),
    ),
)
