"""Ops that run on several queues: their phases and the event ids that the library uses inside them (sync.md 2.5).

A macro gives None when the op has its ordinary single phase in this form.
"""

from __future__ import annotations

from collections.abc import Callable

from pto_analysis.sync.op_call import Call, Lowered, Operand, handles
from pto_analysis.sync.program import Hidden, Phase, Pipe, Target

Macro = Callable[[Call, Target], "Lowered | None"]

_COPY_EVENTS = ((Pipe.MTE2, Pipe.MTE3), (Pipe.MTE3, Pipe.MTE2))
_REDUCE_EVENTS = (*_COPY_EVENTS, (Pipe.MTE2, Pipe.V), (Pipe.V, Pipe.MTE2), (Pipe.V, Pipe.MTE3))
_GATHER_ROW_EVENTS = (
    (Pipe.V, Pipe.S),
    (Pipe.MTE3, Pipe.S),
    (Pipe.S, Pipe.MTE2),
    (Pipe.MTE2, Pipe.V),
    (Pipe.MTE2, Pipe.MTE3),
    (Pipe.S, Pipe.V),
    (Pipe.S, Pipe.MTE3),
)
_GATHER_ELEMENT_EVENTS = (
    (Pipe.V, Pipe.S),
    (Pipe.MTE3, Pipe.S),
    (Pipe.MTE2, Pipe.S),
    (Pipe.S, Pipe.V),
    (Pipe.S, Pipe.MTE2),
    (Pipe.S, Pipe.MTE3),
)


def _hidden(pairs: tuple[tuple[Pipe, Pipe], ...], count: int) -> tuple[Hidden, ...]:
    return tuple(Hidden(source, target, count) for source, target in pairs)


def _group(call: Call, name: str) -> tuple[str, ...]:
    return handles(call.groups.get(name, ()))


def _copy(call: Call, _target: Target) -> Lowered:
    """Through staging tiles: in on MTE2, out on MTE3, one or two events each way."""
    staging = _group(call, "buf") or _group(call, "recv")
    phases = (
        Phase(Pipe.MTE2, _group(call, "src") or _group(call, "group"), staging),
        Phase(Pipe.MTE3, staging, _group(call, "dst") or _group(call, "group")),
    )
    return Lowered(phases, _hidden(_COPY_EVENTS, max(1, len(staging))))


def _reduce(call: Call, _target: Target) -> Lowered:
    received, total = _group(call, "recv"), _group(call, "acc")
    phases = (
        Phase(Pipe.MTE2, _group(call, "group"), received),
        Phase(Pipe.V, (*total, *received), total),
        Phase(Pipe.MTE3, total, _group(call, "dst")),
    )
    return Lowered(phases, _hidden(_REDUCE_EVENTS, 1 + max(1, len(received))))


def _scatter(call: Call, target: Target) -> Lowered | None:
    """The index form fills the destination on V, then scatters on the scalar unit."""
    sources = handles(call.ins)
    if target == "a5" or len(sources) < 2:
        return None
    outs = handles(call.outs)
    return Lowered((Phase(Pipe.V, (), outs), Phase(Pipe.S, sources, outs)), _hidden(((Pipe.V, Pipe.S),), 1))


def _gather(call: Call, target: Target) -> Lowered | None:
    """The compare form (a second output) alternates between V and the scalar unit; other forms are one V op."""
    outs, tiles = handles(call.outs), handles(call.ins)
    compares = len(outs) > 1 and target == "a2a3"
    tmp = handles(call.tmp) or (tiles[-1:] if len(tiles) > 1 else ())
    if compares and tmp:
        phases = (
            Phase(Pipe.V, tiles[:1], tmp),
            Phase(Pipe.S, (), tmp),
            Phase(Pipe.V, tmp, outs[:1]),
            Phase(Pipe.S, (), outs[1:]),
        )
        return Lowered(phases, _hidden(((Pipe.S, Pipe.V), (Pipe.V, Pipe.S)), 1))
    index_tmp = handles(call.tmp) or tiles[2:]
    scratch = index_tmp if target == "a2a3" else ()
    reads = tuple(name for name in tiles if name not in index_tmp)
    return Lowered((Phase(Pipe.V, reads, outs, scratch),))


def _gather_memory(call: Call, target: Target) -> Lowered:
    """`mgather`: the queue depends on the destination's space, the target and the `coalesce` attribute."""
    memory, index, scratch = handles(call.ins[:1]), handles(call.ins[1:2]), handles(call.ins[2:])
    outs = handles(call.outs)
    into_mat = bool(call.outs) and call.outs[0].space == "mat"
    coalesce = call.attributes.get("coalesce", "")
    if not coalesce:
        pipe = Pipe.V if target == "a5" and not into_mat else Pipe.MTE2
        return Lowered((Phase(pipe, (*memory, *index), (*outs, *scratch)),))
    element = "elem" in coalesce.lower()
    if into_mat:
        return _gather_into_mat(memory, index, scratch if element else (), outs)
    if target == "a5":
        return _gather_on_a5(memory, index, outs, single=element and _is_single(call.outs[0]))
    if element:
        return Lowered((Phase(Pipe.S, (*index, *memory), (*outs, *scratch)),), _hidden(_GATHER_ELEMENT_EVENTS, 1))
    phases = (Phase(Pipe.S, index), Phase(Pipe.MTE2, memory, outs))
    return Lowered(phases, _hidden(_GATHER_ROW_EVENTS, 1))


def _gather_into_mat(
    memory: tuple[str, ...], index: tuple[str, ...], scratch: tuple[str, ...], outs: tuple[str, ...]
) -> Lowered:
    phases = (Phase(Pipe.S, index, scratch), Phase(Pipe.MTE2, (*memory, *scratch), outs))
    return Lowered(phases, _hidden(((Pipe.S, Pipe.MTE2),), 1))


def _gather_on_a5(memory: tuple[str, ...], index: tuple[str, ...], outs: tuple[str, ...], *, single: bool) -> Lowered:
    if not single:
        return Lowered((Phase(Pipe.V, (*memory, *index), outs),))
    phases = (Phase(Pipe.V, index), Phase(Pipe.S, memory, outs))
    return Lowered(phases, _hidden(((Pipe.V, Pipe.S), (Pipe.S, Pipe.V)), 1))


def _is_single(operand: Operand) -> bool:
    return operand.shape is not None and (operand.shape.valid_rows, operand.shape.valid_cols) == (1, 1)


def _scatter_memory(call: Call, target: Target) -> Lowered:
    return Lowered((Phase(Pipe.V if target == "a5" else Pipe.MTE3, handles(call.ins), handles(call.outs)),))


def _index_ramp(call: Call, target: Target) -> Lowered:
    """`tci`: scalar writes, except that the form with tmp is a vector sequence on A2/A3 (PTOAS #1499, #1532)."""
    tmp = (*handles(call.tmp), *handles(call.ins))
    if tmp and target == "a2a3":
        return Lowered((Phase(Pipe.V, (), handles(call.outs), tmp),))
    return Lowered((Phase(Pipe.S, (), handles(call.outs)),))


def _merge_sort(call: Call, _target: Target) -> Lowered:
    """`tmrgsort` reads all sources; outputs behind the first are scratch."""
    outs = handles(call.outs)
    return Lowered((Phase(Pipe.V, handles(call.ins), outs[:1], (*outs[1:], *handles(call.tmp))),))


MACROS: dict[str, Macro] = {
    "comm.tput": _copy,
    "comm.tget": _copy,
    "comm.tbroadcast": _copy,
    "comm.tscatter": _copy,
    "comm.tgather": _copy,
    "comm.treduce": _reduce,
    "tscatter": _scatter,
    "tgather": _gather,
    "mgather": _gather_memory,
    "mscatter": _scatter_memory,
    "tci": _index_ramp,
    "tmrgsort": _merge_sort,
}
"""Ops whose phases depend on their form, by name."""
