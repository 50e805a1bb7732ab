"""From an op with its operands to its phases: what both frontends call for every op that they read.

model = lower_op(Call("tadds", ins=(tile("x"), scalar()), outs=(tile("x"),)), "a2a3")
build.add(Op(..., phases=model.phases, hidden=model.hidden, unknown=model.unknown))
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from attrs import field

from pto_analysis.frozen import frozen
from pto_analysis.sync.macros import MACROS
from pto_analysis.sync.op_call import Call, Lowered, Operand, handles
from pto_analysis.sync.op_table import (
    EXTRACTS,
    HELPERS,
    INSERTS,
    MOVES,
    NOT_QUEUED,
    OPS,
    POPS,
    PUSHES,
    SCALE_DTYPES,
    OpRow,
)
from pto_analysis.sync.program import Phase, Pipe, Space, Target


def lower_op(call: Call, target: Target) -> Lowered:
    """The phases of an op; none at all when it enters no queue. An op without a row is kept and marked unknown."""
    if call.name in NOT_QUEUED:
        return Lowered(())
    macro = MACROS.get(call.name)
    lowered = macro(call, target) if macro is not None else None
    if lowered is not None:
        return lowered
    row = OPS.get(call.name)
    if row is None:
        return Lowered((_phase(call, OpRow(_guess(call)), _guess(call), target),), unknown=True)
    pipe = _pipe(call, row, target)
    return Lowered((_phase(call, row, pipe, target),)) if pipe is not None else Lowered(())


@frozen
class HelperCall:
    """`func.call` of a tile helper: `kind` names its queue, `effects` what it does to each operand (sync.md 2.6)."""

    kind: str
    operands: tuple[Operand, ...]
    effects: Mapping[int, str] = field(factory=dict[int, str])


def lower_helper(call: HelperCall) -> Lowered:
    """One phase on the helper's queue; operands without a declared effect are read and written."""
    pipe = HELPERS.get(call.kind)
    if pipe is None:
        return Lowered(())
    effects = [(operand, call.effects.get(index, "readwrite")) for index, operand in enumerate(call.operands)]
    reads = handles(operand for operand, effect in effects if "read" in effect)
    writes = handles(operand for operand, effect in effects if "write" in effect)
    return Lowered((Phase(pipe, reads, writes),))


def _pipe(call: Call, row: OpRow, target: Target) -> Pipe | None:
    if isinstance(row.pipe, Pipe):
        return row.pipe
    source, destination = _space(call.ins), _space(call.outs)
    if row.pipe == "store":
        return Pipe.FIX if source == "acc" else Pipe.MTE3
    if row.pipe == "push":
        return PUSHES.get(source) if source is not None else None
    if row.pipe == "pop":
        return POPS[target]
    if row.pipe == "fillpad":
        return Pipe.MTE1 if (source, destination) == ("mat", "mat") else Pipe.V
    if source is None or destination is None:
        return Pipe.V
    if row.pipe == "insert":
        return INSERTS[target].get((source, destination), Pipe.FIX)
    if row.pipe == "extract":
        return EXTRACTS.get((source, destination), Pipe.V)
    if (source, destination) == ("mat", "scaling"):
        return Pipe.MTE1 if call.outs[0].dtype in SCALE_DTYPES else Pipe.FIX
    return MOVES.get((source, destination), Pipe.V)


def _phase(call: Call, row: OpRow, pipe: Pipe, target: Target) -> Phase:
    data, tmp = _without_tmp(call, row)
    reads = [*handles(data), *handles(call.extra)]
    writes = [*handles(call.outs)]
    if row.reads_outputs:
        reads.extend(handles(call.outs))
    if row.writes_inputs or _requantises_source(call):
        writes.extend(handles(data))
    scratch: tuple[str, ...] = ()
    if row.tmp == "scratch" or (call.tmp and row.tmp == "none"):
        scratch = handles(tmp) if target in (row.tmp_targets or (target,)) else ()
    elif row.tmp == "written" and target in row.tmp_targets:
        writes.extend(handles(tmp))
    return Phase(pipe, tuple(dict.fromkeys(reads)), tuple(dict.fromkeys(writes)), scratch)


def _without_tmp(call: Call, row: OpRow) -> tuple[tuple[Operand, ...], tuple[Operand, ...]]:
    """The data operands of `ins` and the scratch ones."""
    if call.tmp or row.inputs is None:
        return call.ins, call.tmp
    tiles = [operand for operand in call.ins if operand.handle is not None]
    if len(tiles) <= row.inputs:
        return tuple(tiles), ()
    if call.name == "tsels":
        return tuple(tiles[:2]), tuple(tiles[2:])
    return tuple(tiles[: row.inputs]), tuple(tiles[row.inputs :])


def _requantises_source(call: Call) -> bool:
    """`tquant.mx` pads a 16-bit source in place when its valid part is narrower than the tile (sync.md 3)."""
    if call.name != "tquant.mx" or not call.ins or call.ins[0].shape is None:
        return False
    shape = call.ins[0].shape
    return call.ins[0].dtype in ("f16", "bf16") and shape.valid_cols != shape.cols


def _space(operands: Iterable[Operand]) -> Space | None:
    return next((operand.space for operand in operands if operand.space is not None), None)


def _guess(call: Call) -> Pipe:
    """The queue of an op that the table does not have, by the spaces it touches."""
    source, destination = _space(call.ins), _space(call.outs)
    if source == "gm" and destination is not None:
        return Pipe.MTE2
    if destination == "gm":
        return Pipe.FIX if source == "acc" else Pipe.MTE3
    if destination == "acc":
        return Pipe.M
    if source == "acc":
        return Pipe.FIX
    return Pipe.MTE1 if source == "mat" else Pipe.V
