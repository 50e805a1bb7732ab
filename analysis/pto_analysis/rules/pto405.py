"""PTO405: a buffer at an address that the hardware cannot use."""

from __future__ import annotations

from collections.abc import Iterable

from pto_analysis.findings import Finding, Severity
from pto_analysis.ir.types import Space
from pto_analysis.ops.targets import TARGETS
from pto_analysis.rules.program_facts import ProgramFacts
from pto_analysis.rules.rule import Example, Reference, Rule
from pto_analysis.rules.usage import PHYSICAL
from pto_analysis.sync.kernel.buffers import SPACES
from pto_analysis.sync.program import Region

ALIGNMENT = 32
"""Bytes that a vector operand starts at a multiple of."""

_SPACES = {name: space for space, name in SPACES.items() if name != "scaling"}
"""The memories that a name stands for one of; scales of the left and the right operand have one name."""


def check(facts: ProgramFacts) -> Iterable[Finding]:
    if facts.text is None:
        return
    for region in facts.program.regions.values():
        space = _SPACES.get(region.space)
        if space is not None and isinstance(region.base, int) and region.base >= 0 and not region.anywhere:
            message = _problem(facts, region, space, region.base)
            if message is not None:
                yield facts.finding(RULE, region.where, message, data={"address": region.base})


def _problem(facts: ProgramFacts, region: Region, space: Space, base: int) -> str | None:
    target = facts.toolchain.target
    room = PHYSICAL.get((target, space), TARGETS[target].capacity(space))
    if room is not None and region.size is not None and base + region.size > room:
        return (
            f"{_name(region)} reaches from byte {base} to {base + region.size} of {space.value}, which has {room} "
            f"bytes on {target}"
        )
    if space is Space.VEC and base % ALIGNMENT:
        below = base // ALIGNMENT * ALIGNMENT
        return (
            f"{_name(region)} starts at byte {base} of {space.value}, where operands start at multiples of "
            f"{ALIGNMENT}: {below} or {below + ALIGNMENT}"
        )
    return None


def _name(region: Region) -> str:
    return f"`{region.root}`" if region.root else "this buffer"


_TILE = "!pto.tile_buf<loc=vec, dtype=f32, rows=8, cols=64, v_row=8, v_col=64, blayout=row_major, slayout=none_box>"


def _program(address: int, mark: str = "") -> str:
    return f"""\
!tile = {_TILE}
!part = !pto.partition_tensor_view<8x64xf32>
module {{
  func.func @copy(%x: !part, %y: !part) attributes {{pto.kernel_kind = #pto.kernel_kind<vector>}} {{
    %a = arith.constant {address} : i64
    %t = pto.alloc_tile addr = %a : !tile{mark}
    pto.tload ins(%x : !part) outs(%t : !tile)
    pto.tstore ins(%t : !tile) outs(%y : !part)
    return
  }}
}}
"""


def _example(title: str, address: int, mark: str = "") -> Example:
    return Example(title, _program(address, mark), language="mlir")


RULE = Rule(
    code="PTO405",
    name="unusable-address",
    severity=Severity.ERROR,
    summary="A buffer at an address that the hardware cannot use",
    what="""\
Reports buffers of `.pto` text with an address of their own (`pto.alloc_tile addr = …`) that reach past the end of their
memory, and vector tiles that start off a multiple of 32 bytes.""",
    why="""\
The assembler takes any address. A vector instruction on an unaligned one hangs the board; one past the end reads and
writes what is not there, and the fault shows as a timeout of something else.""",
    check_program=check,
    references=(Reference("hw-native-sys/PTOAS", 875), Reference("hw-native-sys/pto-isa", 119)),
    bad=(
        _example("16 bytes off", 2064, "  #! PTO405"),
        _example("past the end of the vector buffer", 196_000, "  #! PTO405"),
    ),
    good=(_example("the second 2048 bytes", 2048),),
)
