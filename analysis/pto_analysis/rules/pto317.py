"""PTO317: a valid shape set on a view of a tile."""

from __future__ import annotations

from collections.abc import Iterable

from pto_analysis.findings import Finding, Fix, Severity
from pto_analysis.fixes.valid_shape import valid_where_sliced
from pto_analysis.ir.expr import Call, Var
from pto_analysis.ir.stmt import Assign
from pto_analysis.ir.walk import statements
from pto_analysis.rules.core_calls import core_calls, operand_name
from pto_analysis.rules.example import incore
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.rule import Example, Reference, Rule
from pto_analysis.rules.slice_fixes import is_own_tile
from pto_analysis.source.span import Origin


def check(kernel: KernelFacts) -> Iterable[Finding]:
    slices: dict[Var, Assign] | None = None
    for call, origin in core_calls(kernel):
        if call.op != "tile.set_validshape":
            continue
        slices = _slices(kernel) if slices is None else slices
        tile = call.args[0]
        made = slices.get(tile) if isinstance(tile, Var) else None
        if made is not None:
            message = (
                f"{operand_name(tile)} is a window of another tile, and the assembler sets valid shapes on whole "
                "tiles only: give the window its `valid_shape=` where it is sliced, or copy it into a tile first"
            )
            related = (kernel.related(made.origin, "the window"),)
            fix = _fix(kernel, made.var, origin)
            yield kernel.finding(RULE, origin, message, related=related, fix=fix)


def _fix(kernel: KernelFacts, var: Var, setting: Origin | None) -> Fix | None:
    if kernel.unit is None or not is_own_tile(kernel, var, setting):
        return None
    return valid_where_sliced(kernel.unit, kernel.analysis.function, var, setting)


def _slices(kernel: KernelFacts) -> dict[Var, Assign]:
    return {
        stmt.var: stmt
        for stmt in statements(kernel.analysis.canonical.function.body)
        if isinstance(stmt, Assign) and isinstance(stmt.value, Call) and stmt.value.op == "tile.slice"
    }


def _kernel(window: str, mark: str = "") -> str:
    return incore(f"""\
        t = pl.load(x, [0, 0], [64, 64])
        w = {window}
        v = pl.set_validshape(w, 16, 24){mark}
        y = pl.store(pl.fillpad(v, pad_value=pl.PadValue.zero), [0, 0], y)
        return y
    """)


RULE = Rule(
    code="PTO317",
    name="valid-shape-of-view",
    severity=Severity.WARNING,
    summary="A valid shape set on a view of a tile",
    what="""\
Reports `set_validshape` of a tile that is a `tile.slice` of another one and stays a slice after canonicalization.""",
    why="""\
The operation changes the description of a buffer of its own; a window has none. It passed the compiler's checks, and
the assembler then complained about function arguments. Since August 2026 the compiler refuses it, as its last step.""",
    check=check,
    fix="sometimes",
    fix_note="""\
Gives the slice its `valid_shape=` in the place of `set_validshape`, where nothing else reads the slice.""",
    references=(Reference("hw-native-sys/pypto", 2380),),
    bad=(
        Example(
            "on a window",
            _kernel("pl.tile.slice(t, [32, 64], [0, 0])", "  #! PTO317"),
            fixed=incore("""\
                t = pl.load(x, [0, 0], [64, 64])
                v = pl.tile.slice(t, [32, 64], [0, 0], valid_shape=[16, 24])
                y = pl.store(pl.fillpad(v, pad_value=pl.PadValue.zero), [0, 0], y)
                return y
            """),
        ),
    ),
    good=(Example("on a tile", _kernel("pl.exp(t)")),),
)
