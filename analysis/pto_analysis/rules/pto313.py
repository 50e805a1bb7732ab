"""PTO313: a matmul operand whose K is not a whole number of the boxes that the cube reads."""

from __future__ import annotations

from collections.abc import Iterable

from pto_analysis.findings import Finding, Severity
from pto_analysis.rules.cube_boxes import UnboxedExtent, product_kernel, unboxed_extents
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.rule import Example, Reference, Rule


def check(kernel: KernelFacts) -> Iterable[Finding]:
    for item in unboxed_extents(kernel, ("K",)):
        yield kernel.finding(RULE, item.origin, _message(item), data=item.data)


def _message(item: UnboxedExtent) -> str:
    split = f", or split the product at {item.last_whole}" if item.last_whole else ""
    return (
        f"K is {item.extent} in {item.name}, and the cube reads it in boxes of {item.box}: make it {item.next_whole} "
        f"and fill the rest with zeros on both sides{split}"
    )


RULE = Rule(
    code="PTO313",
    name="cube-k-not-boxed",
    severity=Severity.WARNING,
    summary="A matmul operand whose K is not a whole number of boxes",
    what="""\
Reports products whose inner extent is a known number and no multiple of the box of the operand's dtype: 32 bytes, and
at least 16 elements where the other operand is cut into rows (16 for FP16, BF16 and FP32, 32 for INT8).""",
    why="""\
L0A and L0B are made of boxes of 16 rows and 32 bytes. The assembler or the generated C++ refuses a part of a box, with
words like "innerRows" that name neither the variable nor the axis. Padding with anything but zeros would change
sums.""",
    check=check,
    references=(Reference("hw-native-sys/pypto", 2442), Reference("hw-native-sys/pypto", 724)),
    bad=(Example("K is 100", product_kernel(16, 100, 64, "  #! PTO313")),),
    good=(Example("K is 96", product_kernel(16, 96, 64)),),
)
