"""Which subviews are told apart (PTOAS #1587, items 1, 3 and 5; sync.md 7.2 to 7.4 and the rows of 7.10)."""

from __future__ import annotations

import pytest
from attrs import frozen

from pto_analysis.sync.verify import verify
from tests.sync.runs import precise, program, run_program


@frozen
class Kernel:
    """The seed's probe with other tiles: `indices` defines %cur and %next, `parent` the parent's type and `view` how
    a view at an index is spelled."""

    indices: str
    parent: str = "!pto.tile_buf<vec, 3x64xf32>"
    view: str = "pto.subview %parent[{index}, %c0] sizes [1, 64] : {parent} -> !slot"
    alloc: str = "pto.alloc_tile addr = %base : {parent}"
    slot: str = "!pto.tile_buf<vec, 1x64xf32>"
    between: str = ""
    current: str = "%current"
    future: str = "%future"

    def text(self) -> str:
        parent = self.alloc.format(parent=self.parent)
        views = [self.view.format(index=index, parent=self.parent) for index in ("%cur", "%next")]
        return _TEXT.format(kernel=self, parent=parent, current=views[0], future=views[1])


_TEXT = """\
!slot = {kernel.slot}
!gm = !pto.partition_tensor_view<1x64xf32>
module {{
  func.func @probe(%i: index, %a: index, %b: index, %s: i32, %c: i1, %g0: !gm, %g1: !gm, %out0: !gm, %out1: !gm)
      attributes {{pto.kernel_kind = #pto.kernel_kind<vector>}} {{
    %base = arith.constant 0 : i64
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c64 = arith.constant 64 : index
    %one = arith.constant 1.0 : f32
    {kernel.indices}
    %parent = {parent}
    %current = {current}
    %future = {future}
    {kernel.between}
    pto.tload ins(%g0 : !gm) outs({kernel.current} : !slot)
    pto.tload ins(%g1 : !gm) outs({kernel.future} : !slot)
    pto.tadds ins({kernel.current}, %one : !slot, f32) outs({kernel.current} : !slot)
    pto.tstore ins({kernel.current} : !slot) outs(%out0 : !gm)
    pto.tstore ins({kernel.future} : !slot) outs(%out1 : !gm)
    return
  }}
}}
"""

PROBE = """%o = arith.remui %i, %c64 : index
    %cur = arith.remui %o, %c3 : index
    %f = arith.addi %o, %c2 : index
    %next = arith.remui %f, %c3 : index"""
SAME = PROBE.replace("%f, %c3", "%o, %c3")
SIGNED = PROBE.replace("remui %o", "remsi %o").replace("remui %f", "remsi %f")
UNBOUNDED = PROBE.replace("%o = arith.remui %i, %c64 : index", "%o = arith.addi %i, %c0 : index")
UNKNOWN = "%cur = arith.addi %a, %c0 : index\n    %next = arith.addi %b, %c0 : index"
FOUR = UNBOUNDED.replace("%c3 : index", "%c4 : index")
MASKED = """%m = arith.constant 3 : index
    %cur = arith.andi %i, %m : index
    %f = arith.addi %i, %c1 : index
    %next = arith.andi %f, %m : index"""
NARROW = """%w3 = arith.constant 3 : i32
    %w2 = arith.constant 2 : i32
    %ks = arith.remui %s, %w3 : i32
    %cur = arith.index_cast %ks : i32 to index
    %fs = arith.addi %s, %w2 : i32
    %ns = arith.remui %fs, %w3 : i32
    %next = arith.index_cast %ns : i32 to index"""
STATIC = "%cur = arith.constant 0 : index\n    %next = arith.constant 2 : index"
ROWS_OF_TWO = "%cur = arith.constant 0 : index\n    %next = arith.constant 1 : index"
RING = {
    "parent": "!pto.multi_tile_buf<vec, 1x64xf32, count=3>",
    "alloc": "pto.alloc_multi_tile addr = %base : {parent}",
    "view": "pto.multi_tile_get %parent[{index}] : {parent} -> !slot",
}
RING_OF_FOUR = {**RING, "parent": "!pto.multi_tile_buf<vec, 1x64xf32, count=4>"}
RESHAPED = """%cf = pto.treshape %current : !slot -> !pto.tile_buf<vec, 2x32xf32>
    %cb = pto.bitcast %cf : !pto.tile_buf<vec, 2x32xf32> -> !slot"""
SELECTED = """%third = pto.subview %parent[%c1, %c0] sizes [1, 64] : !pto.tile_buf<vec, 3x64xf32> -> !slot
    %sel = arith.select %c, %current, %third : !slot"""

APART = {
    "probe": Kernel(PROBE),
    "probe, signed remainder": Kernel(SIGNED),
    "constant rows": Kernel(STATIC),
    "four rows, any index": Kernel(FOUR, parent="!pto.tile_buf<vec, 4x64xf32>"),
    "masked index": Kernel(MASKED, parent="!pto.tile_buf<vec, 4x64xf32>"),
    "reshape and bitcast": Kernel(PROBE, between=RESHAPED, current="%cb"),
    "ring": Kernel(PROBE, **RING),
    "ring, constant slots": Kernel(STATIC, **RING),
    "ring of four, any index": Kernel(FOUR, **RING_OF_FOUR),
    "ring, reshape": Kernel(PROBE, between=RESHAPED, current="%cb", **RING),
    "select of two other rows": Kernel(STATIC, between=SELECTED, current="%sel"),
}

TOGETHER = {
    "same slot": Kernel(SAME),
    "same slot of a ring": Kernel(SAME, **RING),
    "unknown indices": Kernel(UNKNOWN),
    "index may wrap": Kernel(UNBOUNDED),
    "narrow index may wrap": Kernel(NARROW),
    "ring, index may wrap": Kernel(UNBOUNDED, **RING),
    "unknown slots": Kernel(UNKNOWN, **RING),
    "part of a row": Kernel(
        PROBE,
        view="pto.subview %parent[{index}, %c0] sizes [1, 32] : {parent} -> !slot",
        slot="!pto.tile_buf<vec, 1x32xf32>",
    ),
    "column at run time": Kernel(
        PROBE,
        view="pto.subview %parent[%c0, {index}] sizes [1, 32] : {parent} -> !slot",
        slot="!pto.tile_buf<vec, 1x32xf32>",
    ),
    "two rows at a time": Kernel(
        PROBE,
        parent="!pto.tile_buf<vec, 4x64xf32>",
        view="pto.subview %parent[{index}, %c0] sizes [2, 64] : {parent} -> !slot",
        slot="!pto.tile_buf<vec, 2x64xf32>",
    ),
    "overlapping constant rows": Kernel(
        ROWS_OF_TWO,
        view="pto.subview %parent[{index}, %c0] sizes [2, 64] : {parent} -> !slot",
        slot="!pto.tile_buf<vec, 2x64xf32>",
    ),
    "boxed parent": Kernel(PROBE, parent="!pto.tile_buf<vec, 3x64xf32, slayout=row_major>"),
    "boxed parent, constant rows": Kernel(STATIC, parent="!pto.tile_buf<vec, 3x64xf32, slayout=row_major>"),
    "padded rows": Kernel(PROBE, parent="!pto.tile_buf<vec, 3x64xf32, compact=2>"),
    "column major": Kernel(PROBE, parent="!pto.tile_buf<vec, 3x64xf32, blayout=col_major>"),
    "select with the same row": Kernel(STATIC, between=SELECTED.replace("%c1, %c0", "%c2, %c0"), current="%sel"),
    "select of dynamic rows": Kernel(PROBE, between=SELECTED, current="%sel"),
}

_ROWS = [
    *((name, kernel, True) for name, kernel in APART.items()),
    *((name, kernel, False) for name, kernel in TOGETHER.items()),
]


@pytest.mark.parametrize(("kernel", "apart"), [row[1:] for row in _ROWS], ids=[row[0] for row in _ROWS])
def test_loads_of_two_views(kernel: Kernel, apart: bool) -> None:
    text = kernel.text()
    plan = precise(text)
    seen = run_program(program(text), plan, {"i": 7, "a": 1, "b": 2, "s": 4, "c": 1})
    assert seen.verdict.faults == ()
    assert seen.ordered("tload#0", "tadds#0")
    assert seen.ordered("tload#1", "tstore#1")
    assert seen.ordered("tload#1", "tadds#0") != apart
    outcome = verify(program(text), plan)
    assert outcome.failure is None, "\n".join(outcome.failure.schedule)
