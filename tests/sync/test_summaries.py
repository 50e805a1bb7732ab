"""What is remembered of a loop is what following it again gives."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pto_analysis.sync.links import Schedule
from pto_analysis.sync.needs import Needs
from pto_analysis.sync.outline import LoopNode, Node, Step, outline
from pto_analysis.sync.precise import place_soundly
from pto_analysis.sync.program import has_manual_flags
from pto_analysis.sync.reachable import reachable
from pto_analysis.sync.remembering import RememberingFlow
from pto_analysis.sync.scalars import scalars_of
from pto_analysis.sync.states import fresh_state
from pto_analysis.sync.summaries import classes, ones
from tests.sync.random_programs import cube_kernels, kernels
from tests.sync.runs import program
from tests.sync.test_properties import SLOW

Seen = tuple[dict[Step, int], dict[Node, list[int]]]


@contextmanager
def remembering(answer: bool) -> Generator[None]:
    """Every loop is remembered at first sight, or none is."""

    def may_remember(_flow: RememberingFlow, _node: LoopNode) -> bool:
        return answer

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RememberingFlow, "_may_remember", may_remember)
        yield


def followed(needs: Needs, schedule: Schedule) -> Seen:
    """What steps leave open, and what is unfinished behind every child of the function's body."""
    root = needs.tree.root
    flow = RememberingFlow(schedule, needs, needs.tree.program.target)
    flow.block(root, fresh_state(root))
    return dict(flow.open), {child: flow.ends[child] for child in root.children}


@SLOW
@given(st.one_of(kernels(), kernels(budget=24), cube_kernels()), st.data())
def test_remembered_loops_do_what_they_did(text: str, data: st.DataObject) -> None:
    code = program(text)
    scalars = scalars_of(code)
    tree = outline(code, scalars, reachable(code.body, scalars))
    if has_manual_flags(code) or len(tree.steps) < 2:
        return
    placed = place_soundly(tree)
    for _ in range(3):
        with remembering(False):
            plainly = followed(placed.needs, placed.schedule)
        with remembering(True):
            assert followed(placed.needs, placed.schedule) == plainly, text
            assert followed(placed.needs, placed.schedule) == plainly, text
        items = [*placed.schedule.links, *placed.schedule.barriers]
        if items:
            placed.schedule.remove(data.draw(st.sampled_from(items)))


@given(st.lists(st.integers(0, 255), min_size=1, max_size=6), st.lists(st.integers(0, 3), min_size=8, max_size=8))
def test_classes_part_the_steps_by_what_holds_them(holders: list[int], queue_of: list[int]) -> None:
    queues = [sum(1 << step for step, queue in enumerate(queue_of) if queue == number) for number in range(4)]
    for (number, mask), steps in classes(holders, queues):
        assert steps
        for step in ones(steps):
            assert queue_of[step] == number
            assert mask == sum(1 << index for index, bits in enumerate(holders) if bits >> step & 1)
    everything = 0
    for bits in holders:
        everything |= bits
    assert sum(steps for _, steps in classes(holders, queues)) == everything
