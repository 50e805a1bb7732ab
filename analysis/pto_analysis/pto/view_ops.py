"""Operations that name bytes: allocations, views, casts of pointers (reference: sync 4.1, 4.2 and 9)."""

from __future__ import annotations

from collections.abc import Callable

from pto_analysis.arith.terms import INDEX_BITS, Number, Symbol, Term, cast, number
from pto_analysis.frozen import evolve
from pto_analysis.pto.scope import Handle, Scope, element_name, is_buffer, shape_of, space_of
from pto_analysis.pto.syntax import Argument, Literal, Operation, Use
from pto_analysis.pto.types import MultiTileType, ScalarType
from pto_analysis.sync.program import Alias, Bytes, Region, Slot, Whole, Window

Lowering = Callable[[Scope, Operation], None]


def _term(scope: Scope, argument: Argument | None) -> Term | None:
    if isinstance(argument, Literal):
        return number(argument.value) if isinstance(argument.value, int) else None
    return None if argument is None else scope.term(argument)


def _index_terms(scope: Scope, operation: Operation, key: str) -> list[Term | None]:
    return [_term(scope, argument) for argument in operation.group(key)]


def _source(scope: Scope, operation: Operation) -> Handle | None:
    use = next(iter(operation.uses()), None)
    return None if use is None else scope.handle(use)


def _widened(scope: Scope, term: Term) -> Term:
    """The term as a 64-bit index."""
    if term.bits == INDEX_BITS or term.bits is None:
        return term
    return number(term.value) if isinstance(term, Number) else scope.builder.define(cast("sext", term, INDEX_BITS))


def _allocation(scope: Scope, operation: Operation) -> None:
    """`alloc_tile`, `alloc_multi_tile`, `declare_tile`, `tassign`, `pointer_cast`: a place of its own."""
    if not operation.results:
        return
    address = operation.first("addr")
    if address is None and operation.name in ("pto.tassign", "pto.pointer_cast"):
        address = operation.uses()[-1] if len(operation.uses()) >= 1 else None
    base = _term(scope, address)
    if address is not None and base is None:
        base = scope.builder.define(None, scope.unique("%address"))
    place = base.value if isinstance(base, Number) else base
    kind = operation.results[0].type
    if not is_buffer(kind):
        complain_type(scope, operation)
    scope.declare(operation.results[0], kind, place)


def complain_type(scope: Scope, operation: Operation) -> None:
    scope.complain("syntax", f"'{operation.name}' needs a tile type that can be read", operation.span)


def _alias(scope: Scope, operation: Operation) -> None:
    source = _source(scope, operation)
    if source is None or not operation.results:
        scope.define_unknown(operation)
        return
    scope.bind(operation.results[0], Alias(source.name), source, strides=source.strides)


def _slot(scope: Scope, operation: Operation) -> None:
    source = _source(scope, operation)
    index = next(iter(_index_terms(scope, operation, "index")), None)
    if source is None or index is None or not operation.results:
        _alias(scope, operation)
        return
    scope.bind(operation.results[0], Slot(source.name, _widened(scope, index)), source)


def _subview(scope: Scope, operation: Operation) -> None:
    """A window of a tile; of a global view it is a partition."""
    source = _source(scope, operation)
    if source is None or not operation.results:
        scope.define_unknown(operation)
        return
    if source.space == "gm":
        _partition(scope, operation)
        return
    offsets = _index_terms(scope, operation, "index") or _index_terms(scope, operation, "offsets")
    sizes = [term.value for term in _index_terms(scope, operation, "sizes") if isinstance(term, Number)]
    if len(offsets) != 2 or len(sizes) != 2 or source.shape is None or offsets[0] is None or offsets[1] is None:
        _alias(scope, operation)
        return
    row, column = (_widened(scope, offset) for offset in offsets if offset is not None)
    result = operation.results[0]
    if not is_buffer(result.type):
        _elided_subview(scope, operation, (source, row, column, sizes))
        return
    scope.bind(result, Window(source.name, row, column, sizes[0], sizes[1]), source)


def _elided_subview(scope: Scope, operation: Operation, parts: tuple[Handle, Term, Term, list[int]]) -> None:
    """The older spelling leaves the result's type out: it is the source's with the window's sizes."""
    source, row, column, sizes = parts
    name = operation.results[0]
    shape = None
    if source.shape is not None:
        shape = evolve(source.shape, rows=sizes[0], cols=sizes[1], valid_rows=sizes[0], valid_cols=sizes[1])
    view = Window(source.name, row, column, sizes[0], sizes[1])
    handle = scope.builder.bind(view, shape, scope.unique(name.text))
    scope.values[name.text] = Handle(handle, source.space, shape, source.elements)


def _tensor_view(scope: Scope, operation: Operation) -> None:
    source = _source(scope, operation)
    if source is None or not operation.results:
        scope.define_unknown(operation)
        return
    strides = _index_terms(scope, operation, "strides")
    known = tuple(_widened(scope, stride) for stride in strides if stride is not None)
    complete = known if known and len(known) == len(strides) else None
    scope.bind(operation.results[0], Alias(source.name), source, strides=complete)


def _partition(scope: Scope, operation: Operation) -> None:
    """A box of a global view: from its first to behind its last byte, where strides and sizes are known."""
    source = _source(scope, operation)
    if source is None or not operation.results:
        scope.define_unknown(operation)
        return
    offsets = _index_terms(scope, operation, "offsets") or _index_terms(scope, operation, "index")
    sizes = _index_terms(scope, operation, "sizes")
    strides = source.strides
    width = source.element_bytes
    complete = strides is not None and len(strides) == len(offsets) == len(sizes) and None not in offsets
    if strides is None or not complete or width is None:
        # Which bytes it has is unknown: it may be all of the source, and no view of it may be placed.
        _unplaced_view(scope, operation, source)
        return
    known = [_widened(scope, offset) for offset in offsets if offset is not None]
    view = Bytes(source.name, _offset(scope, known, strides, width), _extent(sizes, strides, width))
    scope.bind(operation.results[0], view, source, strides=strides)


def _unplaced_view(scope: Scope, operation: Operation, source: Handle) -> None:
    unknown = scope.builder.define(None, scope.unique("%offset"))
    scope.bind(operation.results[0], Bytes(source.name, unknown, None), source)


def _offset(scope: Scope, offsets: list[Term], strides: tuple[Term, ...], width: int) -> Term:
    """Σ offset · stride, in bytes. Constant parts are folded so that whole numbers stay numbers."""
    constant = 0
    total: Symbol | None = None
    for offset, stride in zip(offsets, strides, strict=True):
        if isinstance(offset, Number) and isinstance(stride, Number):
            constant += offset.value * stride.value * width
            continue
        step = (
            number(stride.value * width) if isinstance(stride, Number) else scope.builder.scalar("mul", stride, width)
        )
        part = scope.builder.scalar("mul", offset, step)
        total = part if total is None else scope.builder.scalar("add", total, part)
    if total is None:
        return number(constant)
    return scope.builder.scalar("add", total, constant) if constant else total


def _extent(sizes: list[Term | None], strides: tuple[Term, ...], width: int) -> int | None:
    last = 0
    for size, stride in zip(sizes, strides, strict=True):
        if isinstance(size, Number) and size.value == 1:
            continue
        if not isinstance(size, Number) or not isinstance(stride, Number) or size.value < 1:
            return None
        last += (size.value - 1) * stride.value
    return (last + 1) * width


def _add_pointer(scope: Scope, operation: Operation) -> None:
    uses = operation.uses()
    source = _source(scope, operation)
    index = scope.term(uses[1]) if len(uses) > 1 else _term(scope, operation.first("index"))
    if source is None or not operation.results:
        scope.define_unknown(operation)
        return
    if index is None or source.element_bytes is None:
        _unplaced_view(scope, operation, source)
        return
    offset = _offset(scope, [_widened(scope, index)], (number(1),), source.element_bytes)
    scope.bind(operation.results[0], Bytes(source.name, offset, None), source)


def _pointer_to_number(scope: Scope, operation: Operation) -> None:
    source = _source(scope, operation)
    scope.define_unknown(operation)
    if source is not None and operation.results:
        scope.pointers_as_numbers[operation.results[0].text] = source


def _number_to_pointer(scope: Scope, operation: Operation) -> None:
    """The pointer that the number was made of; any other number may point anywhere in its space."""
    use = next(iter(operation.uses()), None)
    pointer = scope.pointers_as_numbers.get(use.name) if use is not None else None
    if not operation.results:
        return
    if pointer is not None:
        scope.bind(operation.results[0], Alias(pointer.name), pointer)
        return
    result = operation.results[0]
    unique, space = scope.unique(result.text), space_of(result.type)
    scope.builder.region(Region(unique, space, unique, anywhere=True, where=scope.builder.where))
    handle = scope.builder.bind(Whole(unique), None, unique)
    scope.values[result.text] = Handle(handle, space, None, element_name(result.type))


def _cast_pointer(scope: Scope, operation: Operation) -> None:
    result = operation.results[0].type if operation.results else None
    source = _source(scope, operation)
    if isinstance(result, ScalarType):
        _pointer_to_number(scope, operation)
    elif source is None:
        _number_to_pointer(scope, operation)
    else:
        _alias(scope, operation)


VIEW_OPS: dict[str, Lowering] = {
    "pto.alloc_tile": _allocation,
    "pto.alloc_multi_tile": _allocation,
    "pto.declare_tile": _allocation,
    "pto.declare_global": _allocation,
    "pto.declare_tile_memref": _allocation,
    "pto.tassign": _allocation,
    "pto.pointer_cast": _allocation,
    "memref.alloc": _allocation,
    "memref.alloca": _allocation,
    "pto.multi_tile_get": _slot,
    "pto.subview": _subview,
    "pto.subset": _subview,
    "pto.treshape": _alias,
    "pto.bitcast": _alias,
    "pto.bind_tile": _alias,
    "memref.cast": _alias,
    "memref.memory_space_cast": _alias,
    "memref.collapse_shape": _alias,
    "memref.expand_shape": _alias,
    "memref.reinterpret_cast": _alias,
    "memref.subview": _alias,
    "pto.make_tensor_view": _tensor_view,
    "pto.partition_view": _partition,
    "pto.addptr": _add_pointer,
    "pto.ptrtoint": _pointer_to_number,
    "pto.inttoptr": _number_to_pointer,
    "pto.castptr": _cast_pointer,
}
"""Operations without a queue that define a buffer."""


def element_pointer(scope: Scope, pointer: Use, index: Argument | None) -> Handle | None:
    """The one element that `%p[%i]` names, as a buffer of its own."""
    source = scope.handle(pointer)
    if source is None:
        return None
    term = _term(scope, index)
    width = source.element_bytes
    if term is None or width is None:
        return source
    offset = _offset(scope, [_widened(scope, term)], (number(1),), width)
    name = scope.builder.bytes(source.name, offset, width, scope.unique(f"{source.name}.element"))
    return Handle(name, source.space, None, source.elements)


def check_slot_types(scope: Scope, operation: Operation) -> None:
    """Slots of a multi tile: 2 to 16, never padded by `row_plus_one` (sync.md 8.2 case 36)."""
    kind = operation.results[0].type if operation.results else None
    if not isinstance(kind, MultiTileType):
        return
    if not 2 <= kind.count <= 16:
        scope.complain("unsupported", f"a multi tile has 2 to 16 slots, not {kind.count}", operation.span)
    if kind.tile.compact == 2:
        scope.complain("unsupported", "a slot cannot be of the row_plus_one form", operation.span)
    if shape_of(kind) is None:
        complain_type(scope, operation)
