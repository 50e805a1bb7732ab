"""Rows of one `.pto` tile that run time chooses, as slots of a multi-buffer: the same bytes, fewer waits."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from pto_analysis.check import CheckOptions, analyze_pto
from pto_analysis.findings import Applicability, Finding
from pto_analysis.pto.lower import lower_pto
from pto_analysis.sync.difference import compare
from pto_analysis.sync.interpreter import run_in_order
from pto_analysis.sync.items import OpItem
from pto_analysis.sync.policies import Policies, plan_precise, plan_stock
from pto_analysis.sync.program import SyncProgram
from pto_analysis.sync.trace import unroll
from pto_analysis.sync.typical import Typical
from pto_analysis.sync.verify import verify
from pto_lsp.workspace.fixing import apply_fixes

SEED = (Path(__file__).parent.parent / "sync" / "seed" / "dynamic_disjoint.pto").read_text()

COMPACT = """\
module attributes {{pto.target_arch = "a3"}} {{
  func.func @k(%g: !pto.partition_tensor_view<{rows}x64xf32>, %o: !pto.partition_tensor_view<1x64xf32>, %i: index,
               %n: index) attributes {{pto.kernel_kind = #pto.kernel_kind<vector>}} {{
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %f = arith.constant 1.0 : f32
    // four rows
    %p = pto.alloc_tile : !pto.tile_buf<vec, 4x64xf32>  {tail}
{body}
    return
  }}
}}
"""

ROW = "!pto.tile_buf<vec, 4x64xf32> -> !pto.tile_buf<vec, 1x64xf32>"

STRAIGHT = f"""\
    %s = arith.remui %i, %c4 : index
    %j = arith.addi %i, %c2 : index
    %t = arith.remui %j, %c4 : index
    %a = pto.subview %p[%s, %c0] sizes [1, 64] : {ROW} // now
    %b = pto.subview %p[ %t,%c0 ] sizes [ 1, 64 ] : {ROW} loc("x.py":3:4)
    pto.tload ins(%g : !pto.partition_tensor_view<1x64xf32>) outs(%a : !pto.tile_buf<vec, 1x64xf32>)
    pto.tload ins(%g : !pto.partition_tensor_view<1x64xf32>) outs(%b : !pto.tile_buf<vec, 1x64xf32>)
    pto.tadds ins(%a, %f : !pto.tile_buf<vec, 1x64xf32>, f32) outs(%a : !pto.tile_buf<vec, 1x64xf32>)
    pto.tstore ins(%a : !pto.tile_buf<vec, 1x64xf32>) outs(%o : !pto.partition_tensor_view<1x64xf32>)
"""

WHOLE = "    pto.tabs ins(%p : !pto.tile_buf<vec, 4x64xf32>) outs(%p : !pto.tile_buf<vec, 4x64xf32>)\n"


def module(body: str = STRAIGHT, tail: str = "", rows: int = 1) -> str:
    return COMPACT.format(body=body.rstrip("\n"), tail=tail, rows=rows)


def in_loop(body: str) -> str:
    return f"    scf.for %i2 = %c0 to %n step %c1 {{\n{body.replace('%i,', '%i2,')}    }}\n"


def findings(text: str) -> list[Finding]:
    report = analyze_pto(text, CheckOptions())
    assert report.errors == ()
    return list(report.findings)


def fixed(text: str) -> str:
    found = [each for each in findings(text) if each.code == "PTO501"]
    return apply_fixes(text, found, frozenset([Applicability.SAFE]), "k.pto")[0]


def only(text: str) -> SyncProgram:
    (program,) = lower_pto(text).programs
    return program


def ran(text: str, **arguments: int) -> tuple[list[tuple[str, str]], object]:
    """The operations of one run, and what global memory holds behind it."""
    program = only(text)
    items = unroll(program, plan_precise(program), arguments, Typical()).items
    ops = [(each.op, each.pipe.value) for each in items if isinstance(each, OpItem)]
    memory = run_in_order(items).memory
    return ops, {key: value for key, value in memory.items() if key[0] == "gm"}


CASES = {
    "the seed": SEED,
    "a tile without an address": module(),
    "before a loop": module(STRAIGHT + "    scf.for %x = %c0 to %n step %c1 {\n    }\n"),
}


@pytest.mark.parametrize("text", CASES.values(), ids=CASES)
def test_the_assembler_waits_for_the_slot_alone(text: str) -> None:
    assert compare(Policies(only(text)))
    result = fixed(text)
    assert "pto.alloc_multi_tile" in result
    assert compare(Policies(only(result))) == ()
    assert fixed(result) == result
    assert Counter(each.code for each in findings(result)) <= Counter(each.code for each in findings(text))
    assert verify(only(result), plan_stock(only(result))).ok
    for i in (0, 1, 2, 3, 62, 63, 64, 2**63, 2**64 - 1):
        arguments = {arg.symbol.name: i if arg.symbol.name.strip("%") == "i" else 5 for arg in only(text).arguments}
        assert ran(result, **arguments) == ran(text, **arguments)


def test_comments_and_places_stay() -> None:
    result = fixed(module())
    ring = "!pto.multi_tile_buf<vec, 1x64xf32, count=4>"
    assert f"    // four rows\n    %p = pto.alloc_multi_tile : {ring}" in result
    assert f"%a = pto.multi_tile_get %p[%s] : {ring} -> !pto.tile_buf<vec, 1x64xf32> // now\n" in result
    assert f'%b = pto.multi_tile_get %p[ %t] : {ring} -> !pto.tile_buf<vec, 1x64xf32> loc("x.py":3:4)\n' in result


NOT_OFFERED = {
    "the whole tile is used too": module(STRAIGHT + WHOLE),
    "two rows at once": module(STRAIGHT + STRAIGHT.splitlines()[3].replace("[1, 64]", "[2, 64]").replace("%a", "%w")),
    "a window of a row": module(STRAIGHT.replace("%p[ %t,%c0 ]", "%p[%t, %c1]")),
    "a comment inside": module(STRAIGHT.replace("[ 1, 64 ]", "[ 1, // one\n 64 ]")),
    "an address of run time": module(tail="").replace("alloc_tile :", "alloc_tile addr = %i :"),
    "a loop, where the assembler's lanes for the slots go wrong (PTOAS #1519)": module(in_loop(STRAIGHT)),
    "rows that the assembler cannot tell apart as slots either": module(STRAIGHT.replace("remui", "remsi")),
}


@pytest.mark.parametrize("text", NOT_OFFERED.values(), ids=NOT_OFFERED)
def test_no_fix_where_it_would_change_or_win_nothing(text: str) -> None:
    assert fixed(text) == text
