"""PTO325: an index under an annotation of another integer type, which does not convert it."""

from __future__ import annotations

from collections.abc import Iterable

from pto_analysis.findings import Finding, Severity
from pto_analysis.fixes.forms import cast_value
from pto_analysis.ir.dtypes import INDEX, DType
from pto_analysis.ir.expr import Const, type_of
from pto_analysis.ir.stmt import Assign
from pto_analysis.ir.types import ScalarType
from pto_analysis.ir.walk import statements
from pto_analysis.rules.example import incore
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.rule import Example, Reference, Rule


def check(kernel: KernelFacts) -> Iterable[Finding]:
    if kernel.lowered is not None or not kernel.function.kind.is_incore:
        return
    for stmt in statements(kernel.function.body):
        dtype = _annotated(stmt) if isinstance(stmt, Assign) else None
        if dtype is not None:
            fix = None if kernel.unit is None else cast_value(kernel.unit, stmt.origin, dtype.name)
            yield kernel.finding(RULE, stmt.origin, _message(stmt.definitions[0].name, dtype), fix=fix)


def _annotated(stmt: Assign) -> DType | None:
    """The dtype that is said of an index which is computed."""
    said, value = stmt.var.type, type_of(stmt.value)
    if isinstance(stmt.value, Const) or not isinstance(said, ScalarType) or not isinstance(value, ScalarType):
        return None
    return said.dtype if value.dtype == INDEX and not said.dtype.is_index_like else None


def _message(name: str, dtype: DType) -> str:
    return (
        f"`{name}` is annotated with {dtype}, and its value is an index: annotations do not convert, so write "
        f"`pl.cast(…, pl.{dtype})`"
    )


def _kernel(value: str, mark: str = "") -> str:
    return incore(f"""\
        for i in pl.range(4):
            row: pl.Scalar[pl.INT32] = {value}{mark}
            t = pl.load(x, [i * 16, 0], [16, 64])
            y = pl.store(pl.tile.adds(t, row), [i * 16, 0], y)
        return y
    """)


RULE = Rule(
    code="PTO325",
    name="annotated-index",
    severity=Severity.WARNING,
    summary="An index under an annotation of another integer type",
    what="""\
Reports `name: pl.Scalar[pl.INT32] = …` in kernels where the value is computed from indices: loop variables, block
numbers, extents. 64-bit integers and plain numbers are fine.""",
    why="""\
The annotation is taken for the type of the name and nothing converts the value, so that the generated text uses one
value under two types. The assembler's message numbers it, and names neither the variable nor the line.""",
    check=check,
    references=(Reference("hw-native-sys/pypto", 2779),),
    fix="sometimes",
    fix_note="Writes the cast that was meant.",
    bad=(
        Example(
            "a row computed from the loop variable",
            _kernel("i * 16", "  #! PTO325"),
            fixed=_kernel("pl.cast(i * 16, pl.INT32)"),
        ),
    ),
    good=(Example("a cast", _kernel("pl.cast(i * 16, pl.INT32)")),),
)
