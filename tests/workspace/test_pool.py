"""Work shared by processes: every item comes back, wherever it was done and whatever becomes of a process."""

from __future__ import annotations

import os
from collections import deque

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pto_lsp.workspace.pool import next_item, run_in_processes, stretches_of


def size(item: int) -> int:
    return item


def doubled(item: int) -> int:
    if item == 13:
        os._exit(1)
    return 2 * item


@pytest.mark.parametrize("processes", [1, 2, 5])
def test_every_item_comes_back_with_its_result(processes: int) -> None:
    items = list(range(1, 12))
    assert sorted(run_in_processes(items, size, doubled, processes)) == [(item, 2 * item) for item in items]


def test_a_process_that_dies_loses_the_item_it_was_at() -> None:
    results = dict(run_in_processes([1, 13, 2, 3, 4, 5], size, doubled, 2))
    assert results == {1: 2, 2: 4, 3: 6, 4: 8, 5: 10, 13: None}


def test_without_processes_left_the_rest_is_lost_too() -> None:
    assert dict(run_in_processes([13, 1, 2], size, doubled, 1)) == {13: None, 1: None, 2: None}


@given(st.lists(st.integers(0, 100)), st.integers(1, 8))
def test_stretches_are_neighbours_and_about_even_with_the_largest_first(items: list[int], number: int) -> None:
    stretches = stretches_of(items, size, number)
    assert len(stretches) == number
    following = iter(items)
    for stretch in stretches:
        assert list(stretch) == sorted([next(following) for _ in stretch], reverse=True)
        assert sum(stretch) <= sum(items) / number + max(items, default=0)
    assert next(following, None) is None


def test_an_idle_process_helps_at_the_far_end_of_the_longest_stretch() -> None:
    own, other, longest = deque[int](), deque([9]), deque([4, 5, 6])
    all_ = (own, other, longest)
    assert [next_item(own, all_, size) for _ in range(5)] == [6, 9, 5, 4, None]
