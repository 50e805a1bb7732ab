"""A second look at what was placed: which barriers and links does no step need?

Placement goes block by block, and what it places later may do what was placed before. Each item is taken out on trial;
what leaves a step open goes back.
"""

from __future__ import annotations

from pto_analysis.sync.coverage import uncovered
from pto_analysis.sync.links import Schedule
from pto_analysis.sync.needs import Needs


def without_spares(needs: Needs, schedule: Schedule) -> None:
    """Take out the barriers and links that no step needs."""
    for barrier in reversed([one for one in schedule.barriers if not one.fallback]):
        schedule.remove_barrier(barrier)
        if uncovered(needs, schedule):
            schedule.add_barrier(barrier)
    for link in reversed(list(schedule.links)):
        schedule.remove_link(link)
        if uncovered(needs, schedule):
            schedule.add_link(link)
