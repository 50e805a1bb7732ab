"""PTO603: a maximum used where a number should be rounded up to whole blocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pto_analysis.findings import Finding, Severity
from pto_analysis.fixes.spelling import rounded_up
from pto_analysis.frontend.typed import constant_int
from pto_analysis.ir.expr import Binary, Expr
from pto_analysis.ir.walk import statements
from pto_analysis.rules.block_loops import Scalars, scalars_of
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.rule import Example, Reference, Rule


def check(kernel: KernelFacts) -> Iterable[Finding]:
    if kernel.written is not None:
        return
    scalars = scalars_of(kernel.function)
    seen: set[Expr] = set()
    for stmt in statements(kernel.function.body):
        for expr in stmt.operands:
            for quotient in _divisions(expr):
                block = constant_int(quotient.right)
                maximum = scalars.resolved(quotient.left)
                if block is None or maximum in seen or not _is_floor(maximum, block, scalars):
                    continue
                seen.add(maximum)
                yield _finding(kernel, quotient, maximum, block)


def _divisions(expr: Expr) -> Iterator[Binary]:
    pending = [expr]
    while pending:
        item = pending.pop()
        if isinstance(item, Binary) and item.op == "//":
            yield item
        pending.extend(item.children)


def _is_floor(maximum: Expr, block: int, scalars: Scalars) -> bool:
    """Whether it is `max(n, block)` of an `n` that may be any number."""
    if not isinstance(maximum, Binary) or maximum.op != "max" or block < 2:
        return False
    sides = (maximum.left, maximum.right)
    others = [side for side in sides if scalars.number(side) != block]
    if len(others) != 1:
        return False
    value = scalars.affine(others[0])
    return value is None or any(part % block for part in (value.constant, *(factor for _, factor in value.factors)))


def _finding(kernel: KernelFacts, quotient: Binary, maximum: Expr, block: int) -> Finding:
    message = (
        f"`max(…, {block}) // {block}` is no rounding up: from {block + 1} on it drops what is left over; write "
        f"`(n + {block - 1}) // {block}`, and bound the last window with `valid_shape=`"
    )
    origin = getattr(maximum, "origin", None)
    related = (kernel.related(origin, "the maximum"),) if origin is not None else ()
    fix = rounded_up(kernel.unit, quotient.origin, block) if kernel.unit is not None else None
    return kernel.finding(RULE, quotient.origin, message, related=related, fix=fix, data={"block": block})


_MODULE = """\
import pypto.language as pl

N = pl.dynamic("N")
STEP = 16


@pl.jit
def twice(x: pl.Tensor[[N, 64], pl.FP32], y: pl.Out[pl.Tensor[[N, 64], pl.FP32]]):
    n = pl.tensor.dim(x, 0)
    {count}{mark}
    for i in pl.parallel(blocks):
        with pl.at(level=pl.Level.CORE_GROUP):
            r = i * STEP
            part = pl.slice(x, [STEP, 64], [r, 0], valid_shape=[pl.min(STEP, n - r), 64])
            y = pl.assemble(y, pl.add(part, part), [r, 0])
    return y
"""

RULE = Rule(
    code="PTO603",
    name="maximum-as-round-up",
    severity=Severity.HINT,
    summary="A maximum stands where a number should be rounded up to whole blocks",
    what="""\
Reports `pl.max(n, B) // B` as a number of blocks, directly or through a name, where nothing says that `n` is a multiple
of `B`.""",
    why="""\
The maximum helps a size below one block only. With B = 16 and n = 20 there is one block, and four rows are lost without
a word.""",
    check=check,
    fix="sometimes",
    fix_note="Writes `(n + B - 1)` for a maximum that stands in the division itself; unsafe, as it is another number.",
    references=(Reference("hw-native-sys/pypto-lib", 1111),),
    bad=(
        Example(
            "blocks of 16 rows",
            _MODULE.format(count="blocks = pl.max(n, STEP) // STEP", mark="  #! PTO603"),
            fixed=_MODULE.format(count="blocks = (n + STEP - 1) // STEP", mark=""),
        ),
    ),
    good=(Example("rounded up", _MODULE.format(count="blocks = (n + STEP - 1) // STEP", mark="")),),
)
