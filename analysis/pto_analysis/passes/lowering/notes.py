"""What the lowering could not do, as data: nothing here stops it."""

from __future__ import annotations

from typing import Literal

from pto_analysis.frozen import frozen
from pto_analysis.ir.expr import Call
from pto_analysis.source.span import Origin


@frozen
class LoweringNote:
    """`op` was left as it stood. "unknown": its shapes or kinds are not known here, so silence about it is ignorance.
    "refused": the compiler stops here too. `stage` names the stage of the lowering that met it."""

    kind: Literal["unknown", "refused"]
    stage: str
    op: str
    why: str
    origin: Origin | None = None


@frozen
class Refused:
    """Why one operation cannot be lowered; a stage turns it into a note and leaves the operation alone."""

    why: str
    kind: Literal["unknown", "refused"] = "refused"

    def note(self, stage: str, call: Call) -> LoweringNote:
        return LoweringNote(self.kind, stage, call.op, self.why, call.origin)
