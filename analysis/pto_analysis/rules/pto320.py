"""PTO320: one element read or written outside of its tensor or tile."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pto_analysis.findings import Finding, Severity
from pto_analysis.fixes.repairs import counted_from_start
from pto_analysis.ir.expr import Call, Tuple, Var
from pto_analysis.ir.types import TensorType, TileType
from pto_analysis.ir.walk import statements
from pto_analysis.rules.block_loops import scalars_of
from pto_analysis.rules.example import incore
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.rule import Example, Reference, Rule
from pto_analysis.rules.written_names import calls_of

_ELEMENTS = frozenset({"tensor.read", "tensor.write", "tile.read", "tile.write"})


def check(kernel: KernelFacts) -> Iterable[Finding]:
    if kernel.written is not None:
        return
    for stmt in statements(kernel.function.body):
        for call in calls_of(stmt):
            if isinstance(call, Call) and call.op in _ELEMENTS:
                yield from _outside(kernel, call)


def _outside(kernel: KernelFacts, call: Call) -> Iterator[Finding]:
    source, indices = call.args[0], call.args[1] if len(call.args) > 1 else None
    if not isinstance(source, Var) or not isinstance(source.type, (TensorType, TileType)):
        return
    if not isinstance(indices, Tuple) or len(indices.items) != len(source.type.shape):
        return
    scalars = scalars_of(kernel.function)
    for axis, (item, size) in enumerate(zip(indices.items, source.type.shape, strict=True)):
        index = scalars.number(item)
        if index is not None and isinstance(size, int) and not 0 <= index < size:
            hint = "; indices do not count from the end" if index < 0 else ""
            message = f"element {index} of axis {axis} of `{source.name}`, which has {size}{hint}"
            data = {"axis": axis, "index": index, "size": size}
            fix = None
            if kernel.unit is not None and -size <= index < 0:
                fix = counted_from_start(kernel.unit, call.origin, axis, index + size)
            yield kernel.finding(RULE, call.origin, message, fix=fix, data=data)
            return


def _kernel(index: str, mark: str = "") -> str:
    return incore(
        f"""\
            n = pl.read(s, [{index}]){mark}
            t = pl.load(x, [0, 0], [64, 64])
            y = pl.store(pl.mul(t, n), [0, 0], y)
            return y
        """,
        "x: pl.Tensor[[64, 64], pl.FP32], s: pl.Tensor[[4], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]",
    )


RULE = Rule(
    code="PTO320",
    name="element-out-of-bounds",
    severity=Severity.ERROR,
    summary="One element read or written outside of its tensor or tile",
    what="""\
Reports `read` and `write` of a single element with an index that is a known number and lies outside of the source,
below zero included.""",
    why="""\
Single elements are addressed without any check, at compile time or at run time, so the kernel gets or overwrites a
neighbour's bytes. Unlike in Python, -1 is not the last element.""",
    check=check,
    fix="sometimes",
    fix_note="Counts an index that counts from the end from the start. Unsafe: another element may have been meant.",
    references=(Reference("hw-native-sys/pypto-lib", 1111),),
    bad=(
        Example("one past the end", _kernel("4", "  #! PTO320 `pl.read(s, [4])`")),
        Example("counted from the end", _kernel("-1", "  #! PTO320")),
    ),
    good=(Example("the last one", _kernel("3")),),
)
