"""Which whole-operand loads serve batched products only, and which of them are loaded page by page instead.

Facts: hw-native-sys/pypto, `flatten_tile_nd_to_2d` (scan of operand chains and capacity gate), 2026-08-21.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from pto_analysis.frozen import frozen
from pto_analysis.ir import walk
from pto_analysis.ir.expr import Call, Expr, Var, type_of
from pto_analysis.ir.stmt import Assign, Block
from pto_analysis.ir.types import TensorType, TileType, Type
from pto_analysis.passes.lowering.tree import tuple_items
from pto_analysis.passes.lowering.windows import collapses, known, product

MAT_BYTES = 512 * 1024
"""Usable bytes of L1 on both chips (reference: DSL section i.2)."""

BATCHED = {"tile.batch_matmul": (0, 1), "tile.batch_matmul_acc": (1, 2)}
"""The positions of the two matrix operands."""

Definitions = Mapping[Var, Call]


@frozen
class BatchUses:
    """`only`: values that nothing but batched products reads; `dropped`: those of them that pages replace."""

    definitions: Definitions
    only: frozenset[Var]
    dropped: frozenset[Var]


def batch_uses(block: Block) -> BatchUses:
    definitions = {stmt.var: stmt.value for stmt in block if isinstance(stmt, Assign) and isinstance(stmt.value, Call)}
    products = [call for call in definitions.values() if call.op in BATCHED]
    if not products:
        return BatchUses(definitions, frozenset(), frozenset())
    total = Counter(_all_reads(block))
    as_operand = Counter(arg for call in products for arg in _matrices(call) if isinstance(arg, Var))
    only = {var for var, count in as_operand.items() if count == total[var]}
    work = list(only)
    while work:
        source = _chain_source(definitions.get(work.pop()))
        if source is not None and total[source] == 1 and source not in only:
            only.add(source)
            work.append(source)
    whole, paged = _routes(products, definitions)
    return BatchUses(definitions, frozenset(only), frozenset(only & (paged - whole)))


def _all_reads(block: Block) -> Iterator[Var]:
    for stmt in walk.statements(block):
        for operand in stmt.operands:
            yield from operand.variables


def _matrices(call: Call) -> tuple[Expr, Expr]:
    left, right = BATCHED[call.op]
    return call.args[left], call.args[right]


def _chain_source(call: Call | None) -> Var | None:
    """What a transposing view or a harmless reshape was made from."""
    if call is None or (call.op != "tile.transpose_view" and not peelable(call)):
        return None
    source = call.args[0]
    return source if isinstance(source, Var) else None


def peelable(call: Call) -> bool:
    """A reshape that regroups the batch axes and leaves the matrices alone."""
    if call.op != "tile.reshape" or len(call.args) != 2:
        return False
    before, after = type_of(call.args[0]), call.type
    if not isinstance(before, TileType) or not isinstance(after, TileType):
        return False
    old, new = known(before.shape), known(after.shape)
    if old is None or new is None or len(old) < 2 or len(new) < 2:
        return False
    return old[-2:] == new[-2:] and product(old[:-2]) == product(new[:-2])


def peeled(operand: Expr, definitions: Definitions) -> Expr:
    """The operand behind reshapes that only regroup its batch axes."""
    while isinstance(operand, Var) and operand in definitions and peelable(definitions[operand]):
        operand = definitions[operand].args[0]
    return operand


def defining(operand: Expr, definitions: Definitions, op: str) -> Call | None:
    call = operand if isinstance(operand, Call) else definitions.get(operand) if isinstance(operand, Var) else None
    return call if call is not None and call.op == op else None


def base_load(operand: Expr, definitions: Definitions) -> Call | None:
    """The load that brought a whole operand on chip, through a transposing view."""
    source = peeled(operand, definitions)
    view = defining(source, definitions, "tile.transpose_view")
    return defining(view.args[0] if view is not None else source, definitions, "tile.load")


def both_fit(left: Type, right: Type) -> bool:
    """Whether both whole operands fit L1 together; an unknown size counts as fitting."""
    sizes = [_bytes(kind) for kind in (left, right)]
    return None in sizes or sum(size for size in sizes if size is not None) <= MAT_BYTES


def _bytes(kind: Type) -> int | None:
    shape = known(kind.shape) if isinstance(kind, TileType) else None
    if shape is None or not isinstance(kind, TileType):
        return None
    elements = product(shape)
    assert isinstance(elements, int)
    return -(-elements * kind.dtype.storage_bits // 8)


def keeps_whole(fits: bool, load: Call | None) -> bool:
    """An operand stays whole when both fit and its window is one run of rows of its tensor."""
    if not fits or load is None or len(load.args) < 4:
        return fits
    tensor, valid = type_of(load.args[0]), tuple_items(load.args[3])
    if not isinstance(tensor, TensorType) or valid is None or len(valid) <= 2 or len(valid) != len(tensor.shape):
        return True
    return collapses(valid, tensor.shape)


def _routes(products: list[Call], definitions: Definitions) -> tuple[set[Var], set[Var]]:
    whole: set[Var] = set()
    paged: set[Var] = set()
    for call in products:
        matrices = _matrices(call)
        fits = both_fit(*(type_of(peeled(matrix, definitions)) for matrix in matrices))
        for matrix in matrices:
            route = whole if keeps_whole(fits, base_load(matrix, definitions)) else paged
            route.update(_chain(matrix, definitions))
    return whole, paged


def _chain(operand: Expr, definitions: Definitions) -> Iterator[Var]:
    current: Expr | None = operand
    while isinstance(current, Var):
        yield current
        call = definitions.get(current)
        current = call.parts[0] if call is not None and call.op in ("tile.transpose_view", "tile.reshape") else None
