"""`pl.MemRef` in its spellings: declared by the author, one slot of a ring, or as the compiler prints it (DSL b.1)."""

from __future__ import annotations

from pto_analysis.frontend.dimensions import read_extent, static_int
from pto_analysis.frontend.enums import dsl_constant
from pto_analysis.frontend.extents import as_dim
from pto_analysis.frontend.names import last_name
from pto_analysis.frontend.reading import Reading
from pto_analysis.frozen import evolve
from pto_analysis.ir.types import MemRef, Space
from pto_analysis.source import syntax


def read_memref(reading: Reading, node: syntax.Expression) -> MemRef | None:
    """The buffer an annotation names; None when the expression is no MemRef."""
    if isinstance(node, syntax.Subscript) and len(node.items) == 1:
        ring = read_memref(reading, node.value)
        return None if ring is None else evolve(ring, slot=as_dim(reading.expression(node.items[0])))
    if isinstance(node, syntax.Name):
        return _named(reading, node)
    if isinstance(node, syntax.Call) and last_name(node.func) == "MemRef":
        return _written(reading, node, None)
    return None


def _named(reading: Reading, node: syntax.Name) -> MemRef | None:
    if node.name in reading.memrefs:
        return reading.memrefs[node.name]
    declaration = reading.closure.definition(node.name)
    if isinstance(declaration, syntax.Call) and last_name(declaration.func) == "MemRef":
        memref = reading.memrefs[node.name] = _written(reading, declaration, node.name)
        return memref
    return None


def _written(reading: Reading, node: syntax.Call, name: str | None) -> MemRef:
    """`MemRef()`, `MemRef("name", slots=N)`, `(base, offset, size)`, `(addr, size, id)`, `(space, addr, size, id)`."""
    positional = [argument.value for argument in node.args if argument.keyword is None and not argument.star]
    slots = next((static_int(reading, argument.value) for argument in node.args if argument.keyword == "slots"), None)
    if len(positional) <= 1:
        base = _base(positional[0]) if positional else name
        return MemRef(base=base, slots=slots)
    if len(positional) == 3:
        base = _base(positional[0])
        if base is not None:
            return MemRef(base, read_extent(reading, positional[1]), read_extent(reading, positional[2]), slots)
        number = static_int(reading, positional[2])
        return MemRef(f"mem_{number}", read_extent(reading, positional[0]), read_extent(reading, positional[1]), slots)
    if len(positional) == 4:
        space = dsl_constant(f"Mem.{last_name(positional[0])}")
        number = static_int(reading, positional[3])
        return MemRef(
            f"mem_{number}",
            read_extent(reading, positional[1]),
            read_extent(reading, positional[2]),
            slots,
            space=space if isinstance(space, Space) else None,
        )
    return MemRef(name)


def _base(node: syntax.Expression) -> str | None:
    if isinstance(node, syntax.Constant) and isinstance(node.value, str):
        return node.value
    return node.name if isinstance(node, syntax.Name) else None
