"""PTO608: an operation writes its result over an operand that it still reads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache

from pto_analysis.findings import Finding, Severity
from pto_analysis.ops.table import table
from pto_analysis.rules.program_facts import ProgramFacts
from pto_analysis.rules.rule import Example, Reference, Rule
from pto_analysis.sync.program import Op, Phase, Region, statements

_COPIES = frozenset({"tmov", "textract"})
"""A tile that is moved onto itself stays as it is."""


def check(facts: ProgramFacts) -> Iterable[Finding]:
    if facts.text is None:
        return
    for stmt in statements(facts.program.body):
        if isinstance(stmt, Op) and stmt.name in _unsafe():
            for source, target in _shared(facts, stmt):
                yield facts.finding(RULE, stmt.where, _message(stmt, source, target))
                break


@cache
def _unsafe() -> frozenset[str]:
    """The operations whose result may not share bytes with any operand (facts: `inplace_safe`)."""
    names: dict[str, bool] = {}
    for spec in table().values():
        if spec.pto:
            names[spec.pto] = names.get(spec.pto, True) and not spec.inplace_safe
    return frozenset(name for name, unsafe in names.items() if unsafe) - _COPIES


def _shared(facts: ProgramFacts, op: Op) -> Iterator[tuple[Region, Region]]:
    """Operands and results of whole buffers that have bytes in common."""
    for phase in op.phases:
        for source in _regions(facts, phase, phase.reads):
            for target in _regions(facts, phase, phase.writes):
                if _overlap(source, target):
                    yield source, target


def _regions(facts: ProgramFacts, phase: Phase, handles: tuple[str, ...]) -> list[Region]:
    found = (facts.program.regions.get(handle) for handle in handles if handle not in phase.scratch)
    return [region for region in found if region is not None and region.slots == 1 and not region.anywhere]


def _overlap(one: Region, other: Region) -> bool:
    if one is other:
        return True
    if one.space != other.space or one.size is None or other.size is None:
        return False
    if not isinstance(one.base, int) or not isinstance(other.base, int):
        return False
    return one.base < other.base + other.size and other.base < one.base + one.size


def _message(op: Op, source: Region, target: Region) -> str:
    same = (
        f"`{source.root}` is both" if source is target else f"`{source.root}` has bytes in common with `{target.root}`"
    )
    return f"`{op.name}` writes while it still reads, and {same}: give the result a buffer of its own"


_TILE = "!pto.tile_buf<loc=vec, dtype=f32, rows=8, cols=64, v_row=8, v_col=64, blayout=row_major, slayout=none_box>"


def _program(target: str, mark: str = "") -> str:
    return f"""\
!tile = {_TILE}
!part = !pto.partition_tensor_view<8x64xf32>
module {{
  func.func @rest(%x: !part, %y: !part) attributes {{pto.kernel_kind = #pto.kernel_kind<vector>}} {{
    %a = pto.alloc_tile : !tile
    %b = pto.alloc_tile : !tile
    %c = pto.alloc_tile : !tile
    pto.tload ins(%x : !part) outs(%a : !tile)
    pto.tload ins(%y : !part) outs(%b : !tile)
    pto.tfmod ins(%a, %b : !tile, !tile) outs({target} : !tile){mark}
    pto.tstore ins({target} : !tile) outs(%y : !part)
    return
  }}
}}
"""


RULE = Rule(
    code="PTO608",
    name="in-place-result",
    severity=Severity.WARNING,
    summary="An operation writes its result over an operand that it still reads",
    what="""\
Reports operations of `.pto` text that are not safe in place and whose result is the buffer of an operand, or has bytes
in common with it: remainders, reciprocals, bit operations with scalars, reductions, transposes, concatenations,
gathers, sorts. The compiler's own planner knows them and keeps their results apart.""",
    why="""\
These run in several steps and read an operand again after the result has begun: zeros and rows of other rows, with no
message anywhere.""",
    check_program=check,
    references=(
        Reference("hw-native-sys/pto-isa", 179),
        Reference("hw-native-sys/pypto", 2007),
        Reference("hw-native-sys/pypto", 557),
        Reference("hw-native-sys/pypto", 1788),
    ),
    bad=(Example("a remainder over its first operand", _program("%a", "  #! PTO608"), language="mlir"),),
    good=(Example("a buffer of its own", _program("%c"), language="mlir"),),
)
