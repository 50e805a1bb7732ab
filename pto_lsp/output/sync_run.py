"""One run of a kernel in pictures: a page of the preview, for the command line and for editors."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pto_analysis.sync.plan import Plan
from pto_analysis.sync.policies import Policies
from pto_analysis.sync.trace import Oracle, unroll
from pto_analysis.sync.typical import Typical, typical_arguments
from pto_lsp.output.sync_html import Page
from pto_lsp.output.sync_svg import Picture
from pto_lsp.output.sync_view import SyncPreview

PLANS: Mapping[str, Callable[[Policies], Plan]] = {
    "precise": lambda policies: policies.precise,
    "ptoas": lambda policies: policies.ptoas,
}

COUNTERPART: Mapping[str, str] = {"precise": "ptoas", "ptoas": "precise"}
"""The model that a picture shows below the one asked for."""

_ITEMS = 800
"""Items of the trace that fit into a picture."""


def typical_page(preview: SyncPreview) -> Page:
    """A run with loops of a few rounds and branches that are taken."""
    return page(preview, typical_arguments(preview.program), Typical)


def page(preview: SyncPreview, scalars: Mapping[str, int], outcomes: Callable[[], Oracle]) -> Page:
    """A run with these arguments. `outcomes` says for each plan anew how its branches go."""
    plans = [plan for plan in (preview.plan, preview.other) if plan is not None]
    pictures = tuple(Picture(plan, unroll(preview.program, plan, scalars, outcomes(), _ITEMS).items) for plan in plans)
    words = ", ".join(f"{name} = {value}" for name, value in scalars.items())
    return Page(preview, pictures, f" with {words}" if words else "")
