"""PTO324: the scratch tile of a column's argument is not shaped like what is reduced."""

from __future__ import annotations

from collections.abc import Iterable

from pto_analysis.findings import Finding, Fix, Severity
from pto_analysis.fixes.forms import named_argument, resized_create
from pto_analysis.frontend.typed import constant_int
from pto_analysis.ir.expr import Call, Var, type_of
from pto_analysis.ir.stmt import Assign, Eval, Stmt
from pto_analysis.ir.types import Shape, TileType
from pto_analysis.ir.walk import statements
from pto_analysis.passes.lowering.tree import calls
from pto_analysis.rules.example import incore
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.form_fixes import known_in
from pto_analysis.rules.rule import Example, Reference, Rule

_REDUCTIONS = frozenset({"tile.col_argmax", "tile.col_argmin"})
SCRATCH = 1


def check(kernel: KernelFacts) -> Iterable[Finding]:
    if kernel.lowered is not None:
        return
    for stmt in statements(kernel.function.body):
        for call in _reductions(stmt):
            shapes = [_extents(type_of(arg)) for arg in call.args]
            if None not in shapes and shapes[0] != shapes[SCRATCH]:
                yield kernel.finding(RULE, call.origin, _message(call, shapes[0]), fix=_fix(kernel, call, shapes[0]))


def _reductions(stmt: Stmt) -> list[Call]:
    if not isinstance(stmt, (Assign, Eval)):
        return []
    return [call for call in calls(stmt.value) if call.op in _REDUCTIONS and len(call.args) > SCRATCH]


def _extents(kind: object) -> tuple[int, ...] | None:
    """The extents of a tile, where all are numbers."""
    shape: Shape = kind.shape if isinstance(kind, TileType) else ()
    known = [extent for extent in map(constant_int, shape) if extent is not None]
    return tuple(known) if known and len(known) == len(shape) else None


def _message(call: Call, shape: tuple[int, ...] | None) -> str:
    scratch = call.args[SCRATCH]
    name = f"`{scratch.name}`" if isinstance(scratch, Var) else "the scratch tile"
    return (
        f"{name} must be exactly as large as the tile that `{call.op.rpartition('.')[2]}` reads, {list(shape or ())}: "
        "the instruction takes the number of columns from it"
    )


def _fix(kernel: KernelFacts, call: Call, shape: tuple[int, ...] | None) -> Fix | None:
    if kernel.unit is None or call.origin is None or shape is None:
        return None
    name = named_argument(kernel.unit, call.origin, SCRATCH)
    made = known_in(kernel.function).made.get(name or "", ())
    value = made[0].value if len(made) == 1 and isinstance(made[0], Assign) else None
    if not isinstance(value, Call) or value.op != "tile.create":
        return None
    return resized_create(kernel.unit, value.origin, str(name), shape)


_X_I = "x: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[1, 64], pl.INT32]]"


def _kernel(scratch: str, mark: str = "") -> str:
    return incore(
        f"""\
        t = pl.load(x, [0, 0], [16, 64])
        tmp = pl.create_tile({scratch}, dtype=pl.FP32, target_memory=pl.Mem.Vec)
        y = pl.store(pl.col_argmax(t, tmp), [0, 0], y){mark}
        return y
        """,
        _X_I,
    )


RULE = Rule(
    code="PTO324",
    name="column-argument-scratch",
    severity=Severity.ERROR,
    summary="The scratch tile of a column's argument is not shaped like what is reduced",
    what="""\
Reports `col_argmax` and `col_argmin` of tiles with a scratch tile of other extents than the tile that is reduced.""",
    why="""\
The instruction takes the number of columns from the scratch tile and runs past the valid ones when that is wider: a
wrong index, without a message. Compilers since 3 September 2026 refuse the call, as they always did for rows.""",
    check=check,
    references=(Reference("hw-native-sys/pypto", 2615),),
    fix="sometimes",
    fix_note="Makes the scratch tile as large as the operand, where it serves nothing else.",
    bad=(
        Example(
            "scratch that is too wide",
            _kernel("[16, 128]", "  #! PTO324 `pl.col_argmax(t, tmp)`"),
            fixed=_kernel("[16, 64]"),
        ),
    ),
    good=(Example("scratch of the same shape", _kernel("[16, 64]")),),
)
