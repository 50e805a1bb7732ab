"""The stages of lowering in the compiler's order.

Facts: hw-native-sys/pypto, `pass_manager.py` (2026-08-21; reference: DSL section h).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache, cached_property

from pto_analysis.frozen import evolve, frozen
from pto_analysis.ir.function import Function, FunctionKind
from pto_analysis.passes.canonicalize import canonicalize
from pto_analysis.passes.canonicalize.result import Canonicalized, Rejection, Rewrite
from pto_analysis.passes.lowering.casts import legalise_casts
from pto_analysis.passes.lowering.composite import lower_composites
from pto_analysis.passes.lowering.convert import convert_tensors
from pto_analysis.passes.lowering.convert.assemble_loop import store_pieces
from pto_analysis.passes.lowering.directions import with_directions
from pto_analysis.passes.lowering.flatten_calls import flatten_calls
from pto_analysis.passes.lowering.inline import WRITTEN_IN, Expanded, Helpers, expand, no_helpers
from pto_analysis.passes.lowering.l0 import tile_matmuls
from pto_analysis.passes.lowering.nd import flatten_tiles
from pto_analysis.passes.lowering.notes import LoweringNote
from pto_analysis.passes.lowering.outline import outline
from pto_analysis.passes.lowering.placement import place
from pto_analysis.passes.lowering.regions import has_region, holds_region, mark_regions
from pto_analysis.passes.lowering.simplify import simplify
from pto_analysis.passes.lowering.unroll import Turns, every_turn, telling_turns, unroll
from pto_analysis.passes.ssa import to_ssa
from pto_analysis.toolchain import Toolchain


@frozen(eq=False, slots=False)
class LoweredFunction:
    """One function that runs on a core, at the four points; `notes` say what was not lowered.

    `written_in` names the inline function that holds the code when that is not the function it came from; origins
    of another unit's code are those of the call. The last two points are worked out when they are asked for.
    """

    name: str
    lowered: Function
    before: Function
    notes: tuple[LoweringNote, ...] = ()
    written_in: str | None = None

    @cached_property
    def canonical(self) -> Canonicalized:
        return canonicalize(self.before)

    @property
    def after(self) -> Function:
        return self.canonical.function

    @property
    def rewrites(self) -> tuple[Rewrite, ...]:
        return self.canonical.rewrites

    @property
    def rejection(self) -> Rejection | None:
        return self.canonical.rejection

    @cached_property
    def placed(self) -> Function:
        return place(self.after)


def lower(
    functions: Sequence[Function], toolchain: Toolchain, helpers: Helpers = no_helpers
) -> tuple[LoweredFunction, ...]:
    """Lowers the functions of one unit; those that run on a core come out, in the order of the text.

    `helpers` says which kernel a function means by a name that it calls. An inline function with regions of its own
    is lowered by itself too, as nobody may call it yet.
    """
    return _lower(functions, toolchain, helpers, WHOLE)


def _lower(
    functions: Sequence[Function], toolchain: Toolchain, helpers: Helpers, reach: Reach
) -> tuple[LoweredFunction, ...]:
    taken = {function.name for function in functions if function.kind is not FunctionKind.INLINE}
    unit, known = frozenset(functions), reach.helpers(helpers)
    return tuple(
        lower_core(core, toolchain, notes)
        for function in functions
        for core, notes in core_functions(expand(function, known, unit), taken, reach.turns)
    )


def lower_own(
    functions: Sequence[Function], toolchain: Toolchain, helpers: Helpers = no_helpers
) -> tuple[LoweredFunction, ...]:
    """`lower` for the regions that stand in these functions; those of inline functions are left to their own unit."""
    return _lower(functions, toolchain, helpers, OWN)


def every_helper(helpers: Helpers) -> Helpers:
    """All of them, as the compiler does it."""
    return helpers


def without_regions(helpers: Helpers) -> Helpers:
    """Only the helpers that are no more than a part of their caller's regions; each looked for once."""

    @cache
    def find(caller: Function, spelled: str) -> Function | None:
        found = helpers(caller, spelled)
        return None if found is None or holds_region(found.body) else found

    return find


@frozen
class Reach:
    """How far lowering goes: which inline functions it writes out, and which copies of the regions in a loop."""

    helpers: Callable[[Helpers], Helpers]
    turns: Turns


WHOLE = Reach(every_helper, every_turn)
"""What the compiler makes of a function."""

OWN = Reach(without_regions, telling_turns)
"""What stands in a function itself: regions of inline functions belong to the unit that they are written in."""


def core_functions(
    expanded: Expanded, taken: set[str], turns: Turns = every_turn
) -> Iterator[tuple[Function, tuple[LoweringNote, ...]]]:
    """What of a function runs on a core, in SSA form: itself, or each of its regions as a function."""
    function = expanded.function
    unrolled = unroll(function, turns)
    marked = mark_regions(unrolled.function)
    if not function.kind.is_incore and not has_region(marked):
        return
    prepared = flatten_calls(simplify(to_ssa(marked).function))
    cores = (prepared,) if function.kind.is_incore else outline(prepared, taken)
    for core in cores:
        yield core, (*expanded.notes, *unrolled.notes)


def lower_core(core: Function, toolchain: Toolchain, notes: tuple[LoweringNote, ...] = ()) -> LoweredFunction:
    """Takes one function that runs on a core, in SSA form, through all stages."""
    written_in = core.attrs.get(WRITTEN_IN)
    core = evolve(core, attrs={key: value for key, value in core.attrs.items() if key != WRITTEN_IN})
    converted = convert_tensors(core, toolchain)
    directed = with_directions(converted.function)
    flattened = flatten_tiles(lower_composites(store_pieces(directed.function)), toolchain)
    legalised = legalise_casts(flattened.function, toolchain)
    tiled = tile_matmuls(legalised.function, toolchain)
    return LoweredFunction(
        name=core.name,
        lowered=directed.function,
        before=tiled.function,
        notes=(*notes, *converted.notes, *directed.notes, *flattened.notes, *legalised.notes, *tiled.notes),
        written_in=written_in if isinstance(written_in, str) else None,
    )
