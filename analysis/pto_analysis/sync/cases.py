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
from pto_analysis.sync.outline import BlockNode, ForkNode, LoopNode, Outline, Step, blocks_of

_MOST_CASES = 8
"""How often any step is followed at most."""

Case = Mapping[Linear, bool]
"""Conditions by their normal form, and how they come out."""

NO_CASES: tuple[Case, ...] = ()


@frozen
class Cases:
    """`of[block]`: the cases of one run of the block, where there are several worth telling apart. `conditions`: what
    decides a fork (true: the first arm) or a loop (true: it runs at least one round). `fixed`: the block of which one
    run fixes a condition."""

    of: Mapping[BlockNode, tuple[Case, ...]]
    conditions: Mapping[ForkNode | LoopNode, Linear]
    fixed: Mapping[Linear, BlockNode]
    _asked: dict[tuple[BlockNode, BlockNode, LoopNode | None], bool] = field(
        factory=dict["tuple[BlockNode, BlockNode, LoopNode | None]", bool]
    )

    def meet(self, source: Step, target: Step, loop: LoopNode | None = None) -> bool:
        """Whether some run comes to both steps: in one iteration of all loops around both, or, with a loop, to the
        target in a later iteration of it."""
        key = source.block, target.block, loop
        if key not in self._asked:
            self._asked[key] = self._meet(source, target, loop)
        return self._asked[key]

    def _meet(self, source: Step, target: Step, loop: LoopNode | None) -> bool:
        last = target.blocks.index(loop.body) if loop is not None else len(target.blocks)
        shared = [block for block in source.blocks if block in target.blocks[:last]]
        taken: dict[BlockNode, dict[Linear, bool]] = {block: {} for block in shared}
        for step in (source, target):
            for condition, outcome in self._on_the_way(step):
                block = self.fixed.get(condition)
                if block in taken and taken[block].setdefault(condition, outcome) is not outcome:
                    return False
        return all(any(_allows(case, taken[block]) for case in self.of.get(block, ({},))) for block in shared)

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
    found: dict[BlockNode, tuple[Case, ...]] = {}
    _choose(tree.root, finder, _MOST_CASES, found)
    return Cases(found, finder.conditions, finder.fixed)


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
        block = self.fixed_in(form, node)
        if block is not None:
            self.fixed[form] = block
            _, subject, _ = _comparison(form, self.scalars)
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

    def fixed_in(self, form: Linear, node: ForkNode | LoopNode) -> BlockNode | None:
        """The body of the innermost loop in which the condition may change, or the function's."""
        changing = self.scalars.loops_of(form)
        loops = node.block.loops
        if not changing <= {loop.id for loop in loops}:
            return None
        inner = next((loop for loop in reversed(loops) if loop.id in changing), None)
        return inner.body if inner is not None else _root(node.block)


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


def _choose(block: BlockNode, finder: _Finder, most: int, found: dict[BlockNode, tuple[Case, ...]]) -> None:
    """Take the values that decide most places first, as long as their cases are few enough."""
    cases: list[Case] = [{}]
    subjects = finder.subjects.get(block, {})
    for subject, places in sorted(subjects.items(), key=lambda entry: -len(entry[1])):
        if len(places) < 2:
            break
        room = most // len(cases)
        more = list(islice(_outcomes(subject, tuple(dict.fromkeys(places)), finder.scalars), room + 1))
        if len(more) <= room:
            cases = [{**case, **other} for case, other in product(cases, more)]
    if len(cases) > 1:
        found[block] = tuple(cases)
    for child in block.children:
        for inner in blocks_of(child):
            _choose(inner, finder, most // len(cases), found)


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
