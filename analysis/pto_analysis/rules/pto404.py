"""PTO404: a first K step peeled off by a branch in the loop, which costs a second accumulator."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date

from pto_analysis.findings import Finding, Severity
from pto_analysis.ir.dtypes import FP32
from pto_analysis.ir.expr import Call, Var
from pto_analysis.ir.stmt import Assign, Block, For, If
from pto_analysis.ir.types import Space, TensorType, TileType
from pto_analysis.ir.walk import statements
from pto_analysis.ops.sizes import allocation_bytes
from pto_analysis.ops.targets import TARGETS
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.rule import Example, Reference, Rule
from pto_analysis.toolchain import Bites


def check(kernel: KernelFacts) -> Iterable[Finding]:
    if kernel.written is not None:
        return
    target = TARGETS[kernel.toolchain.target]
    limit = target.capacity(Space.ACC)
    for stmt in statements(kernel.function.body):
        if isinstance(stmt, For) and stmt.kind == "pipeline":
            for branch, name, call in _peeled(stmt.body):
                size = _accumulator_bytes(call, target.name)
                if limit is not None and size is not None and 2 * size > limit:
                    yield kernel.finding(RULE, branch.origin, _message(name, size, limit), data={"bytes": size})


def _message(name: str, size: int, limit: int) -> str:
    return (
        f"this compiler gives both arms an accumulator of their own: 2 x {size} bytes for `{name}`, and L0C has "
        f"{limit}. Compute the first product before the loop and start it at the second step, or accumulate a "
        "smaller block"
    )


def _peeled(body: Block) -> Iterator[tuple[If, str, Call]]:
    """Branches of the form `if first: s = matmul(…) else: s = matmul_acc(s, …)`."""
    for stmt in statements(body):
        if isinstance(stmt, If):
            for name, call in _products(stmt.then, "matmul").items():
                if name in _products(stmt.orelse, "matmul_acc"):
                    yield stmt, name, call


def _products(block: Block, op: str) -> dict[str, Call]:
    found: dict[str, Call] = {}
    for stmt in block:
        if isinstance(stmt, Assign) and isinstance(stmt.value, Call) and stmt.value.op.rpartition(".")[2] == op:
            first = stmt.value.args[0]
            if op == "matmul" or (isinstance(first, Var) and first.name == stmt.var.name):
                found[stmt.var.name] = stmt.value
    return found


def _accumulator_bytes(call: Call, target: str) -> int | None:
    """L0C holds 4 bytes an element, whatever the product is narrowed to on its way out."""
    if not isinstance(call.type, (TensorType, TileType)):
        return None
    return allocation_bytes(TileType(call.type.shape, FP32, Space.ACC), target)


_MODULE = """\
import pypto.language as pl


@pl.jit
def product(
    a: pl.Tensor[[{rows}, 768], pl.BF16],
    b: pl.Tensor[[768, 128], pl.BF16],
    c: pl.Out[pl.Tensor[[{rows}, 128], pl.FP32]],
):
    with pl.at(level=pl.Level.CORE_GROUP):
        s = pl.create_tensor([{rows}, 128], dtype=pl.FP32)
        for j in pl.pipeline(0, 6, stage=2):
            k = j * 128
            if k == 0:{mark}
                s = pl.matmul(a[:, k : k + 128], b[k : k + 128, :], out_dtype=pl.FP32)
            else:
                s = pl.matmul_acc(s, a[:, k : k + 128], b[k : k + 128, :])
        c[:] = s
    return c
"""

RULE = Rule(
    code="PTO404",
    name="peeled-accumulator",
    severity=Severity.WARNING,
    summary="A first K step in a branch of its own costs a second accumulator that does not fit",
    what="""\
Reports `if first: s = matmul(…)` with `else: s = matmul_acc(s, …)` in a software pipeline, where two accumulators of
that size exceed L0C, for compilers before 1 July 2026. Newer ones give both arms one accumulator.""",
    why="""\
Each arm got an accumulator of its own, and nothing copies from L0C to L0C, so half of it was lost: "262144 exceeds
131072" for a product that fits.""",
    check=check,
    references=(Reference("hw-native-sys/pypto", 1924), Reference("hw-native-sys/pypto", 2489)),
    bites=Bites(pypto_until=date(2026, 7, 1)),
    bad=(Example("128 KB twice", _MODULE.format(rows=256, mark="  #! PTO404")),),
    good=(Example("64 KB twice", _MODULE.format(rows=128, mark="")),),
)
