"""Rings that fall out of step: a slot index that is normalised by a number its slot count does not divide.

`(i % 64) % 3` visits 0, 1, 2, … and jumps from 0 to 0 when `i` passes 63: slots are still told apart in each round,
but the ring restarts out of phase, and data loaded ahead is looked for in the wrong slot (sync.md B.6).
"""

from __future__ import annotations

from pto_analysis.arith.linear import Linear
from pto_analysis.arith.questions import reduce_modulo
from pto_analysis.arith.scalars import Scalars
from pto_analysis.frozen import frozen
from pto_analysis.sync.outline import Step, Touch, outline
from pto_analysis.sync.program import Location, SyncProgram
from pto_analysis.sync.scalars import scalars_of


@frozen
class BrokenRing:
    """`op` takes its slot of `region` from an index reduced by `modulus`, which is no multiple of `slots`."""

    op: str
    where: Location
    region: str
    slots: int
    modulus: int
    loop: str


def broken_rings(program: SyncProgram) -> tuple[BrokenRing, ...]:
    """The first op of each ring and modulus whose index restarts out of phase inside a loop."""
    tree = outline(program, scalars_of(program), program.body)
    found: dict[tuple[str, int], BrokenRing] = {}
    for step in tree.steps:
        for touch in step.touches:
            broken = _broken(step, touch, tree.scalars)
            if broken is not None:
                found.setdefault((broken.region, broken.modulus), broken)
    return tuple(found.values())


def _broken(step: Step, touch: Touch, scalars: Scalars) -> BrokenRing | None:
    slot = touch.reach.slot
    if slot is None or not step.loops:
        return None
    reduced = reduce_modulo(slot.index, slot.ring.count, scalars)
    for atom, _ in reduced.terms if reduced is not None else ():
        key = scalars.atom_key(atom)
        divisor = key[2] if len(key) == 3 and key[0] in ("mod", "urem", "srem", "floormod") else None
        loops = [loop.id for loop in step.loops if loop.id in scalars.atom_loops(atom)]
        if isinstance(divisor, Linear) and divisor.single is not None and loops and divisor.single % slot.ring.count:
            count = slot.ring.count
            return BrokenRing(step.op.id, step.op.where, touch.reach.region, count, divisor.single, loops[-1])
    return None
