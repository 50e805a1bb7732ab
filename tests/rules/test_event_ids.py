"""PTO502: each kind of loss for each pair of queues is told once, with the weight it has."""

from __future__ import annotations

import pytest

from pto_analysis.check import check_file
from pto_analysis.findings import Severity
from pto_analysis.frontend.module import Modules
from pto_analysis.report import CheckOptions
from pto_analysis.rules.selection import Selection, resolve
from pto_analysis.source.workspace import Workspace
from tests.support.checking import Texts

_TILE = "!pto.tile_buf<vec, 1x64xf32>"
_VIEW = "!pto.partition_tensor_view<1x64xf32>"


def loads_then_ops(count: int) -> str:
    """As many loads as said, then an operation on each: all their flags are up at once."""
    lines = [f"func.func @k(%x: {_VIEW}) {{"]
    lines += [f"  %t{number} = pto.alloc_tile : {_TILE}" for number in range(count)]
    lines += [f"  pto.tload ins(%x : {_VIEW}) outs(%t{number} : {_TILE})" for number in range(count)]
    lines += [f"  pto.tabs ins(%t{number} : {_TILE}) outs(%t{number} : {_TILE})" for number in range(count)]
    return "\n".join([*lines, "  return", "}", ""])


@pytest.mark.parametrize(("count", "expected"), [(8, []), (9, [Severity.INFO]), (20, [Severity.INFO])])
def test_hand_overs_that_share_an_id_are_an_info(count: int, expected: list[Severity]) -> None:
    modules = Modules(Workspace(Texts()))
    report = check_file("/project/k.pto", loads_then_ops(count), modules, CheckOptions(), resolve(Selection()))
    found = [one for one in report.findings if one.code == "PTO502"]
    assert [one.severity for one in found] == expected
    assert all("merged into one" in one.message for one in found)
