"""PTO607: padding is filled in where there is none."""

from __future__ import annotations

from collections.abc import Iterable

from pto_analysis.findings import Finding, Severity
from pto_analysis.ir.expr import Call, Var, type_of
from pto_analysis.ir.types import TensorType, TileType
from pto_analysis.ir.walk import statements
from pto_analysis.ops.views import valid_shape
from pto_analysis.passes.lowering.tree import calls
from pto_analysis.rules.example import incore
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.rule import Example, Reference, Rule
from pto_analysis.rules.slice_text import quoted

_FILLS = frozenset({"tile.fillpad", "tensor.fillpad"})


def check(kernel: KernelFacts) -> Iterable[Finding]:
    if kernel.lowered is not None:
        return
    for stmt in statements(kernel.function.body):
        for operand in stmt.operands:
            for call in calls(operand):
                if call.op in _FILLS and _is_whole(call):
                    yield kernel.finding(RULE, call.origin, _message(call))


def _is_whole(call: Call) -> bool:
    """Whether every element of what is filled up is known to be valid."""
    kind = type_of(call.args[0])
    if not isinstance(kind, (TileType, TensorType)):
        return False
    return all(isinstance(extent, int) for extent in kind.shape) and valid_shape(kind) == kind.shape


def _message(call: Call) -> str:
    filled = call.args[0]
    what = quoted(filled) if isinstance(filled, Var) else "what is filled here"
    return (
        f"{what} is valid in full, so there is no padding to fill: load or slice it with "
        "`valid_shape=`, or mark the live part with `pl.set_validshape` first"
    )


_N = "x: pl.Tensor[[64, 64], pl.FP32], n: pl.Scalar[pl.INDEX], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]"

RULE = Rule(
    code="PTO607",
    name="nothing-to-pad",
    severity=Severity.WARNING,
    summary="Padding is filled in where there is none",
    what="""\
Reports `pl.fillpad` of a tile or tensor whose valid shape is known to be its whole shape.""",
    why="""\
The rest of a block is masked by its valid shape alone. A block that was loaded or sliced without one counts as valid in
full, `fillpad` copies it, and what lies behind the live rows goes into the softmax.""",
    check=check,
    references=(Reference("hw-native-sys/pypto", 730),),
    bad=(
        Example(
            "loaded without a valid shape",
            incore(
                """\
                t = pl.load(x, [0, 0], [64, 64])
                u = pl.fillpad(t, pad_value=pl.PadValue.min)  #! PTO607
                y = pl.store(u, [0, 0], y)
                return y
                """,
                _N,
            ),
        ),
    ),
    good=(
        Example(
            "loaded with one",
            incore(
                """\
                t = pl.load(x, [0, 0], [64, 64], valid_shape=[n, 64])
                u = pl.fillpad(t, pad_value=pl.PadValue.min)
                y = pl.store(u, [0, 0], y)
                return y
                """,
                _N,
            ),
        ),
        Example(
            "marked afterwards",
            incore(
                """\
                t = pl.load(x, [0, 0], [64, 64])
                u = pl.fillpad(pl.set_validshape(t, n, 64), pad_value=pl.PadValue.min)
                y = pl.store(u, [0, 0], y)
                return y
                """,
                _N,
            ),
        ),
    ),
)
