"""What loops carry and branches merge, one value at a time."""

from __future__ import annotations

from collections.abc import Iterator

from pto_analysis.ir import walk
from pto_analysis.ir.expr import Expr, Var
from pto_analysis.ir.stmt import For, If, While


def carried(loop: For | While) -> Iterator[tuple[Var, Expr, Expr | None, Var | None]]:
    """Of every carry: the iter arg, its init, what the body yields for it, its name behind the loop."""
    last = walk.final_yield(loop.body)
    for index, arg in enumerate(loop.iter_args):
        value = last.values[index] if last is not None and index < len(last.values) else None
        result = loop.return_vars[index] if index < len(loop.return_vars) else None
        yield arg.var, arg.init, value, result


def merged(branch: If) -> Iterator[tuple[Var, Expr, Expr]]:
    """Of every merge: its name, and what the two arms yield for it."""
    then, otherwise = walk.final_yield(branch.then), walk.final_yield(branch.orelse)
    if then is None or otherwise is None:
        return
    yield from zip(branch.return_vars, then.values, otherwise.values, strict=False)
