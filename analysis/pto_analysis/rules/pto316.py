"""PTO316: one column of a row-major tensor in global memory, loaded as a column vector."""

from __future__ import annotations

from collections.abc import Iterable

from pto_analysis.findings import Finding, Severity
from pto_analysis.frontend.typed import constant_int
from pto_analysis.ir.expr import Call, Tuple, Var
from pto_analysis.ir.types import Space, TensorType, TileType
from pto_analysis.rules.core_calls import core_calls, operand_name
from pto_analysis.rules.example import incore
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.rule import Example, Reference, Rule


def check(kernel: KernelFacts) -> Iterable[Finding]:
    for call, origin in core_calls(kernel):
        columns = _columns_beside(call)
        if columns is not None:
            yield kernel.finding(RULE, origin, _message(call, columns), data={"stride": columns})


def _columns_beside(call: Call) -> int | None:
    """The columns of the tensor of which a load takes one; None for every other call."""
    if call.op != "tile.load" or len(call.args) < 3 or call.attrs.get("transpose"):
        return None
    source, tile = call.args[0], call.type
    if not isinstance(source, Var) or not isinstance(source.type, TensorType) or not isinstance(tile, TileType):
        return None
    view = source.type.view
    if tile.space is not Space.VEC or (view is not None and (view.stride is not None or view.layout != "ND")):
        return None
    return _width(source.type, call.args[2])


def _width(tensor: TensorType, extents: object) -> int | None:
    if not isinstance(extents, Tuple) or len(extents.items) < 2 or not tensor.shape:
        return None
    rows, taken = (constant_int(item) for item in extents.items[-2:])
    columns = tensor.shape[-1]
    if rows is None or rows < 2 or taken != 1 or not isinstance(columns, int):
        return None
    return columns if columns > 1 else None


def _message(call: Call, columns: int) -> str:
    return (
        f"one column of {operand_name(call.args[0])}, whose rows have {columns} elements: a column vector is loaded "
        f"from memory without gaps only. Keep the column as a tensor [N, 1], or load a block of columns and slice it "
        "on chip"
    )


def _kernel(parameter: str, mark: str = "") -> str:
    return incore(
        f"""\
            t = pl.load(x, [0, 0], [16, 64])
            c = pl.load(s, [0, 0], [16, 1]){mark}
            y = pl.store(pl.row_expand_mul(t, c), [0, 0], y)
            return y
        """,
        f"x: pl.Tensor[[16, 64], pl.FP32], s: {parameter}, y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]",
    )


RULE = Rule(
    code="PTO316",
    name="column-of-row-major-tensor",
    severity=Severity.WARNING,
    summary="One column of a row-major tensor loaded as a column vector",
    what="""\
Reports loads of `[N, 1]` into Vec from a dense tensor in global memory whose rows have a known number of elements, more
than one.""",
    why="""\
A column vector is laid out column by column, the tensor row by row, and no load turns one into the other: the simulator
passes, the device compiler stops at a static assertion about layouts.""",
    check=check,
    references=(
        Reference("hw-native-sys/pypto", 1398),
        Reference("hw-native-sys/pypto", 1230),
        Reference("hw-native-sys/pypto-lib", 312),
    ),
    bad=(Example("the first of eight columns", _kernel("pl.Tensor[[16, 8], pl.FP32]", "  #! PTO316")),),
    good=(Example("a tensor of one column", _kernel("pl.Tensor[[16, 1], pl.FP32]")),),
)
