"""PTO106: a slice of an L1 tile that stays, because its consumer is not one that slices are folded into."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pto_analysis.findings import Finding, Fix, Severity
from pto_analysis.fixes.plain_extract import extract_for_moves
from pto_analysis.ir.expr import Call, Var
from pto_analysis.ir.stmt import Assign, Eval
from pto_analysis.ir.types import Space, TileType
from pto_analysis.ir.walk import statements
from pto_analysis.passes.canonicalize import Rewrite
from pto_analysis.passes.canonicalize.collect import SliceWindow, value_origin
from pto_analysis.passes.ssa import names
from pto_analysis.rules.example import on_l1
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.rule import Example, Reference, Rule
from pto_analysis.rules.slice_fixes import is_own_tile
from pto_analysis.rules.slice_text import extent_text, offset_text, offset_value, quoted, source_name
from pto_analysis.source.span import Origin


def check(kernel: KernelFacts) -> Iterable[Finding]:
    if not kernel.is_incore or kernel.analysis.canonical.rejection is not None:
        return
    kept = {var: item for var, item in kernel.analysis.collected.slices.items() if item.tile.space is Space.MAT}
    for var, uses in _uses(kernel, kept).items():
        yield _finding(kernel, kept[var], uses)


def _uses(kernel: KernelFacts, kept: dict[Var, SliceWindow]) -> dict[Var, list[tuple[str, Origin | None]]]:
    """The operations that still read each slice after the pass; a slice of a slice is no end of it."""
    uses: dict[Var, list[tuple[str, Origin | None]]] = {}
    for var, op, origin in _reads(kernel) if kept else ():
        if var in kept and op != "tile.slice":
            uses.setdefault(var, []).append((op, origin))
    return uses


def _reads(kernel: KernelFacts) -> Iterator[tuple[Var, str, Origin | None]]:
    for stmt in statements(kernel.analysis.canonical.function.body):
        if isinstance(stmt, (Assign, Eval)) and isinstance(stmt.value, Call):
            for arg in stmt.value.args:
                if isinstance(arg, Var):
                    yield arg, stmt.value.op, value_origin(stmt)


def _shown(var: Var) -> str:
    """The slice by its name, at the start of a message."""
    name = names.source_name(var.name)
    return f"`{name}`" if name else "The slice"


def _finding(kernel: KernelFacts, item: SliceWindow, uses: list[tuple[str, Origin | None]]) -> Finding:
    readers = ", ".join(dict.fromkeys(f"`{op.rpartition('.')[2]}`" for op, _ in uses))
    assert isinstance(item.base.type, TileType)
    message = (
        f"{_shown(item.var)} ({extent_text(item.tile.shape)} of {quoted(item.base)} at "
        f"{offset_text(item.row, item.col)}) stays a view of L1: {readers} reads it as it is"
    )
    related = tuple(kernel.related(origin, f"`{op.rpartition('.')[2]}` reads the slice here") for op, origin in uses)
    data = {
        "slice": source_name(item.var),
        "base": source_name(item.base),
        "row_offset": offset_value(item.row),
        "col_offset": offset_value(item.col),
        "consumers": [op for op, _ in uses],
    }
    fix = _fix(kernel, item, uses)
    return kernel.finding(RULE, item.origin, message, related=related, fix=fix, data=data)


def _fix(kernel: KernelFacts, item: SliceWindow, uses: list[tuple[str, Origin | None]]) -> Fix | None:
    """The extract in the place of each move, where nothing but moves reads the slice."""
    if (
        kernel.unit is None
        or any(op != "tile.move" for op, _ in uses)
        or not is_own_tile(kernel, item.var, item.origin)
    ):
        return None
    targets = _move_targets(kernel, item.var)
    if len(targets) != len(uses):
        return None
    shape = item.tile.shape
    moves = [
        Rewrite(RULE.code, "fold-extract", item.var, item.base, item.row, item.col, shape, target, True, item.origin,
                origin, "tile.move")
        for origin, target in targets
    ]  # fmt: skip
    return extract_for_moves(kernel.unit, kernel.analysis.function, moves)


def _move_targets(kernel: KernelFacts, var: Var) -> list[tuple[Origin | None, Space]]:
    """Where the slice is moved to L0, and to which buffer."""
    found: list[tuple[Origin | None, Space]] = []
    for stmt in statements(kernel.analysis.function.body):
        value = stmt.value if isinstance(stmt, Assign) else None
        if isinstance(stmt, Assign) and isinstance(value, Call) and value.op == "tile.move" and value.args[0] is var:
            space = value.type.space if isinstance(value.type, TileType) else None
            found += [(value_origin(stmt), space)] if space in (Space.LEFT, Space.RIGHT) else []
    return found


_START = """\
        right = pl.move(wm, target_memory=pl.Mem.Right)
"""


def _kernel(body: str) -> str:
    return on_l1(_START + body)


RULE = Rule(
    code="PTO106",
    name="slice-kept",
    severity=Severity.HINT,
    summary="A slice of an L1 tile stays a view: its consumer is not canonicalized",
    what="""\
Reports a `tile.slice` of a Mat (L1) tile that is still read after canonicalization. Slices are folded into
`tile.extract` and into matmul operands; a `tile.move` and everything else read the view.""",
    why="""\
The view is legal and costs nothing by itself. It is not the form that the rest of the compiler expects, though: an
operation that has to copy the view would need a transfer from L1 to L1, which the chips do not have. Writing the
extract says what is moved and where.""",
    check=check,
    fix="sometimes",
    fix_note="""\
Writes the extract instead of a slice that only moves to Left or Right read; unsafe, since another instruction does
the transfer then.""",
    references=(Reference("hw-native-sys/pypto", 1198), Reference("hw-native-sys/pypto", 1267)),
    bad=(
        Example(
            "a move of a slice",
            _kernel(
                """\
        lo = pl.tile.slice(xm, [32, 64], [0, 64])  #! PTO106 `pl.tile.slice(xm, [32, 64], [0, 64])`
        left = pl.move(lo, target_memory=pl.Mem.Left)
        y = pl.store(pl.matmul(left, right), [0, 0], y)
        return y
"""
            ),
            fixed=_kernel(
                """\
        left = pl.tile.extract(xm, 0, 64, shape=[32, 64], target_memory=pl.Mem.Left)
        y = pl.store(pl.matmul(left, right), [0, 0], y)
        return y
"""
            ),
        ),
        Example(
            "pushed to the vector cores from a row that only run time knows",
            """\
import pypto.language as pl


@pl.program
class K:
    @pl.function(type=pl.FunctionType.AIC)
    def kernel(self, x: pl.Tensor[[64, 64], pl.FP16], n: pl.Scalar[pl.INDEX]):
        t = pl.load(x, [0, 0], [64, 64], target_memory=pl.Mem.Mat)
        w = pl.tile.slice(t, [16, 64], [n, 0])  #! PTO106
        pl.tpush_to_aiv(w, split=0)
""",
        ),
    ),
    good=(
        Example(
            "an extract",
            _kernel(
                """\
        left = pl.tile.extract(xm, 0, 64, [32, 64], target_memory=pl.Mem.Left)
        y = pl.store(pl.matmul(left, right), [0, 0], y)
        return y
"""
            ),
        ),
    ),
)
