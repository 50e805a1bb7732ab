"""Which kernels of a file may call themselves, by the names in them: more than do, never fewer."""

from __future__ import annotations

from collections.abc import Sequence

from pto_analysis.frontend.discovery import KernelSite
from pto_analysis.source.blocks import walk_lines
from pto_analysis.source.words import words_of


def may_reach(sites: Sequence[KernelSite], start: KernelSite, goal: KernelSite) -> bool:
    """Whether a kernel mentions another of these, directly or through others, so that it may call it."""
    by_name: dict[str, list[KernelSite]] = {}
    for site in sites:
        by_name.setdefault(site.header.name, []).append(site)
    seen: set[KernelSite] = set()
    waiting = [start]
    while waiting:
        for name in _mentioned(waiting.pop()) & by_name.keys():
            for site in by_name[name]:
                if site is goal:
                    return True
                if site not in seen:
                    seen.add(site)
                    waiting.append(site)
    return False


def _mentioned(site: KernelSite) -> frozenset[str]:
    """What may be called in a body: names before a parenthesis, and those that are handed on, as to `pl.submit`."""
    return frozenset[str]().union(*(words_of(line.text).handed for line in walk_lines(site.block.body)))
