"""PTO314: a matmul operand whose M or N is not a whole number of the boxes that the cube reads."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from pto_analysis.findings import Finding, Severity
from pto_analysis.rules.cube_boxes import UnboxedExtent, product_kernel, unboxed_extents
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.rule import Example, Reference, Rule
from pto_analysis.toolchain import Bites


def check(kernel: KernelFacts) -> Iterable[Finding]:
    for item in unboxed_extents(kernel, ("M", "N")):
        yield kernel.finding(RULE, item.origin, _message(item), data=item.data)


def _message(item: UnboxedExtent) -> str:
    valid = f"[{item.extent}, …]" if item.axis == "M" else f"[…, {item.extent}]"
    return (
        f"{item.axis} is {item.extent} in {item.name}, and the cube reads it in boxes of {item.box}, which this "
        f"compiler does not fill up: load {item.next_whole} with `valid_shape={valid}`, or take a "
        f"multiple of {item.box}"
    )


RULE = Rule(
    code="PTO314",
    name="cube-mn-not-boxed",
    severity=Severity.WARNING,
    summary="A matmul operand whose M or N is not a whole number of boxes",
    what="""\
Reports products whose M or N is a known number and no multiple of the 16 elements of a box, for compilers before
31 August 2026, which did not fill operands up to whole boxes.""",
    why="""\
The assembler refuses a part of a box, and names "innerRows" instead of the variable; fewer than 16 rows could compile
all the way to a kernel that the cube cannot address.""",
    check=check,
    references=(
        Reference("hw-native-sys/pypto", 2572),
        Reference("hw-native-sys/pypto", 2577),
        Reference("hw-native-sys/pypto", 1447),
        Reference("hw-native-sys/pypto", 2568),
        Reference("hw-native-sys/pypto", 724),
    ),
    bites=Bites(pypto_until=date(2026, 8, 31)),
    bad=(
        Example("M is 20", product_kernel(20, 64, 64, "  #! PTO314")),
        Example("M is 4", product_kernel(4, 64, 64, "  #! PTO314")),
        Example("N is 17", product_kernel(32, 64, 17, "  #! PTO314")),
    ),
    good=(Example("M is 32", product_kernel(32, 64, 64)),),
)
