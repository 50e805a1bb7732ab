"""PTO602: a loop over whole blocks that leaves out the rest of what it walks over."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from pto_analysis.findings import Finding, Severity
from pto_analysis.frozen import frozen
from pto_analysis.ir.expr import Call, Expr, Var
from pto_analysis.ir.stmt import For
from pto_analysis.ir.types import TensorType
from pto_analysis.ir.walk import statements
from pto_analysis.rules.block_loops import Scalars, Window, loops_of, scalars_of, window_of
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.rule import Example, Reference, Rule

_SIZE_ONLY = frozenset({"tensor.dim"})
"""Operations that look at a tensor's shape and at none of its elements."""


@frozen
class _Walk:
    """What one window reads along one axis: from `start` on, `extent` elements a round of `loop`, without gaps."""

    window: Window
    axis: int
    loop: For
    rounds: int
    extent: int

    @property
    def end(self) -> int:
        return self.rounds * self.extent


def check(kernel: KernelFacts) -> Iterable[Finding]:
    function = kernel.function
    loops = loops_of(function)
    if kernel.written is not None or not loops:
        return
    scalars = scalars_of(function)
    reported: set[tuple[Var, Var]] = set()
    for source, windows in _windows(kernel, scalars).items():
        for axis in range(len(windows[0].offsets)):
            walk = _partial_walk(windows, axis, loops, scalars)
            if walk is not None and (source, walk.loop.var) not in reported:
                reported.add((source, walk.loop.var))
                yield _finding(kernel, walk)


def _windows(kernel: KernelFacts, scalars: Scalars) -> dict[Var, list[Window]]:
    """The windows of each tensor that is read through windows only."""
    found: dict[Var, list[Window]] = {}
    elsewhere: set[Var] = set()
    for stmt in statements(kernel.function.body):
        for expr in stmt.operands:
            if not any(isinstance(var.type, TensorType) for var in expr.variables):
                continue
            for call, var in _tensors_read(expr):
                window = window_of(call, scalars) if call is not None and call.args and call.args[0] is var else None
                if window is not None:
                    found.setdefault(var, []).append(window)
                elif call is None or call.op not in _SIZE_ONLY:
                    elsewhere.add(var)
    return {var: windows for var, windows in found.items() if var not in elsewhere}


def _tensors_read(expr: Expr) -> Iterator[tuple[Call | None, Var]]:
    """The tensors that an expression names, each with the operation that it is an operand of."""
    pending: list[tuple[Expr, Call | None]] = [(expr, None)]
    while pending:
        item, owner = pending.pop()
        if isinstance(item, Var):
            if isinstance(item.type, TensorType):
                yield owner, item
            continue
        inner = item if isinstance(item, Call) else None
        pending.extend((child, inner) for child in item.children)


def _partial_walk(windows: list[Window], axis: int, loops: Mapping[Var, For], scalars: Scalars) -> _Walk | None:
    """The walk that ends a part of a block before the axis does, when no other window reads the rest."""
    kind = windows[0].source.type
    size = kind.shape[axis] if isinstance(kind, TensorType) and axis < len(kind.shape) else None
    if not isinstance(size, int):
        return None
    walks: list[_Walk] = []
    for window in windows:
        walk = _walk(window, axis, loops, scalars)
        if walk is None:
            return None
        walks.append(walk)
    longest = max(walks, key=lambda walk: walk.end)
    missing = size - longest.end
    return longest if 0 < missing < longest.extent and longest.rounds > 1 else None


def _walk(window: Window, axis: int, loops: Mapping[Var, For], scalars: Scalars) -> _Walk | None:
    if axis >= len(window.offsets) or axis >= len(window.extents):
        return None
    offset, extent = window.offsets[axis], window.extents[axis]
    if offset is None or extent is None or len(offset.factors) != 1 or offset.constant:
        return None
    ((var, factor),) = offset.factors
    loop = loops.get(var)
    if loop is None:
        return None
    start, stop, step = (scalars.number(bound) for bound in (loop.start, loop.stop, loop.step))
    if start != 0 or stop is None or step is None or step <= 0 or factor * step != extent:
        return None
    return _Walk(window, axis, loop, -(-stop // step), extent)


def _finding(kernel: KernelFacts, walk: _Walk) -> Finding:
    source = walk.window.source
    assert isinstance(source.type, TensorType)
    size = source.type.shape[walk.axis]
    name = "rows" if walk.axis == len(source.type.shape) - 2 else "columns"
    if walk.axis < len(source.type.shape) - 2:
        name = f"elements of axis {walk.axis}"
    message = (
        f"{walk.rounds} rounds of {walk.extent} read {walk.end} of the {size} {name} of `{source.name}`, and nothing "
        f"reads the rest: take blocks that divide {size}, or read the last "
        f"{int(size) - walk.end if isinstance(size, int) else 'ones'} after the loop"
    )
    related = (kernel.related(walk.window.call.origin, "read here"),)
    data = {"rounds": walk.rounds, "block": walk.extent, "size": size, "axis": walk.axis}
    return kernel.finding(RULE, walk.loop.origin, message, related=related, data=data)


_MODULE = """\
import pypto.language as pl

W = {width}
CH = 64


@pl.jit.inline
def sums(x: pl.Tensor[[16, W], pl.FP32], o: pl.Tensor[[16, 1], pl.FP32]):
    with pl.at(level=pl.Level.CORE_GROUP):
        s = pl.full([16, 1], dtype=pl.FP32, value=0.0)
        for i in pl.range(W // CH):{mark}
            s = pl.add(s, pl.row_sum(x[:, i * CH : i * CH + CH]))
{rest}        o[:] = s
    return o
"""

RULE = Rule(
    code="PTO602",
    name="dropped-tail",
    severity=Severity.WARNING,
    summary="A loop over whole blocks leaves out the rest of the tensor",
    what="""\
Reports a loop with a known number of rounds that reads a tensor block after block from its start, and ends less than
one block before the tensor does, when nothing else in the function reads the rest. Tensors that are also handed on
whole, windows at other places, and extents that are not numbers are left alone.""",
    why="""\
`W // CH` rounds down, and nothing says so: the last `W % CH` columns never take part. Model code guards against it with
hundreds of `assert W % CH == 0`.""",
    check=check,
    references=(Reference("hw-native-sys/pypto-lib", 1111),),
    bad=(
        Example(
            "192 of 200 columns",
            _MODULE.format(width=200, mark="  #! PTO602", rest=""),
        ),
    ),
    good=(
        Example("blocks that divide the width", _MODULE.format(width=256, mark="", rest="")),
        Example(
            "the rest after the loop",
            _MODULE.format(width=200, mark="", rest="        s = pl.add(s, pl.row_sum(x[:, W - W % CH : W]))\n"),
        ),
    ),
)
