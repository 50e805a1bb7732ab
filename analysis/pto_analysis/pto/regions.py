"""Statements of a region in order: scalars, views, queue ops, loops and branches (reference: sync 4.1 and 9)."""

from __future__ import annotations

from pto_analysis.arith.terms import INDEX_BITS, Symbol, Term, number
from pto_analysis.frozen import evolve, frozen
from pto_analysis.pto.queue_ops import is_manual, is_not_queued, lower_call, lower_manual, lower_queue_op
from pto_analysis.pto.scalar_ops import is_scalar_operation, lower_scalar
from pto_analysis.pto.scope import Handle, Known, Opaque, Scope, Yielded, integer_bits
from pto_analysis.pto.syntax import FunctionSyntax, Name, Operation, Region, Use
from pto_analysis.pto.types import ScalarType
from pto_analysis.pto.view_ops import VIEW_OPS, check_slot_types
from pto_analysis.source.span import Span
from pto_analysis.sync.program import (
    Branch,
    HandleCarry,
    HandleMerge,
    Location,
    Loop,
    ScalarCarry,
    ScalarMerge,
    Statement,
    Target,
)

_YIELDS = frozenset({"scf.yield", "scf.condition", "pto.yield", "scf.reduce"})
_QUIET = frozenset({"func.return", "pto.yield", "memref.dealloc", "scf.reduce", "cf.br", "cf.cond_br"})


@frozen(eq=False)
class RegionLowering:
    """Walks over the regions of one function for one core."""

    scope: Scope
    target: Target
    callees: dict[str, FunctionSyntax]

    def region(self, region: Region) -> Yielded:
        """Add the statements of a region; what its last operation hands out."""
        if region.extra_blocks:
            message = "control flow between blocks is not followed: they are read one after the other"
            self.scope.complain("unsupported", message, region.span)
        yielded = Yielded()
        for operation in region.operations:
            self.scope.builder.where = location_of(operation)
            if operation.name in _YIELDS:
                yielded = self._yielded(operation)
            else:
                self._operation(operation)
        return yielded

    def _yielded(self, operation: Operation) -> Yielded:
        uses = list(operation.uses())
        condition = None
        if operation.name == "scf.condition" and uses:
            condition = self.scope.term(uses.pop(0))
        return Yielded(tuple(self.scope.known(use) for use in uses), condition)

    def _operation(self, operation: Operation) -> None:
        name = operation.name
        if name in VIEW_OPS:
            VIEW_OPS[name](self.scope, operation)
            check_slot_types(self.scope, operation)
        elif is_scalar_operation(name):
            lower_scalar(self.scope, operation)
        elif name == "scf.for":
            self._for(operation)
        elif name == "scf.if":
            self._if(operation)
        elif name == "scf.while":
            self._while(operation)
        elif operation.regions:
            self._other_region(operation)
        elif name == "func.call":
            lower_call(self.scope, operation, self.callees)
        elif is_manual(name):
            lower_manual(self.scope, operation, self.target)
        else:
            self._leaf(operation)

    def _leaf(self, operation: Operation) -> None:
        name = operation.name
        if is_not_queued(name) or name in _QUIET:
            self.scope.define_unknown(operation)
        elif name.startswith("pto.") or self._touches_buffers(operation):
            lower_queue_op(self.scope, operation, self.target)
        else:
            self.scope.define_unknown(operation)
            message = f"unknown operation '{name}'"
            self.scope.complain("unknown-operation", message, operation.name_span)

    def _touches_buffers(self, operation: Operation) -> bool:
        return any(isinstance(self.scope.values.get(use.name), Handle) for use in operation.uses())

    def _other_region(self, operation: Operation) -> None:
        """Sections and fusion regions are transparent; other region ops may run any number of times."""
        name = operation.name
        if name in self.scope.other_sections:
            self.scope.define_unknown(operation)
            return
        if name.startswith("pto."):
            yielded = Yielded()
            for region in operation.regions:
                self._define_arguments(region)
                yielded = self.region(region)
            self._hand_out(operation, yielded)
            return
        self.scope.complain("unsupported", f"'{name}' is taken as a loop of unknown length", operation.name_span)
        self._unknown_loop(operation)

    def _define_arguments(self, region: Region) -> None:
        for argument in region.arguments:
            if isinstance(argument.type, ScalarType) and argument.type.is_integer:
                self.scope.define(argument, None)
            else:
                self.scope.values.setdefault(argument.text, Opaque(argument.type))

    def _hand_out(self, operation: Operation, yielded: Yielded) -> None:
        for position, result in enumerate(operation.results):
            value = yielded.values[position] if position < len(yielded.values) else Opaque(result.type)
            self.scope.values[result.text] = value

    def _unknown_loop(self, operation: Operation) -> None:
        builder = self.scope.builder
        stop = builder.define(None, self.scope.unique("%trips"))
        with builder.loop(self.scope.unique("%round"), stop):
            for region in operation.regions:
                self._define_arguments(region)
                self.region(region)
        self.scope.define_unknown(operation)

    # scf.for

    def _for(self, operation: Operation) -> None:
        bounds, initials = _loop_operands(operation)
        if len(bounds) != 3 or len(operation.regions) != 1 or not operation.regions[0].arguments:
            self.scope.complain("syntax", "expected '%i = lower to upper step width' in 'scf.for'", operation.span)
            self._unknown_loop(operation)
            return
        where = self.scope.builder.where
        region = operation.regions[0]
        start, stop, step = (self._bound(use) for use in bounds)
        variable = Symbol(self.scope.unique(region.arguments[0].text), start.bits)
        self.scope.values[region.arguments[0].text] = variable
        carries = _Carries(self.scope, region.arguments[1:], tuple(self.scope.known(use) for use in initials))
        identity = self.scope.builder.fresh("loop")
        with self.scope.builder.collect() as body:
            yielded = self.region(region)
            carries.close(yielded.values, operation.results)
        scalars, handles = carries.finished()
        loop = Loop(
            identity, "for", tuple(body), variable, start, stop, step, None, scalars, handles, _header(where, region)
        )
        self.scope.builder.append_loop(loop)
        carries.publish()

    def _bound(self, use: Use) -> Term:
        term = self.scope.term(use)
        return term if term is not None else self.scope.builder.define(None, self.scope.unique("%bound"))

    # scf.while

    def _while(self, operation: Operation) -> None:
        """Rotated into the form of `sync.program`: the "before" part runs at least once, "do" under its condition."""
        if len(operation.regions) != 2:
            self.scope.complain("syntax", "expected a 'do' region in 'scf.while'", operation.span)
            self._unknown_loop(operation)
            return
        where = self.scope.builder.where
        before, after = operation.regions
        initials = tuple(self.scope.known(use) for use in operation.uses())
        carries = _Carries(self.scope, before.arguments, initials)
        identity, branch = self.scope.builder.fresh("loop"), self.scope.builder.fresh("if")
        with self.scope.builder.collect() as body:
            tested = self.region(before)
            for argument, value in zip(after.arguments, tested.values, strict=False):
                self.scope.values[argument.text] = value
            with self.scope.builder.collect() as then:
                again = self.region(after)
            merged = _Merges(self.scope, carries.current(), again.values, then)
            self.scope.builder.add(
                Branch(branch, tested.condition, tuple(then), (), *merged.finished(), _header(where, after))
            )
            carries.close(merged.results, ())
            carries.add_results(operation.results, tested.values)
        scalars, handles = carries.finished()
        condition = tested.condition
        loop = Loop(
            identity,
            "while",
            tuple(body),
            condition=condition,
            scalars=scalars,
            handles=handles,
            where=_header(where, before),
        )
        self.scope.builder.append_loop(loop)
        carries.publish()

    # scf.if

    def _if(self, operation: Operation) -> None:
        uses = operation.uses()
        condition = self.scope.term(uses[0]) if uses else None
        if not uses or not operation.regions:
            self.scope.complain("syntax", "expected a condition and a region in 'scf.if'", operation.span)
        where = self.scope.builder.where
        identity = self.scope.builder.fresh("if")
        sides: list[tuple[list[Statement], Yielded]] = []
        for number_of_side in range(2):
            with self.scope.builder.collect() as block:
                present = number_of_side < len(operation.regions)
                yielded = self.region(operation.regions[number_of_side]) if present else Yielded()
            sides.append((block, yielded))
        (then, first), (otherwise, second) = sides
        merges = _IfMerges(self.scope, operation.results, (first.values, second.values), (then, otherwise))
        scalars, handles = merges.finished()
        header = _header(where, operation.regions[0]) if operation.regions else where
        self.scope.builder.add(Branch(identity, condition, tuple(then), tuple(otherwise), scalars, handles, header))
        merges.publish()


def location_of(operation: Operation) -> Location:
    """Where an operation stands in the file and where its trailer leads."""
    place = operation.location
    return Location.at(operation.span, None if place is None else (place.path, place.line, place.column))


def _header(where: Location, region: Region) -> Location:
    """The head of a loop or branch: from its start to its opening brace."""
    start, brace = where.span, region.span
    return Location.at(Span(start.line, start.column, brace.line, brace.column), where.python)


def _loop_operands(operation: Operation) -> tuple[list[Use], list[Use]]:
    """(lower, upper, step) and the initial values, of the pretty and of the generic form."""
    uses = list(operation.uses())
    initials = [use for use in uses if use.key == "iter_args"]
    bounds = [use for use in uses if use.key != "iter_args"]
    return (bounds, initials) if "to" in operation.words else (bounds[:3], bounds[3:])


def _block_value(scope: Scope, block: list[Statement], bits: int) -> Term:
    """A value only run time knows, defined inside a block that is already closed."""
    with scope.builder.collect() as extra:
        symbol = scope.builder.define(None, scope.unique("%unknown"), bits)
    block.extend(extra)
    return symbol


class _Carries:
    """The values that a loop hands from round to round."""

    def __init__(self, scope: Scope, names: tuple[Name, ...], initials: tuple[Known, ...]) -> None:
        self.scope = scope
        self._scalars: list[ScalarCarry] = []
        self._handles: list[HandleCarry] = []
        self._results: dict[str, Known] = {}
        self._slots: list[tuple[Known, str, Known]] = []
        for position, name in enumerate(names):
            initial = initials[position] if position < len(initials) else Opaque(name.type)
            self._slots.append((initial, *self._enter(name, initial)))

    def _enter(self, name: Name, initial: Known) -> tuple[str, Known]:
        inner: Known = Opaque(name.type)
        unique = self.scope.unique(name.text)
        if isinstance(initial, Handle):
            inner = evolve(initial, name=unique, strides=None)
        elif not isinstance(initial, Opaque):
            inner = Symbol(unique, initial.bits)
        self.scope.values[name.text] = inner
        return name.text, inner

    def current(self) -> tuple[Known, ...]:
        """The carried values as the body sees them."""
        return tuple(inner for _, _, inner in self._slots)

    def close(self, values: tuple[Known, ...], results: tuple[Name, ...]) -> None:
        """The body ends and yields `values`; `results` name the carried values behind the loop."""
        for position, (initial, _, inner) in enumerate(self._slots):
            value = values[position] if position < len(values) else Opaque()
            result = results[position] if position < len(results) else None
            self._carry(initial, inner, value, result)

    def _carry(self, initial: Known, inner: Known, value: Known, result: Name | None) -> None:
        outer = self.scope.unique(result.text) if result is not None else None
        if isinstance(inner, Handle) and isinstance(initial, Handle):
            following = value.name if isinstance(value, Handle) else inner.name
            self._handles.append(HandleCarry(inner.name, initial.name, following, outer))
            if result is not None and outer is not None:
                self._results[result.text] = evolve(inner, name=outer)
        elif isinstance(inner, Symbol) and not isinstance(initial, (Handle, Opaque)):
            known = value if not isinstance(value, (Handle, Opaque)) and value.bits == inner.bits else None
            following_term = known if known is not None else self._unknown(inner.bits)
            symbol = None if outer is None else Symbol(outer, inner.bits)
            self._scalars.append(ScalarCarry(inner, initial, following_term, symbol))
            if result is not None and symbol is not None:
                self._results[result.text] = symbol
        elif result is not None:
            self._results[result.text] = Opaque(result.type)

    def _unknown(self, bits: int | None) -> Term:
        return self.scope.builder.define(None, self.scope.unique("%unknown"), bits or INDEX_BITS)

    def add_results(self, results: tuple[Name, ...], values: tuple[Known, ...]) -> None:
        """Results that are not the carried values themselves (of a while loop): carried along for the way out."""
        for position, result in enumerate(results):
            value = values[position] if position < len(values) else Opaque(result.type)
            unique = self.scope.unique(result.text)
            if isinstance(value, Handle):
                initial = next((one.name for one, _, _ in self._slots if isinstance(one, Handle)), value.name)
                self._handles.append(HandleCarry(f"{unique}.last", initial, value.name, unique))
                self._results[result.text] = evolve(value, name=unique)
            elif not isinstance(value, Opaque):
                inner, outer = Symbol(f"{unique}.last", value.bits), Symbol(unique, value.bits)
                self._scalars.append(ScalarCarry(inner, number(0, value.bits), value, outer))
                self._results[result.text] = outer
            else:
                self._results[result.text] = Opaque(result.type)

    def finished(self) -> tuple[tuple[ScalarCarry, ...], tuple[HandleCarry, ...]]:
        return tuple(self._scalars), tuple(self._handles)

    def publish(self) -> None:
        """Behind the loop its results can be used."""
        self.scope.values.update(self._results)


class _Merges:
    """What a while loop carries on: the new values where its "do" part ran, the old ones where it did not."""

    def __init__(self, scope: Scope, old: tuple[Known, ...], new: tuple[Known, ...], block: list[Statement]) -> None:
        self._scalars: list[ScalarMerge] = []
        self._handles: list[HandleMerge] = []
        merged: list[Known] = []
        for position, before in enumerate(old):
            value = new[position] if position < len(new) else Opaque()
            name = scope.unique("%next")
            if isinstance(before, Handle):
                following = value.name if isinstance(value, Handle) else before.name
                self._handles.append(HandleMerge(name, following, before.name))
                merged.append(evolve(before, name=name))
            elif isinstance(before, Symbol):
                known = value if not isinstance(value, (Handle, Opaque)) and value.bits == before.bits else None
                bits = before.bits or INDEX_BITS
                then = known if known is not None else _block_value(scope, block, bits)
                self._scalars.append(ScalarMerge(Symbol(name, before.bits), then, before))
                merged.append(Symbol(name, before.bits))
            else:
                merged.append(before)
        self.results = tuple(merged)

    def finished(self) -> tuple[tuple[ScalarMerge, ...], tuple[HandleMerge, ...]]:
        return tuple(self._scalars), tuple(self._handles)


class _IfMerges:
    """The results of a branch."""

    def __init__(
        self,
        scope: Scope,
        results: tuple[Name, ...],
        values: tuple[tuple[Known, ...], tuple[Known, ...]],
        blocks: tuple[list[Statement], list[Statement]],
    ) -> None:
        self._scope = scope
        self._blocks = blocks
        self._scalars: list[ScalarMerge] = []
        self._handles: list[HandleMerge] = []
        self._results: dict[str, Known] = {}
        for position, result in enumerate(results):
            first, second = (side[position] if position < len(side) else Opaque(result.type) for side in values)
            self._results[result.text] = self._merge(result, first, second)

    def _merge(self, result: Name, first: Known, second: Known) -> Known:
        name = self._scope.unique(result.text)
        if isinstance(first, Handle) and isinstance(second, Handle):
            self._handles.append(HandleMerge(name, first.name, second.name))
            return evolve(first, name=name, strides=None)
        kind = result.type
        if not (isinstance(kind, ScalarType) and kind.is_integer):
            return Opaque(kind)
        bits = integer_bits(kind)
        then, otherwise = (self._side(value, side, bits) for side, value in enumerate((first, second)))
        self._scalars.append(ScalarMerge(Symbol(name, bits), then, otherwise))
        return Symbol(name, bits)

    def _side(self, value: Known, side: int, bits: int) -> Term:
        if not isinstance(value, (Handle, Opaque)) and value.bits == bits:
            return value
        return _block_value(self._scope, self._blocks[side], bits)

    def finished(self) -> tuple[tuple[ScalarMerge, ...], tuple[HandleMerge, ...]]:
        return tuple(self._scalars), tuple(self._handles)

    def publish(self) -> None:
        self._scope.values.update(self._results)
