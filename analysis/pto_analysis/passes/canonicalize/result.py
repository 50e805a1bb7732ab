"""What canonicalization did to a function, as data."""

from __future__ import annotations

from typing import Literal

from pto_analysis.frozen import frozen
from pto_analysis.ir.expr import Expr, Var
from pto_analysis.ir.function import Function
from pto_analysis.ir.types import Shape, Space
from pto_analysis.source.span import Origin

Action = Literal[
    "fold-extract", "matmul-operand", "col-expand-operand", "aligned-operand", "alias", "loop-init", "yield"
]
"""The names of the contract, section 2 (`pto-lint canonicalize --output-format json`)."""

Why = Literal["dynamic offset", "not contiguous", "unaligned", "unprovable"]
"""What failed: the first two for a column expansion, the others for the 32-byte rule."""


@frozen(eq=False)
class Rewrite:
    """One slice taken out of one consumer.

    `row`, `col` and `shape` (elements) are the window that the resulting extract reads from `base`.
    `dropped`: nothing else used the slice, so it is gone. `operand` is the position in the consumer's operands,
    iter args or yielded values. `why` is None for folds. `residue` is the address modulo 32 bytes, in bits, where
    the compiler knows it.
    """

    rule: str
    action: Action
    slice: Var
    base: Var
    row: Expr
    col: Expr
    shape: Shape
    target: Space
    dropped: bool
    slice_origin: Origin | None
    consumer_origin: Origin | None
    consumer: str
    operand: int = 0
    why: Why | None = None
    residue: int | None = None


@frozen(eq=False)
class Rejection:
    """The compiler stops: an extract that it builds or folds reads past its source."""

    kind: Literal["out-of-bounds"]
    message: str
    slice: Var
    base: Var
    slice_origin: Origin | None
    consumer_origin: Origin | None


@frozen(eq=False)
class Canonicalized:
    """`function` is the very input where nothing was done or the compiler stops (`rejection`)."""

    function: Function
    rewrites: tuple[Rewrite, ...] = ()
    rejection: Rejection | None = None
