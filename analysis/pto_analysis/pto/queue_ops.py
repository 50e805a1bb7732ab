"""Operations that enter a queue, and what the author ordered by hand (reference: sync 1.3, 2, 3)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal as OneOf

from pto_analysis.arith.terms import Number, Term
from pto_analysis.pto.scope import Handle, Scope
from pto_analysis.pto.syntax import FunctionSyntax, Literal, Operation, Use
from pto_analysis.pto.view_ops import element_pointer
from pto_analysis.sync.lowering import HelperCall, lower_helper, lower_op
from pto_analysis.sync.op_call import Call, Lowered, Operand
from pto_analysis.sync.op_table import NOT_QUEUED
from pto_analysis.sync.program import Pipe, Target

_EVENT_CLASSES = {
    "TLOAD": Pipe.MTE2,
    "TSTORE_VEC": Pipe.MTE3,
    "TSTORE_ACC": Pipe.FIX,
    "TMOV_M2L": Pipe.MTE1,
    "TMOV_M2B": Pipe.MTE1,
    "TMOV_M2S": Pipe.FIX,
    "TMOV_M2V": Pipe.V,
    "TMOV_V2M": Pipe.FIX,
    "TMATMUL": Pipe.M,
    "TVEC": Pipe.V,
    "TVECWAIT_EVENT": Pipe.V,
}
"""Op classes of the higher-level sync spelling (sync.md 1.3)."""

_FLAGS: dict[str, OneOf["set", "wait"]] = {
    "pto.set_flag": "set",
    "pto.set_flag_dyn": "set",
    "pto.record_event": "set",
    "pto.wait_flag": "wait",
    "pto.wait_flag_dyn": "wait",
    "pto.wait_event": "wait",
}
_BARRIERS = frozenset({"pto.barrier", "pto.barrier_sync"})
_FENCE_PIPES = (Pipe.MTE2, Pipe.MTE3, Pipe.FIX)
_BUFFER_IDS = frozenset({"pto.get_buf", "pto.rls_buf"})

# Named operand lists of comm ops, and what the plain operands in front of them are, in order.
_GROUPS = frozenset({"buf", "recv", "group"})
_PLAIN_GROUPS: dict[str, tuple[str, ...]] = {
    "comm.tput": ("dst", "src"),
    "comm.tget": ("dst", "src"),
    "comm.tbroadcast": ("src",),
    "comm.tscatter": ("src",),
    "comm.tgather": ("dst",),
    "comm.treduce": ("dst", "acc"),
}


def is_manual(name: str) -> bool:
    """Whether the operation orders queues by itself."""
    return name in _FLAGS or name in _BARRIERS or name == "pto.fence.barrier_all" or name in _BUFFER_IDS


def lower_manual(scope: Scope, operation: Operation, target: Target) -> None:
    """Set, wait and barrier as the author wrote them. On A5 the vector queue has no barrier: it is erased."""
    if operation.name in _BUFFER_IDS:
        scope.notes["buffer ids (get_buf, rls_buf) order ops in a way the preview does not follow"] = None
        return
    if operation.name == "pto.fence.barrier_all":
        for pipe in _FENCE_PIPES:
            scope.builder.manual("barrier", pipe)
        return
    pipes = [_pipe(text) for text in operation.enums]
    if operation.name in _BARRIERS:
        _barrier(scope, operation, pipes, target)
        return
    if len(pipes) < 2 or pipes[0] is None or pipes[1] is None:
        scope.complain("syntax", f"'{operation.name}' needs two queues", operation.span)
        return
    scope.builder.manual(_FLAGS[operation.name], pipes[0], pipes[1], _event(scope, operation))


def _barrier(scope: Scope, operation: Operation, pipes: list[Pipe | None], target: Target) -> None:
    pipe = pipes[0] if pipes else None
    if pipe is None:
        scope.complain("syntax", f"'{operation.name}' needs a queue", operation.span)
    elif not (target == "a5" and pipe is Pipe.V):
        scope.builder.manual("barrier", pipe)


def _pipe(text: str) -> Pipe | None:
    word = text.strip().removeprefix("PIPE_")
    if word in _EVENT_CLASSES:
        return _EVENT_CLASSES[word]
    return Pipe[word] if word in Pipe.__members__ else None


def _event(scope: Scope, operation: Operation) -> int | Term | None:
    for use in operation.uses():
        return _plain(scope.term(use))
    for literal in operation.arguments:
        if isinstance(literal, Literal) and isinstance(literal.value, int):
            return literal.value
    digits = operation.enums[2].strip().removeprefix("EVENT_ID") if len(operation.enums) > 2 else ""
    return int(digits) if digits.isdigit() and len(digits) < 6 else None


def _plain(term: Term | None) -> int | Term | None:
    return term.value if isinstance(term, Number) else term


def lower_queue_op(scope: Scope, operation: Operation, target: Target) -> None:
    """An op that some queue runs; also every op nobody knows, taken as reading `ins` and writing `outs`."""
    name = operation.name.removeprefix("pto.")
    call = _call(scope, operation, name)
    lowered = lower_op(call, target)
    if lowered.unknown:
        message = f"unknown operation '{operation.name}': taken to read its inputs and write its outputs"
        scope.complain("unknown-operation", message, operation.name_span)
    _add(scope, name, lowered)


def _add(scope: Scope, name: str, lowered: Lowered) -> None:
    if lowered.phases:
        scope.builder.macro(name, lowered.phases, lowered.hidden, unknown=lowered.unknown)


def _call(scope: Scope, operation: Operation, name: str) -> Call:
    if name in ("load_scalar", "store_scalar"):
        return _scalar_access(scope, operation, name)
    ins = [scope.operand(use) for use in operation.uses("ins") if use.role is None]
    outs = [scope.operand(use) for use in operation.uses("outs")]
    extra = [scope.operand(use) for use in operation.uses() if use.role is not None and use.key in ("ins", "")]
    tmp = tuple(scope.operand(use) for use in operation.uses("ins") if use.role == "tmp")
    plain = [scope.operand(use) for use in operation.uses() if use.key in ("", "index") and use.role is None]
    groups = _groups(scope, operation, plain, name)
    results = _results(scope, operation)
    if not ins and not outs:
        ins, outs = _by_position(name, plain, bool(results))
    extra = [one for one in extra if one not in tmp]
    return Call(name, tuple(ins), (*outs, *results), tuple(extra), tmp, groups, operation.attributes)


def _by_position(name: str, plain: list[Operand], has_results: bool) -> tuple[list[Operand], list[Operand]]:
    """Operands without groups: queue ops between cores, and the generic form, which puts the destination last."""
    buffers = [one for one in plain if one.handle is not None]
    if name.startswith("tpop"):
        return [], buffers
    if has_results or name.startswith(("tpush", "tfree", "tprint")) or len(buffers) < 2:
        return buffers, []
    return buffers[:-1], buffers[-1:]


def _results(scope: Scope, operation: Operation) -> list[Operand]:
    scope.define_unknown(operation)
    found = [scope.values.get(result.text) for result in operation.results]
    return [handle.operand() for handle in found if isinstance(handle, Handle)]


def _groups(scope: Scope, operation: Operation, plain: list[Operand], name: str) -> dict[str, tuple[Operand, ...]]:
    groups: dict[str, list[Operand]] = {}
    for use in operation.uses():
        if use.key in _GROUPS:
            groups.setdefault(use.key, []).append(scope.operand(use))
    for key, operand in zip(_PLAIN_GROUPS.get(name, ()), plain, strict=False):
        groups.setdefault(key, []).append(operand)
    return {key: tuple(found) for key, found in groups.items()}


def _scalar_access(scope: Scope, operation: Operation, name: str) -> Call:
    """`load_scalar %p[%i]`, `store_scalar %v, %p[%i]`: one element of a pointer."""
    pointers = [use for use in operation.uses() if use.key == "" and _is_buffer(scope, use)]
    index = operation.first("index") or _scalar_operand(scope, operation, name)
    handle = element_pointer(scope, pointers[0], index) if pointers else None
    if name == "load_scalar":
        scope.define_unknown(operation)
    operands = (handle.operand(),) if handle is not None else ()
    return Call(name, operands, ()) if name == "load_scalar" else Call(name, (), operands)


def _scalar_operand(scope: Scope, operation: Operation, name: str) -> Use | None:
    """The index of the generic form, where all operands stand in one list: (pointer, index[, value])."""
    scalars = [use for use in operation.uses() if use.key == "" and not _is_buffer(scope, use)]
    return scalars[0] if scalars and (name == "load_scalar" or len(scalars) > 1) else None


def _is_buffer(scope: Scope, use: Use) -> bool:
    return scope.handle(use) is not None


def lower_call(scope: Scope, operation: Operation, callees: dict[str, FunctionSyntax]) -> None:
    """`func.call`: a tile helper is one op; what other functions do is not followed (sync.md 2.6)."""
    scope.define_unknown(operation)
    name = next(iter(operation.symbols), operation.attributes.get("callee", "")).lstrip("@").strip('"')
    callee = callees.get(name)
    attributes: Mapping[str, str] = callee.attributes if callee is not None else {}
    operands = tuple(scope.operand(use) for use in operation.uses())
    kind = _helper_kind(attributes)
    if kind is None:
        if any(operand.handle is not None for operand in operands):
            scope.notes[f"the call of '{name}' is not followed"] = None
        return
    _add(scope, name, lower_helper(HelperCall(kind, operands, _effects(attributes))))


def _helper_kind(found: Mapping[str, str]) -> str | None:
    if not any(key in found for key in ("pto.tileop.helper", "pto.ptodsl.subkernel_helper")):
        return None
    words = " ".join((found.get("pto.tileop.kind", ""), *(found[key] for key in found if "helper" in key)))
    return next((kind for kind in ("cube", "vector", "simd") if kind in words), None)


def _effects(found: Mapping[str, str]) -> dict[int, str]:
    text = found.get("pto.tileop.effects", "")
    words = [word.strip(' "[]') for word in text.split(",")]
    return {number: word for number, word in enumerate(words) if word in ("read", "write", "readwrite")}


def is_not_queued(name: str) -> bool:
    """Whether the operation is metadata or a hand-over between cores."""
    return name.removeprefix("pto.") in NOT_QUEUED
