"""The dataflow of `coverage` for who follows a program many times: an unchanged loop is not entered again."""

from __future__ import annotations

from attrs import define, field

from pto_analysis.sync.coverage import Flow, nothing_to_do
from pto_analysis.sync.instances import NOTHING, NUMBER, QUEUE_COUNT
from pto_analysis.sync.links import Link, Schedule
from pto_analysis.sync.needs import Needs
from pto_analysis.sync.outline import LoopNode, Step
from pto_analysis.sync.states import State, Token, any_of, fresh_state
from pto_analysis.sync.summaries import FEWEST_STEPS, Kind, Known, Passage, Summary, classes, ones


@define
class RememberingFlow(Flow):
    """Goes through a loop by its summary where only what it leaves open and behind is asked for.

    `_finds`: of traced instances, by number, the rows of needs of the steps that find them unfinished.
    """

    _traced: int = NOTHING
    _finds: dict[int, int] = field(factory=dict[int, int])

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        self.schedule.summaries.runs += 1

    def forget(self) -> None:
        self.schedule.summaries.runs += 1
        super().forget()

    def _loop(self, node: LoopNode, state: State) -> None:
        if not self._remembered(node, state):
            super()._loop(node, state)

    def _step(self, step: Step, state: State) -> None:
        if self._traced:
            found = any_of([1 << row for row in self.needs.rows_of(step.order, self._known)])
            for one in ones(state.pending[NUMBER[step.pipe]] & self._traced):
                self._finds[one] = self._finds.get(one, NOTHING) | found
        super()._step(step, state)

    def _may_remember(self, node: LoopNode) -> bool:
        """Whether it is enough to know what comes out of the loop and what it leaves open: nobody looks on inside."""
        if self.at_step is not nothing_to_do or node.stop - node.first < FEWEST_STEPS:
            return False
        return self.schedule.summaries.comes_again(node, self.schedule.version(node))

    def _remembered(self, node: LoopNode, state: State) -> bool:
        """Go through a loop by what is known of it; False where that cannot be done."""
        links = self.schedule.carried_by(node)
        if not self._may_remember(node) or not all(link in state.tokens or link.circulates for link in links):
            return False
        holders = (*state.pending, *(self._carried(link, state) for link in links))
        own = self._instances.inside(node)
        if any_of([*holders]) & own:
            return False
        found = dict(classes(holders, self._instances.queues))
        summary = self._summary(node, links, found)
        if summary is None:
            return False
        outputs = [*summary.own]
        for kind, bits in found.items():
            passage = summary.passages[kind]
            for index in ones(passage.held):
                outputs[index] |= bits
            self._arrive(passage, bits)
        for order, bits in summary.open.items():
            self._leave_open(order, bits)
        state.now, state.pending = node.stop, outputs[:QUEUE_COUNT]
        state.tokens.update(
            {link: Token(bits, node.stop) for link, bits in zip(links, outputs[QUEUE_COUNT:], strict=True)}
        )
        return True

    def _arrive(self, passage: Passage, bits: int) -> None:
        """What a class of steps leaves open inside a loop, and which traced ones are found there."""
        for number in ones(passage.finds) if passage.needs & bits else ():
            row = self.needs.rows[number]
            self._leave_open(row.order, bits & row.mask)
        for one in ones(bits & self._traced):
            self._finds[one] = self._finds.get(one, NOTHING) | passage.finds

    def _leave_open(self, order: int, missing: int) -> None:
        step = self.needs.tree.steps[order]
        if missing:
            self.open[step] = self.open.get(step, NOTHING) | missing

    def _summary(self, node: LoopNode, links: tuple[Link, ...], found: dict[Kind, int]) -> Summary | None:
        """What is known of the loop, learnt for all of these classes."""
        known = self.schedule.summaries.known(node, self.needs, self._known)
        version = self.schedule.version(node)
        summary = self.schedule.summaries.of.get((node, known))
        if summary is not None and summary.version != version:
            summary = None
        new = [kind for kind in found if summary is None or kind not in summary.passages]
        if summary is not None and not new:
            return summary
        samples = {kind: found[kind] & -found[kind] for kind in new}
        return self._learnt(node, links, known, summary or Summary(version, (), {}), samples)

    def _learnt(
        self, node: LoopNode, links: tuple[Link, ...], known: Known, summary: Summary, samples: dict[Kind, int]
    ) -> Summary | None:
        """Follow the loop with one step of each class unfinished before it."""
        flow = RememberingFlow(self.schedule, self.needs, self.target)
        flow._known, flow._traced = dict(known), any_of([NOTHING, *samples.values()])
        held = [
            any_of([NOTHING, *(one for (_, mask), one in samples.items() if mask >> index & 1)])
            for index in range(QUEUE_COUNT + len(links))
        ]
        tokens = {link: Token(bits, node.first) for link, bits in zip(links, held[QUEUE_COUNT:], strict=True)}
        state = State(node.first, node.first, held[:QUEUE_COUNT], tokens)
        super(RememberingFlow, flow)._loop(node, state)
        outputs = [*state.pending, *(flow._carried(link, state) for link in links)]
        own = self._instances.inside(node)
        if any_of(outputs) & ~(own | flow._traced):
            return None
        if not summary.own:
            summary.own = tuple(bits & own for bits in outputs)
            summary.open = {step.order: bits & own for step, bits in flow.open.items() if bits & own}
            self.schedule.summaries.of[node, known] = summary
        for kind, one in samples.items():
            finds = flow._finds.get(one.bit_length() - 1, NOTHING)
            needs = any_of([NOTHING, *(self.needs.rows[row].mask for row in ones(finds))])
            stay = sum(1 << index for index, bits in enumerate(outputs) if bits & one)
            summary.passages[kind] = Passage(stay, finds, needs)
        return summary


def uncovered(needs: Needs, schedule: Schedule) -> dict[Step, int]:
    """What the finished schedule leaves open: the instances that steps need and do not wait for."""
    tree = needs.tree
    flow = RememberingFlow(schedule, needs, tree.program.target)
    flow.block(tree.root, fresh_state(tree.root))
    return flow.open
