"""Which window each variable names, and by which steps it came to name it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from attrs import field

from pto_analysis.frontend.typed import constant_int
from pto_analysis.frozen import frozen
from pto_analysis.ir.expr import Expr, Var
from pto_analysis.passes.windows.accumulator import AccumulatorWindow
from pto_analysis.source.span import Origin

Step = Literal["slice", "alias", "view", "in-place", "iter-arg", "loop-result", "branch-result"]
"""An identity-preserving edge of the seed's table. "view" and "in-place" are ops whose result lives in an operand."""


@frozen(eq=False)
class Window:
    """`var` names the bytes of `base` from (`row`, `col`) on, in elements.

    `previous` is the window of the variable this one got its own from; for a slice of a slice, the outer slice's.
    `op` names the operation of a "view" or "in-place" step.
    """

    var: Var
    base: Var
    row: Expr
    col: Expr
    step: Step
    origin: Origin | None
    previous: Window | None = None
    op: str | None = None

    def chain(self) -> Iterator[Window]:
        """This step, then those before it, back to the first slice."""
        step: Window | None = self
        while step is not None:
            yield step
            step = step.previous

    @property
    def is_written_in_source(self) -> bool:
        """Whether an author wrote the slice that makes the window; a pass's own slices say so in their origin."""
        slices = [step for step in self.chain() if step.step == "slice"]
        return all(step.origin is not None and step.origin.reason is None for step in slices)


def same_window(left: Window, right: Window) -> bool:
    """Provably the same place: one parent variable and equal offsets."""
    return left.base is right.base and same_offset(left.row, right.row) and same_offset(left.col, right.col)


def same_offset(left: Expr, right: Expr) -> bool:
    """Equal literals, or one expression over the same values."""
    a, b = constant_int(left), constant_int(right)
    return a == b if a is not None or b is not None else left == right


@frozen(eq=False)
class StridedAccumulator:
    """An accumulator that the MAD would write wrongly.

    PTO201: `op` at `origin` accumulates into `operand`. PTO202: the loop at `loop_origin` carries `operand` into an
    accumulation from its second iteration on; `origin` is the yield and `op` the accumulation, at `op_origin`.
    """

    code: Literal["PTO201", "PTO202"]
    op: str
    operand: Var
    window: Window
    extent: AccumulatorWindow
    origin: Origin | None
    op_origin: Origin | None = None
    loop_origin: Origin | None = None
    carried: Var | None = None
    position: int = 0


@frozen(eq=False)
class Accumulation:
    """One accumulation into a window that is laid out in L0C, rejected or not."""

    op: str
    operand: Var
    window: Window
    extent: AccumulatorWindow
    origin: Origin | None


@frozen(eq=False)
class WindowMap:
    """The window of every variable that provably names one, and the accumulators that are rejected, in order."""

    windows: Mapping[Var, Window] = field(factory=dict[Var, Window])
    rejected: tuple[StridedAccumulator, ...] = ()
    accumulations: tuple[Accumulation, ...] = ()

    def of(self, var: Var) -> Window | None:
        return self.windows.get(var)
