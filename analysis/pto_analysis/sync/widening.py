"""Lanes that were given up for want of event ids are taken back where ids are left in the end (sync.md 6.4).

Lanes are given up one by one until the ids suffice. Only then is it seen which hand-overs the narrower ones make
needless; the ids of those are free again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pto_analysis.sync.events import Shortage, fits
from pto_analysis.sync.links import Link, Schedule
from pto_analysis.sync.needs import Needs
from pto_analysis.sync.remembering import uncovered


def widen(needs: Needs, schedule: Schedule, shortages: Sequence[Shortage]) -> None:
    """Let consumers wait for older producers again, each for the oldest that it was meant to wait for at most."""
    lost = Counter(shortage.link for shortage in shortages if shortage.step == "shrunk")
    for link, lanes in lost.items():
        for _ in range(lanes):
            if link not in schedule or not _is_widened(needs, schedule, link):
                break


def _is_widened(needs: Needs, schedule: Schedule, link: Link) -> bool:
    """Whether one lane more keeps every step held back that has to be, and finds an id."""
    _change(schedule, link, 1)
    if fits(needs.tree, schedule) and not uncovered(needs, schedule):
        return True
    _change(schedule, link, -1)
    return False


def _change(schedule: Schedule, link: Link, lanes: int) -> None:
    schedule.remove_link(link)
    link.distance += lanes
    link.lanes += lanes
    schedule.add_link(link)
