"""PTO310: an accumulator stored into a tensor of a dtype that the way out of L0C cannot write."""

from __future__ import annotations

from collections.abc import Iterable

from pto_analysis.findings import Finding, Severity
from pto_analysis.ir.expr import Call, Var
from pto_analysis.ir.types import Space, TensorType
from pto_analysis.rules.core_calls import core_calls, operand_name, tile_of
from pto_analysis.rules.example import incore
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.rule import Example, Reference, Rule

_WRITABLE = ("INT32", "FP32", "FP16", "BF16")
"""What the fix-pipe narrows an accumulator into, on both targets (hw-native-sys/pypto, backend handlers)."""


def check(kernel: KernelFacts) -> Iterable[Finding]:
    for call, origin in core_calls(kernel):
        dtype = _refused_dtype(call)
        if dtype is not None:
            message = (
                f"{operand_name(call.args[0])} is an accumulator, and L0C writes {', '.join(_WRITABLE)} to global "
                f"memory, not {dtype}: cast the product on the vector core first, or store it as INT32 or FP32"
            )
            yield kernel.finding(RULE, origin, message, data={"dtype": dtype})


def _refused_dtype(call: Call) -> str | None:
    if call.op != "tile.store" or len(call.args) < 3:
        return None
    tile, target = tile_of(call.args[0]), call.args[2]
    if tile is None or tile.space is not Space.ACC or not isinstance(target, Var):
        return None
    dtype = target.type.dtype.name if isinstance(target.type, TensorType) else None
    return None if dtype in _WRITABLE else dtype


_PARAMETERS = "a: pl.Tensor[[32, 64], pl.INT8], b: pl.Tensor[[64, 32], pl.INT8], y: pl.Out[pl.Tensor[[32, 32], {}]]"
_PRODUCT = """\
    left = pl.move(pl.load(a, [0, 0], [32, 64], target_memory=pl.Mem.Mat), target_memory=pl.Mem.Left)
    right = pl.move(pl.load(b, [0, 0], [64, 32], target_memory=pl.Mem.Mat), target_memory=pl.Mem.Right)
    acc = pl.matmul(left, right)
"""

RULE = Rule(
    code="PTO310",
    name="accumulator-store-dtype",
    severity=Severity.ERROR,
    summary="An accumulator is stored into a tensor of a dtype that L0C cannot write",
    what="""\
Reports a store of an Acc tile into a global tensor whose elements are not INT32, FP32, FP16 or BF16.""",
    why="""\
The fix-pipe that empties L0C narrows into these four only. The compiler finds it after it has decided where tiles live,
older ones leave it to the assembler, which points into generated text.""",
    check=check,
    references=(Reference("hw-native-sys/pypto", 2364),),
    bad=(
        Example(
            "an INT8 product of INT8 operands",
            incore(
                _PRODUCT + "    y = pl.store(acc, [0, 0], y)  #! PTO310\n    return y\n", _PARAMETERS.format("pl.INT8")
            ),
        ),
    ),
    good=(
        Example(
            "stored as INT32",
            incore(_PRODUCT + "    y = pl.store(acc, [0, 0], y)\n    return y\n", _PARAMETERS.format("pl.INT32")),
        ),
    ),
)
