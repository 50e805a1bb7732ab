"""A cast that the vector unit does not have becomes a chain of casts that it has.

Facts: hw-native-sys/pypto, `legalize_tile_cast` (2026-08-21).
"""

from __future__ import annotations

from collections import deque
from functools import lru_cache

from pto_analysis.frozen import evolve, frozen
from pto_analysis.ir.dtypes import DTYPES, DType
from pto_analysis.ir.expr import Call, Var, type_of
from pto_analysis.ir.function import Function
from pto_analysis.ir.stmt import Assign, Block, For, If, Scope, Stmt, While
from pto_analysis.ir.types import TileType
from pto_analysis.ops.targets import TARGETS
from pto_analysis.passes.lowering.emit import Emitter
from pto_analysis.passes.lowering.notes import LoweringNote, Refused
from pto_analysis.passes.lowering.tree import base_name, map_block, map_inner
from pto_analysis.toolchain import Target, Toolchain

STAGE = "before"

_FLOATS = {"FP32": (24, 8), "FP16": (11, 5), "BF16": (8, 8)}
"""Significant bits and exponent bits."""


@frozen
class Legalised:
    function: Function
    notes: tuple[LoweringNote, ...] = ()


def legalise_casts(function: Function, toolchain: Toolchain) -> Legalised:
    legaliser = _Legaliser(toolchain.target, [])
    body = legaliser.block(function.body)
    return Legalised(evolve(function, body=body), tuple(legaliser.notes))


@frozen
class _Legaliser:
    target: Target
    notes: list[LoweringNote]

    def block(self, block: Block) -> Block:
        return map_block(block, self.statement)

    def statement(self, stmt: Stmt) -> Block:
        if isinstance(stmt, (If, For, While, Scope)):
            return (map_inner(stmt, self.block),)
        call = stmt.value if isinstance(stmt, Assign) else None
        if not isinstance(stmt, Assign) or not isinstance(call, Call) or call.op != "tile.cast":
            return (stmt,)
        source, wanted = type_of(call.args[0]), call.attrs.get("target_type")
        if not isinstance(source, TileType) or not isinstance(wanted, DType):
            return (stmt,)
        chain = cast_chain(self.target, source.dtype.name, wanted.name)
        if chain is None:
            why = f"there is no way from {source.dtype.name} to {wanted.name}"
            self.notes.append(Refused(why).note(STAGE, call))
            return (stmt,)
        return self._chained(stmt, call, chain) if len(chain) > 1 else (stmt,)

    def _chained(self, stmt: Assign, call: Call, chain: tuple[str, ...]) -> Block:
        emit = Emitter(call.origin, "the chip has no such cast, so it goes over another dtype")
        value = call.args[0]
        for name in chain[:-1]:
            attrs = {**call.attrs, "target_type": DTYPES[name]}
            value = emit.bind(f"{base_name(stmt.var.name)}__cast_{name.lower()}_tmp", "tile.cast", value, attrs=attrs)
        final = emit.call("tile.cast", value, attrs=call.attrs)
        return (*emit.statements, evolve(stmt, var=_retyped(stmt.var), value=final))


def _retyped(var: Var) -> Var:
    return var


@lru_cache(maxsize=512)
def cast_chain(target: Target, source: str, wanted: str) -> tuple[str, ...] | None:
    """The dtypes a cast goes through, the wanted one last; None when there is no way.

    The shortest way wins; among equals the one that turns an integer into a float of its width first, then changes the
    width among floats. A step that would lose values on the way is no way.
    """
    native = TARGETS[target].casts
    if wanted in native.get(source, ()):
        return (wanted,)
    parents: dict[str, str] = {}
    reached: dict[str, tuple[int, int]] = {source: (0, 0)}
    work = deque([source])
    while work:
        here = work.popleft()
        steps, cost = reached[here]
        for following in _float_first(here, native.get(here, ())):
            if following != wanted and _loses(following, wanted):
                continue
            rank = steps + 1, cost + _cost(here, following)
            known = reached.get(following)
            if known is None:
                work.append(following)
            elif known[0] != rank[0] or rank[1] >= known[1]:
                continue
            reached[following], parents[following] = rank, here
    if wanted not in parents or source == wanted:
        return None
    chain = [wanted]
    while parents[chain[-1]] != source:
        chain.append(parents[chain[-1]])
    return tuple(reversed(chain))


def _float_first(here: str, neighbours: tuple[str, ...]) -> list[str]:
    same_width = {32: "FP32", 16: "FP16"}.get(DTYPES[here].bits)
    ordered = list(neighbours)
    if not DTYPES[here].is_float and same_width in ordered:
        at = ordered.index(same_width)
        ordered[0], ordered[at] = ordered[at], ordered[0]
    return ordered


def _cost(here: str, there: str) -> int:
    a, b = DTYPES[here], DTYPES[there]
    if not a.is_float and b.is_float and a.bits == b.bits:
        return 0
    return 1 if a.is_float and b.is_float else 2


def _loses(through: str, wanted: str) -> bool:
    """Whether a step through a dtype provably drops values that the wanted dtype can hold."""
    mid, end = DTYPES[through], DTYPES[wanted]
    if mid.is_float:
        bits = _FLOATS.get(through)
        if bits is None:
            return False
        if not end.is_float:
            return bits[0] < _value_bits(end)
        other = _FLOATS.get(wanted)
        return other is not None and (bits[0] < other[0] or bits[1] < other[1])
    if end.is_float:
        return True
    return (not mid.signed and end.signed) or _value_bits(mid) < _value_bits(end)


def _value_bits(dtype: DType) -> int:
    return dtype.bits - 1 if dtype.signed else dtype.bits
