"""Conditions that decide at more than one place: what one run of a block can take together, and what it cannot.

Two branches on one condition take the same side, and so does one branch in every round of a loop that does not change
it; two loops up to one bound run both or neither, and what is below two is below three. A value that comes up at
several places of a block, and stays the same through one run of it, has a few *cases*: ways in which all its conditions
come out at once. Whoever follows a block follows it once for each of them. Their number is bounded, so this multiplies
work by a constant; conditions beyond it decide each for themselves.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice, product

from attrs import define, field

from pto_analysis.arith.evaluate import apply
from pto_analysis.arith.linear import Linear
from pto_analysis.arith.scalars import Scalars
from pto_analysis.arith.terms import COMPARISONS, Node
from pto_analysis.frozen import frozen
from pto_analysis.sync.accesses import Guard
from pto_analysis.sync.outline import BlockNode, ForkNode, LoopNode, Outline, Step, blocks_of
from pto_analysis.sync.rounds import Counting, Limit, Phase, Rounds, counting_of, outcomes_at, phases_of

_MOST_CASES = 8
"""How often any step of a large program is followed at most."""

_FEW_STEPS = 1024
"""A small program may be followed more often, until this many steps have been followed."""

_MOST_OF_FEW = 64
"""How often any step is followed at most."""

Case = Mapping[Linear, bool]
"""Conditions by their normal form, and how they come out."""

NO_CASES: tuple[Case, ...] = ()


@frozen
class Cases:
    """`of[block]`: the cases of one run of the block, where there are several worth telling apart. `conditions`: what
    decides a fork (true: the first arm) or a loop (true: it runs at least one round). `fixed`: the block of which one
    run fixes a condition. `rounds`: of loops whose cases of the body come in an order. `limits`: the conditions on
    single values."""

    of: Mapping[BlockNode, tuple[Case, ...]]
    conditions: Mapping[ForkNode | LoopNode, Linear]
    fixed: Mapping[Linear, BlockNode]
    rounds: Mapping[LoopNode, Rounds]
    limits: Mapping[Linear, tuple[Limit, ...]]
    _asked: dict[tuple[BlockNode, BlockNode, LoopNode | None, Guard], bool] = field(
        factory=dict["tuple[BlockNode, BlockNode, LoopNode | None, Guard]", bool]
    )

    def meet(self, source: Step, target: Step, loop: LoopNode | None = None, guard: Guard = ()) -> bool:
        """Whether some run comes to both steps: in one iteration of all loops around both, or, with a loop, to the
        target in a later iteration of it; under the conditions of either."""
        key = source.block, target.block, loop, guard
        if key not in self._asked:
            self._asked[key] = self._meet(source, target, loop, guard)
        return self._asked[key]

    def _meet(self, source: Step, target: Step, loop: LoopNode | None, guard: Guard) -> bool:
        last = target.blocks.index(loop.body) if loop is not None else len(target.blocks)
        shared = [block for block in source.blocks if block in target.blocks[:last]]
        taken: dict[BlockNode, dict[Linear, bool]] = {block: {} for block in shared}
        for condition, outcome in (*self._on_the_way(source), *self._on_the_way(target), *guard):
            block = self.fixed.get(condition)
            if block in taken and taken[block].setdefault(condition, outcome) is not outcome:
                return False
        if loop is not None and not self._in_turn(source, target, loop):
            return False
        return all(any(_allows(case, taken[block]) for case in self.of.get(block, ({},))) for block in shared)

    def _in_turn(self, source: Step, target: Step, loop: LoopNode) -> bool:
        """Whether a round of the loop that comes to the target may follow, at once or later, one that comes to the
        source."""
        rounds = self.rounds.get(loop)
        if rounds is None:
            return True
        earlier, later = (
            {kind for kind, case in enumerate(self.of[loop.body]) if _allows(case, dict(self._on_the_way(step)))}
            for step in (source, target)
        )
        return not rounds.behind(earlier).isdisjoint(later)

    def _on_the_way(self, step: Step) -> Iterator[tuple[Linear, bool]]:
        for node, inside in zip(step.nodes, step.blocks[1:], strict=False):
            condition = self.conditions.get(node) if isinstance(node, (ForkNode, LoopNode)) else None
            if condition is not None:
                yield condition, not isinstance(node, ForkNode) or inside is node.arms[0]


def _allows(case: Case, taken: Mapping[Linear, bool]) -> bool:
    return all(case.get(condition, outcome) is outcome for condition, outcome in taken.items())


def find_cases(tree: Outline) -> Cases:
    """The conditions of a program, and the cases of its blocks."""
    finder = _Finder(tree.scalars)
    finder.block(tree.root)
    finder.choices(tree.steps)
    finder.count(tree.root)
    chooser = _Chooser(finder)
    chooser.block(tree.root, max(_MOST_CASES, min(_MOST_OF_FEW, _FEW_STEPS // max(1, len(tree.steps)))))
    return Cases(chooser.cases, finder.conditions, finder.fixed, chooser.rounds, finder.all_limits())


Subject = Linear
"""A value with conditions on it: what is compared with constants, or a condition itself."""


@define
class _Finder:
    scalars: Scalars
    conditions: dict[ForkNode | LoopNode, Linear] = field(factory=dict["ForkNode | LoopNode", Linear])
    fixed: dict[Linear, BlockNode] = field(factory=dict[Linear, BlockNode])
    subjects: dict[BlockNode, dict[Subject, list[Linear]]] = field(
        factory=dict["BlockNode", "dict[Subject, list[Linear]]"]
    )
    """For each block the values that one run of it fixes, with a condition for each place that they decide."""
    limits: dict[tuple[BlockNode, Subject], dict[Linear, Limit]] = field(
        factory=dict["tuple[BlockNode, Subject]", "dict[Linear, Limit]"]
    )
    """The conditions on each of these values."""
    phases: dict[BlockNode, tuple[Counting, tuple[Phase, ...]]] = field(
        factory=dict["BlockNode", "tuple[Counting, tuple[Phase, ...]]"]
    )
    """For the bodies of loops that count, how; more than one phase."""
    derived: dict[Linear, None] = field(factory=dict[Linear, None])
    """Conditions that decide nothing but which phases a loop comes to."""

    def block(self, block: BlockNode) -> None:
        for child in block.children:
            if isinstance(child, (ForkNode, LoopNode)):
                self.place(child)
                for inner in blocks_of(child):
                    self.block(inner)

    def place(self, node: ForkNode | LoopNode) -> None:
        form = self.condition(node)
        if form is None or form.single is not None:
            return
        self.conditions[node] = form
        self.ask(form, node)

    def choices(self, steps: Iterable[Step]) -> None:
        """Note the conditions that choose what a step touches."""
        for step in steps:
            for form in dict.fromkeys(form for touch in step.touches for form, _ in touch.reach.when):
                self.ask(form, step)

    def ask(self, form: Linear, node: ForkNode | LoopNode | Step) -> None:
        """Note that the condition decides at the node."""
        block = self.fixed_in(form, node)
        if block is not None:
            self.fixed[form] = block
            op, subject, limit = _comparison(form, self.scalars)
            self.limits.setdefault((block, subject), {})[form] = (form, op, limit)
            # What lies in a loop of the block decides in every round of it.
            again = node.block.level > block.level
            self.subjects.setdefault(block, {}).setdefault(subject, []).extend([form, form] if again else [form])

    def condition(self, node: ForkNode | LoopNode) -> Linear | None:
        if isinstance(node, ForkNode):
            condition = node.branch.condition
            return None if condition is None else self.scalars.linear(condition)
        start, stop = node.loop.start, node.loop.stop
        if start is None or stop is None or node.loop.kind == "while" or node.least:
            return None
        return self.scalars.linear(Node("slt", (start, stop), 1))

    def fixed_in(self, form: Linear, node: ForkNode | LoopNode | Step) -> BlockNode | None:
        """The body of the innermost loop in which the condition may change, or the function's."""
        changing = self.scalars.loops_of(form)
        loops = node.block.loops
        if not changing <= {loop.id for loop in loops}:
            return None
        inner = next((loop for loop in reversed(loops) if loop.id in changing), None)
        return inner.body if inner is not None else _root(node.block)

    def count(self, block: BlockNode) -> None:
        """Find the phases of loops, the innermost first: what they ask for are limits for the loops around."""
        for child in block.children:
            for inner in blocks_of(child):
                self.count(inner)
            if isinstance(child, LoopNode):
                self.count_rounds(child)

    def count_rounds(self, node: LoopNode) -> None:
        counting = counting_of(node, self.scalars)
        if counting is None:
            return
        limits = tuple(self.limits.get((node.body, counting.subject), {}).values())
        phases = phases_of(counting, limits, self.known_bounds(node, counting), self.scalars)
        if len(phases) > 1:
            self.phases[node.body] = counting, phases
            for phase in phases:
                if phase.reached is not None and phase.reached.single is None:
                    self.ask(phase.reached, node)
                    self.derived[phase.reached] = None

    def known_bounds(self, node: LoopNode, counting: Counting) -> frozenset[int]:
        """Values that the counter comes to if a condition on the loop's bound comes out so."""
        first = counting.comes_to(counting.start + 1, self.scalars)
        block = self.fixed_in(first, node) if first is not None and first.single is None else None
        if block is None or counting.stop is None:
            return frozenset()
        limits = self.limits.get((block, counting.stop), {}).values()
        return counting.values_below(limit + step for _, op, limit in limits for step in _STEPS[op])

    def all_limits(self) -> dict[Linear, tuple[Limit, ...]]:
        """The conditions on each value that is no sum, but for those that only count rounds."""
        found: dict[Linear, tuple[Limit, ...]] = {}
        for (_, subject), limits in self.limits.items():
            decisive = [one for one in limits.values() if one[0] not in self.derived and one[0] != subject]
            if decisive and subject.lone_atom is not None:
                found[subject] = (*found.get(subject, ()), *decisive)
        return found


_STEPS: Mapping[str, tuple[int, ...]] = {
    **dict.fromkeys(("ult", "slt", "uge", "sge"), (0,)),
    **dict.fromkeys(("ule", "sle", "ugt", "sgt"), (1,)),
    **dict.fromkeys(("eq", "ne"), (0, 1)),
}
"""Where the outcome of a comparison changes, counted from its constant."""


def _root(block: BlockNode) -> BlockNode:
    while block.owner is not None:
        block = block.owner.block
    return block


def _comparison(form: Linear, scalars: Scalars) -> tuple[str, Linear, int]:
    """Operator, value and constant of a condition; one that compares nothing with a constant is not zero itself."""
    number = form.lone_atom
    key = scalars.atom_key(number) if number is not None else ()
    if len(key) == 3 and key[0] in COMPARISONS:
        op, value, limit = key
        if isinstance(value, Linear) and isinstance(limit, Linear) and limit.single is not None:
            return str(op), value, limit.single
    return "ne", form, 0


@define
class _Chooser:
    """Takes the values that decide most places first, as long as their cases are few enough."""

    finder: _Finder
    cases: dict[BlockNode, tuple[Case, ...]] = field(factory=dict["BlockNode", "tuple[Case, ...]"])
    rounds: dict[LoopNode, Rounds] = field(factory=dict["LoopNode", Rounds])

    def block(self, block: BlockNode, most: int) -> None:
        subjects = dict(self.finder.subjects.get(block, {}))
        counting, phases = self.finder.phases.get(block, (None, ()))
        if counting is not None:
            subjects.setdefault(counting.subject, [])
        again = self.goes_on(block)
        cases: list[tuple[Case, int]] = [({}, 0)]
        counted = False
        for subject, places in sorted(subjects.items(), key=lambda entry: -len(entry[1])):
            is_counter = counting is not None and subject == counting.subject
            if is_counter:
                limits = tuple(self.finder.limits.get((block, subject), {}).values())
                more = [(outcomes_at(one.first, limits, subject.bits), number) for number, one in enumerate(phases)]
            elif len(places) > 1 or again in places:
                more = [(case, 0) for case in self.outcomes(subject, places, most // len(cases))]
            else:
                continue
            if len(cases) * len(more) <= most:
                counted = counted or is_counter
                cases = [({**case, **other}, max(turn, phase)) for (case, turn), (other, phase) in product(cases, more)]
        if len(cases) > 1:
            self.cases[block] = tuple(case for case, _ in cases)
            self.order(block, cases, phases if counted else (), again)
        for child in block.children:
            for inner in blocks_of(child):
                self.block(inner, most // len(cases))

    def outcomes(self, subject: Subject, places: Iterable[Linear], most: int) -> list[Case]:
        """How the conditions on a value come out together; where all are too many, those that decide themselves."""
        scalars, all_places = self.finder.scalars, tuple(dict.fromkeys(places))
        found = list(islice(_outcomes(subject, all_places, scalars), most + 1))
        if len(found) <= most:
            return found
        decisive = tuple(form for form in all_places if form not in self.finder.derived)
        return list(islice(_outcomes(subject, decisive, scalars), most + 1))

    def goes_on(self, block: BlockNode) -> Linear | None:
        """The condition by which the block goes on, if it is the body of a while loop."""
        owner = block.owner
        if not isinstance(owner, LoopNode) or owner.loop.kind != "while" or owner.loop.condition is None:
            return None
        return self.finder.scalars.linear(owner.loop.condition)

    def order(
        self, block: BlockNode, cases: list[tuple[Case, int]], phases: tuple[Phase, ...], again: Linear | None
    ) -> None:
        """Note which cases of the block may follow which, if it is the body of a loop and there is anything to tell."""
        owner = block.owner
        outcomes = tuple(None if again is None else case.get(again) for case, _ in cases)
        if isinstance(owner, LoopNode) and (phases or any(outcome is not None for outcome in outcomes)):
            known = phases or (Phase(0, None, None),)
            self.rounds[owner] = Rounds(known, tuple(phase for _, phase in cases), outcomes)


def _outcomes(subject: Subject, conditions: tuple[Linear, ...], scalars: Scalars) -> Iterator[Case]:
    """How the conditions on one value can come out together."""
    seen: set[tuple[bool, ...]] = set()
    comparisons = [_comparison(form, scalars) for form in conditions]
    for value in _samples(subject, [limit for _, _, limit in comparisons], scalars):
        outcome = tuple(_holds(op, value, limit, subject.bits) for op, _, limit in comparisons)
        if outcome not in seen:
            seen.add(outcome)
            yield dict(zip(conditions, outcome, strict=True))
    if not seen:
        yield {}


def _samples(subject: Subject, limits: Iterable[int], scalars: Scalars) -> Iterator[int]:
    """A value between any two neighbouring limits, and the limits themselves, among those the subject can take.

    Registers are tried at both ends of their signed and unsigned readings as well.
    """
    near = {limit + step for limit in limits for step in (-1, 0, 1)}
    values, bits = scalars.signed(subject) if subject.bits else scalars.integer(subject), subject.bits
    if bits:
        near |= {-1, 0, (1 << (bits - 1)) - 1, -(1 << (bits - 1))}
    near |= {end for end in (values.lower, values.upper) if end is not None}
    for value in sorted(near):
        low, high = values.lower is None or values.lower <= value, values.upper is None or value <= values.upper
        if low and high:
            yield value


def _holds(op: str, value: int, limit: int, bits: int | None) -> bool:
    modulus = 1 << bits if bits else None
    operands = (value % modulus, limit % modulus) if modulus else (value, limit)
    return bool(apply(op, operands, bits, 1))
