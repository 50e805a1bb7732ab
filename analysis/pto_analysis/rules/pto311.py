"""PTO311: an atomic addition of BF16 on a target whose store pipe has none."""

from __future__ import annotations

from collections.abc import Iterable

from pto_analysis.findings import Finding, Severity
from pto_analysis.ir.expr import Call
from pto_analysis.ir.types import Atomic, TensorType
from pto_analysis.ir.walk import statements
from pto_analysis.rules.example import incore
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.rule import Example, Reference, Rule
from pto_analysis.rules.written_names import calls_of
from pto_analysis.toolchain import Bites

_DESTINATION = {
    "tile.store": 2,
    "tensor.assemble": 0,
    "pld.tensor.put": 0,
    "pld.tile.put": 0,
    "pld.tensor.remote_store": 1,
    "pld.tile.remote_store": 1,
}
"""The operand that an operation writes atomically."""


def check(kernel: KernelFacts) -> Iterable[Finding]:
    if kernel.written is not None:
        return
    for stmt in statements(kernel.function.body):
        for call in calls_of(stmt):
            if isinstance(call, Call) and _adds_bf16(call):
                message = (
                    "this target cannot add BF16 atomically in global memory: accumulate into an FP32 tensor and cast "
                    "it when the sum is complete"
                )
                yield kernel.finding(RULE, call.origin, message)


def _adds_bf16(call: Call) -> bool:
    place = _DESTINATION.get(call.op)
    if place is None or place >= len(call.args) or call.attrs.get("atomic") is not Atomic.ADD:
        return False
    kind = getattr(call.args[place], "type", None)
    return isinstance(kind, TensorType) and kind.dtype.name == "BF16"


def _kernel(dtype: str, mark: str) -> str:
    return incore(
        f"""\
            t = pl.load(x, [0, 0], [64, 64])
            y = pl.store(t, [0, 0], y, atomic=pl.AtomicType.Add){mark}
            return y
        """,
        f"x: pl.Tensor[[64, 64], {dtype}], y: pl.InOut[pl.Tensor[[64, 64], {dtype}]]",
    )


RULE = Rule(
    code="PTO311",
    name="atomic-bf16",
    severity=Severity.ERROR,
    summary="An atomic addition of BF16 on a target without one",
    what="""\
Reports stores, assembles and remote stores with `atomic=pl.AtomicType.Add` into BF16 tensors on the a5 target.""",
    why="""\
The store pipe of A2 and A3 adds BF16 in memory, that of A5 does not. Older compilers let it through to a static
assertion in generated C++.""",
    check=check,
    references=(Reference("hw-native-sys/pypto", 1930),),
    bites=Bites(targets=("a5",)),
    bad=(Example("BF16 added in place", _kernel("pl.BF16", "  #! PTO311")),),
    good=(Example("FP32 added in place", _kernel("pl.FP32", "")),),
)
