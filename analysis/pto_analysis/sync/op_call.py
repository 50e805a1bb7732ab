"""An op as a frontend hands it to the lowering: its operands in groups, without their syntax."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from attrs import field

from pto_analysis.frozen import frozen
from pto_analysis.sync.program import Hidden, Phase, Space, TileShape


@frozen
class Operand:
    """A tile, view or pointer by its handle, or a scalar (`handle` None). `dtype` is spelled as in `.pto`."""

    handle: str | None = None
    space: Space | None = None
    shape: TileShape | None = None
    dtype: str = ""


@frozen
class Call:
    """One op. `extra` are further operands that are read (fp, pre_quant, scales); `tmp` scratch operands named as such.

    `groups` hold the named operand lists of comm ops: "dst", "src", "buf" (ping, pong), "group", "acc", "recv".
    `attributes` are the op's attributes as text.
    """

    name: str
    ins: tuple[Operand, ...] = ()
    outs: tuple[Operand, ...] = ()
    extra: tuple[Operand, ...] = ()
    tmp: tuple[Operand, ...] = ()
    groups: Mapping[str, tuple[Operand, ...]] = field(factory=dict[str, tuple[Operand, ...]])
    attributes: Mapping[str, str] = field(factory=dict[str, str])


@frozen
class Lowered:
    """What an op is to the queues. No phases: it enters none."""

    phases: tuple[Phase, ...]
    hidden: tuple[Hidden, ...] = ()
    unknown: bool = False


def handles(operands: Iterable[Operand]) -> tuple[str, ...]:
    """The handles of the operands that have one."""
    return tuple(operand.handle for operand in operands if operand.handle is not None)
