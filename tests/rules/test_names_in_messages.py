"""Messages speak of names that the author wrote, never of those that the compiler's passes make up."""

from __future__ import annotations

import re

import pytest

from pto_analysis.passes.ssa.names import source_name
from pto_analysis.report import CheckOptions
from pto_analysis.rules.selection import Selection, resolve
from tests.support.cases import load_cases
from tests.support.checking import check_text

MADE_UP = re.compile(r"__(?:ssa|iter|rv|phi|idx)_v\d|__tile\b|__tmp|t__tmp_v\d|_l0_\w")
EVERYTHING = resolve(Selection(select=("PTO",)))


@pytest.mark.parametrize("kind", ["canonicalize", "tensor"])
def test_no_finding_names_what_the_passes_made(kind: str) -> None:
    messages = [
        text
        for case in load_cases(kind)[::4]
        for finding in check_text(case.source, CheckOptions(), EVERYTHING).findings
        for text in (finding.message, *(related.message for related in finding.related))
    ]
    assert len(messages) > 20
    assert not [message for message in messages if MADE_UP.search(message)]


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("x", "x"),
        ("x__ssa_v0", "x"),
        ("x__rv_v12", "x"),
        ("x__ssa_v0_textract", "x"),
        ("k__ssa_v1_Left", "k"),
        ("x__tile", "x"),
        ("x__ssa_v3__tile_t", "x"),
        ("x_tile", "x_tile"),
        ("t_l0_a", "t_l0_a"),
        ("t__tmp_v7", ""),
        ("acc__ssa_v0_l0_ko", ""),
        ("acc__tile_l0_c_phi", ""),
    ],
)
def test_the_name_behind_a_name(name: str, source: str) -> None:
    assert source_name(name) == source
