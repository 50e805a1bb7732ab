"""PTO326: some columns of a tile in L0B as the right operand of a product."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pto_analysis.findings import Finding, Severity
from pto_analysis.frontend.typed import constant_int
from pto_analysis.ir.expr import Call, Var, type_of
from pto_analysis.ir.stmt import Assign
from pto_analysis.ir.types import Space, TileType
from pto_analysis.ir.walk import statements
from pto_analysis.passes.lowering.tree import calls
from pto_analysis.rules.example import incore
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.rule import Example, Reference, Rule

_RIGHT = {"tile.matmul": 1, "tile.matmul_acc": 2, "tile.matmul_bias": 1}
"""Which operand of a product is the right one."""


def check(kernel: KernelFacts) -> Iterable[Finding]:
    if not kernel.is_core:
        return
    windows = _windows(kernel)
    for stmt in statements(kernel.function.body) if windows else ():
        for operand in stmt.operands:
            for call in calls(operand):
                right = _RIGHT.get(call.op, len(call.args))
                window = windows.get(call.args[right]) if right < len(call.args) else None
                if window is not None:
                    yield kernel.finding(RULE, window.origin, _message(window))


def _windows(kernel: KernelFacts) -> Mapping[object, Call]:
    """The slices of tiles in L0B that leave columns out, by the variable that each is bound to."""
    found: dict[object, Call] = {}
    for stmt in statements(kernel.function.body):
        value = stmt.value if isinstance(stmt, Assign) else None
        if isinstance(stmt, Assign) and isinstance(value, Call) and value.op == "tile.slice" and _leaves_out(value):
            found[stmt.var] = value
    return found


def _leaves_out(call: Call) -> bool:
    source, window = type_of(call.args[0]), call.type
    if not isinstance(source, TileType) or not isinstance(window, TileType) or source.space is not Space.RIGHT:
        return False
    whole, part = constant_int(source.shape[-1]), constant_int(window.shape[-1])
    return whole is not None and part is not None and part < whole


def _message(call: Call) -> str:
    source = call.args[0]
    name = f"`{source.name}`" if isinstance(source, Var) else "a tile"
    return (
        f"these are some columns of {name}, which is in L0B already: the product reads the wrong ones. Cut them out "
        "of the tile in L1, with `pl.tile.extract(…, target_memory=pl.Mem.Right)`"
    )


_A_B = "a: pl.Tensor[[16, 64], pl.FP16], b: pl.Tensor[[64, 64], pl.FP16], y: pl.Out[pl.Tensor[[16, 32], pl.FP32]]"


def _kernel(lines: str) -> str:
    return incore(
        f"""\
        am = pl.load(a, [0, 0], [16, 64], target_memory=pl.Mem.Mat)
        bm = pl.load(b, [0, 0], [64, 64], target_memory=pl.Mem.Mat)
        left = pl.move(am, target_memory=pl.Mem.Left)
        {lines}
        y = pl.store(pl.matmul(left, half), [0, 0], y)
        return y
        """,
        _A_B,
    )


_CUT_LATE = """\
right = pl.move(bm, target_memory=pl.Mem.Right)
        half = pl.tile.slice(right, [64, 32], [0, 32])  #! PTO326 `pl.tile.slice(right, [64, 32], [0, 32])`"""
_CUT_EARLY = "half = pl.tile.extract(bm, 0, 32, [64, 32], target_memory=pl.Mem.Right)"

RULE = Rule(
    code="PTO326",
    name="columns-of-l0b",
    severity=Severity.WARNING,
    summary="Some columns of a tile in L0B as the right operand of a product",
    what="""\
Reports slices of a tile in `pl.Mem.Right` that have fewer columns than it and are multiplied with.""",
    why="""\
A tile in L0B is stored in boxes, and a view of some columns does not say how far it is from one row of boxes to the
next. Old assemblers refuse such a view; newer ones take it, and the product comes out of the wrong boxes.""",
    check=check,
    references=(Reference("hw-native-sys/PTOAS", 570),),
    bad=(Example("the right half, cut in L0B", _kernel(_CUT_LATE)),),
    good=(Example("the right half, cut in L1", _kernel(_CUT_EARLY)),),
)
