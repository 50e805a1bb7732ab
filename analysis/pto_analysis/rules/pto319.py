"""PTO319: an operation that the target does not have."""

from __future__ import annotations

from collections.abc import Iterable

from pto_analysis.findings import Finding, Severity
from pto_analysis.ops import get
from pto_analysis.rules.core_calls import core_calls
from pto_analysis.rules.cube_boxes import product_kernel
from pto_analysis.rules.example import incore
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.rule import Example, Reference, Rule


def check(kernel: KernelFacts) -> Iterable[Finding]:
    for call, origin in core_calls(kernel):
        spec = get(call.op)
        if spec is not None and spec.targets and kernel.toolchain.target not in spec.targets:
            name, others = call.op.rpartition(".")[2], " and ".join(spec.targets)
            message = f"`{name}` exists on {others} only, and this is checked for {kernel.toolchain.target}"
            yield kernel.finding(RULE, origin, message, data={"op": call.op, "targets": list(spec.targets)})


def _kernel(mark: str = "") -> str:
    return incore(
        f"""\
            left = pl.move(pl.load(a, [0, 0], [16, 64], target_memory=pl.Mem.Mat), target_memory=pl.Mem.Left)
            ls = pl.move(pl.load(s, [0, 0], [16, 2], target_memory=pl.Mem.Mat), target_memory=pl.Mem.LeftScale)
            right = pl.move(pl.load(b, [0, 0], [64, 32], target_memory=pl.Mem.Mat), target_memory=pl.Mem.Right)
            rs = pl.move(pl.load(t, [0, 0], [2, 32], target_memory=pl.Mem.Mat), target_memory=pl.Mem.RightScale)
            y = pl.store(pl.matmul_mx(left, ls, right, rs), [0, 0], y){mark}
            return y
        """,
        "a: pl.Tensor[[16, 64], pl.FP8E4M3FN], s: pl.Tensor[[16, 2], pl.FP8E8M0, pl.MX_A_ZZ], "
        "b: pl.Tensor[[64, 32], pl.FP8E4M3FN], t: pl.Tensor[[2, 32], pl.FP8E8M0, pl.MX_B_NN], "
        "y: pl.Out[pl.Tensor[[16, 32], pl.FP32]]",
    )


RULE = Rule(
    code="PTO319",
    name="operation-not-on-target",
    severity=Severity.WARNING,
    summary="An operation that the target does not have",
    what="""\
Reports operations that exist on other targets than the one that is checked for (`target` in the configuration,
`--target` on the command line): the products of microscaled operands, which only A5 has.""",
    why="""\
Neither the parser nor the type rules know the target, so the kernel fails in the generated C++.""",
    check=check,
    references=(Reference("hw-native-sys/pypto", 621), Reference("hw-native-sys/PTOAS", 487)),
    bad=(Example("a microscaled product on A2/A3", _kernel("  #! PTO319")),),
    good=(Example("a plain product", product_kernel(16, 64, 32)),),
)
