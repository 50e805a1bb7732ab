"""From `.pto` syntax to sync programs: scalars as registers compute them, views as bytes, loops, cores, hand sync."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pto_analysis.pto.lower import LoweredFile, lower_pto
from pto_analysis.sync.checker import check
from pto_analysis.sync.items import BarrierItem, OpItem, SetItem, WaitItem
from pto_analysis.sync.program import Pipe, SyncProgram, operations
from pto_analysis.sync.trace import Outcomes, unroll
from tests.pto.cases import pto_cases


def lower(body: str, arguments: str = "", head: str = "", kind: str = "vector", arch: str = "a3") -> LoweredFile:
    return lower_pto(
        "!t = !pto.tile_buf<vec, 1x64xf32>\n!g = !pto.partition_tensor_view<1x64xf32>\n"
        f'module attributes {{pto.target_arch = "{arch}"}} {{\n{head}\n'
        f"func.func @f({arguments}) attributes {{pto.kernel_kind = #pto.kernel_kind<{kind}>}} {{\n"
        f"%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n{body}\nreturn\n}}\n}}\n"
    )


def program(body: str, arguments: str = "", head: str = "", kind: str = "vector", arch: str = "a3") -> SyncProgram:
    lowered = lower(body, arguments, head, kind, arch)
    assert lowered.complaints == ()
    return lowered.programs[0]


def spelled(code: SyncProgram, **arguments: int) -> list[str]:
    """The items of one run, short: `tload vec[0, 256)` for what an op writes, `set MTE2 V 0`, `barrier V`."""
    return spelled_run(code, Outcomes({}), arguments)


def spelled_run(code: SyncProgram, outcomes: Outcomes, arguments: dict[str, int]) -> list[str]:
    trace = unroll(code, None, arguments, outcomes)
    assert trace.problems == ()
    found: list[str] = []
    for item in trace.items:
        if isinstance(item, OpItem):
            found.append(" ".join([item.op, *(f"{one.region}[{one.low}, {one.high})" for one in item.writes)]))
        elif isinstance(item, BarrierItem):
            found.append(f"barrier {item.pipe.value}")
        else:
            assert isinstance(item, (SetItem, WaitItem))
            kind = "set" if isinstance(item, SetItem) else "wait"
            found.append(f"{kind} {item.source.value} {item.target.value} {item.event}")
    return found


PARENT = "%p = pto.alloc_tile : !pto.tile_buf<vec, 8x64xf32>\n"
ROW = (
    "%r = pto.subview %p[%k, %c0] sizes [1, 64] : !pto.tile_buf<vec, 8x64xf32> -> !t\n"
    "pto.tload ins(%g : !g) outs(%r : !t)"
)


def row(definition: str, **arguments: int) -> int:
    """Which row of eight a definition of %k selects."""
    names = ", ".join(f"%{name}: {'i32' if name.startswith('w') else 'index'}" for name in arguments)
    code = program(f"{PARENT}{definition}\n{ROW}", f"%g: !g, {names}")
    text = spelled(code, **arguments)[0]
    return int(text.partition("[")[2].partition(",")[0]) // 256


SCALARS = [
    ("%k = arith.remui %i, %c8 : index", 13, 5),
    ("%k = arith.remui %i, %c8 : index", 2**64 - 1, 7),
    ("%m = arith.remsi %i, %c8 : index\n%k = arith.andi %m, %c7 : index", 2**64 - 3, 5),
    ("%m = arith.addi %i, %c8 : index\n%k = arith.remui %m, %c7 : index", 2**64 - 1, 0),
    ("%m = arith.divsi %i, %c7 : index\n%k = arith.andi %m, %c7 : index", 2**64 - 8, 7),
    ("%k = arith.divui %i, %c8 : index", 63, 7),
    ("%m = arith.floordivsi %i, %c8 : index\n%k = arith.andi %m, %c7 : index", 2**64 - 1, 7),
    ("%k = arith.minui %i, %c7 : index", 2**63, 7),
    ("%m = arith.minsi %i, %c7 : index\n%k = arith.andi %m, %c7 : index", 2**64 - 2, 6),
    ("%m = arith.maxsi %i, %c1 : index\n%k = arith.minsi %m, %c7 : index", 2**64 - 9, 1),
    ("%q = arith.cmpi slt, %i, %c8 : index\n%k = arith.select %q, %c1, %c7 : index", 2**64 - 1, 1),
    ("%q = arith.cmpi ult, %i, %c8 : index\n%k = arith.select %q, %c1, %c7 : index", 2**64 - 1, 7),
    ("%m = arith.shli %i, %c1 : index\n%k = arith.andi %m, %c7 : index", 3, 6),
    ("%m = arith.shrui %i, %c1 : index\n%k = arith.andi %m, %c7 : index", 5, 2),
    (
        "%m = arith.trunci %i : index to i32\n%e = arith.extui %m : i32 to i64\n"
        "%k = arith.index_cast %e : i64 to index",
        2**32 + 3,
        3,
    ),
    ("%m = arith.xori %i, %c7 : index\n%k = arith.remui %m, %c8 : index", 2, 5),
    (
        "%m = arith.trunci %i : index to i32\n%u = builtin.unrealized_conversion_cast %m : i32 to ui32\n"
        "%k = arith.index_cast %u : ui32 to index",
        2**32 + 3,
        3,
    ),
]
_CONSTANTS = "%c7 = arith.constant 7 : index\n%c8 = arith.constant 8 : index\n"


@pytest.mark.parametrize(("definition", "i", "expected"), SCALARS)
def test_scalars_wrap_as_registers_do(definition: str, i: int, expected: int) -> None:
    assert row(_CONSTANTS + definition, i=i) == expected


def test_narrow_registers() -> None:
    text = "%w8 = arith.constant 8 : i32\n%m = arith.addi %w, %w8 : i32\n%n = arith.remui %m, %w8 : i32\n"
    assert row(text + "%k = arith.index_cast %n : i32 to index", w=2**32 - 3) == 5


def test_names_may_repeat_in_sibling_regions() -> None:
    code = program(
        "scf.if %c {\n%0 = pto.alloc_tile : !t\npto.tload ins(%g : !g) outs(%0 : !t)\n} else {\n"
        "%0 = pto.alloc_tile : !t\npto.tload ins(%g : !g) outs(%0 : !t)\n}",
        "%g: !g, %c: i1",
    )
    assert len(code.regions) == 3
    assert spelled(code, c=1) != spelled(code, c=0)


def test_global_views_are_byte_ranges() -> None:
    views = """%n = arith.constant 128 : index
%c2 = arith.constant 2 : index
%c64 = arith.constant 64 : index
%t = pto.alloc_tile : !t
%v = pto.make_tensor_view %p, shape = [%n, %n], strides = [%n, %c1] : !pto.tensor_view<?x?xf32>
%q = pto.partition_view %v, offsets = [%c2, %c64], sizes = [%c2, %c64] : !pto.tensor_view<?x?xf32> -> !g
%d = pto.partition_view %v, offsets = [%i, %c0], sizes = [%c1, %c64] : !pto.tensor_view<?x?xf32> -> !g
%m = pto.partition_view %v, offsets = [%i, %c0], sizes = [%i, %c64] : !pto.tensor_view<?x?xf32> -> !g
%a = pto.addptr %p, %i : !pto.ptr<f32> -> !pto.ptr<f32>
"""
    stores = "\n".join(f"pto.tstore ins(%t : !t) outs(%{name} : !g)" for name in "qd")
    code = program(
        f"{views}{stores}\npto.store_scalar %i, %a[%c2] : !pto.ptr<f32>, index", "%p: !pto.ptr<f32>, %i: index"
    )
    first = (2 * 128 + 64) * 4
    assert spelled(code, i=3) == [
        f"tstore p[{first}, {first + (128 + 64) * 4})",
        f"tstore p[{3 * 512}, {3 * 512 + 256})",
        f"store_scalar p[{3 * 4 + 8}, {3 * 4 + 12})",
    ]
    whole = program(f"{views}pto.tstore ins(%t : !t) outs(%m : !g)", "%p: !pto.ptr<f32>, %i: index")
    assert spelled(whole, i=3)[0].startswith("tstore p[0, ")


def test_tiles_at_addresses_share_one_region() -> None:
    code = program(
        "%a = arith.constant 512 : i64\n%x = pto.alloc_tile addr = %a : !t\n%y = pto.alloc_tile addr = %d : !t\n"
        "%z = pto.alloc_tile : !t\n" + "\n".join(f"pto.tload ins(%g : !g) outs(%{name} : !t)" for name in "xyz"),
        "%g: !g, %d: i64",
    )
    assert spelled(code, d=640) == ["tload vec[512, 768)", "tload vec[640, 896)", "tload z[0, 256)"]


def test_slots_of_l0_are_aligned() -> None:
    code = program(
        "%m = pto.alloc_multi_tile : !pto.multi_tile_buf<left, 1x16xf16, count=2>\n"
        "%s = pto.multi_tile_get %m[%c1]"
        " : !pto.multi_tile_buf<left, 1x16xf16, count=2> -> !pto.tile_buf<left, 1x16xf16>\n"
        "pto.tmov ins(%x : !pto.tile_buf<mat, 1x16xf16>) outs(%s : !pto.tile_buf<left, 1x16xf16>)",
        "%x: !pto.tile_buf<mat, 1x16xf16>",
        kind="cube",
    )
    assert spelled(code) == ["tmov m[512, 544)"]


def test_carried_handles_and_scalars() -> None:
    code = program(
        "%x = pto.alloc_tile : !t\n%y = pto.alloc_tile : !t\n"
        "%r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %x, %q = %y, %s = %c0) -> (!t, !t, index) {\n"
        "pto.tload ins(%g : !g) outs(%p : !t)\n%s1 = arith.addi %s, %c1 : index\n"
        "scf.yield %q, %p, %s1 : !t, !t, index\n}\n"
        "pto.tabs ins(%r#0 : !t) outs(%r#0 : !t)\n"
        "scf.for %j = %c0 to %r#2 step %c1 {\npto.tneg ins(%x : !t) outs(%x : !t)\n}",
        "%g: !g, %n: index",
    )
    assert spelled(code, n=3) == [
        "tload x[0, 256)",
        "tload y[0, 256)",
        "tload x[0, 256)",
        "tabs y[0, 256)",
        *["tneg x[0, 256)"] * 3,
    ]
    assert spelled(code, n=0) == ["tabs x[0, 256)"]


WHILE = """%x = pto.alloc_tile : !t
%y = pto.alloc_tile : !t
%w:2 = scf.while (%a = %c0, %p = %x) : (index, !t) -> (index, !t) {
  pto.tload ins(%g : !g) outs(%p : !t)
  %q = arith.cmpi ult, %a, %n : index
  scf.condition(%q) %a, %p : index, !t
} do {
^bb0(%b : index, %h : !t):
  pto.tabs ins(%h : !t) outs(%h : !t)
  %b1 = arith.addi %b, %c1 : index
  scf.yield %b1, %y : index, !t
}
pto.tneg ins(%w#1 : !t) outs(%w#1 : !t)
scf.for %j = %c0 to %w#0 step %c1 {
  pto.texp ins(%y : !t) outs(%y : !t)
}"""


def test_while_runs_its_test_once_more_than_its_body() -> None:
    code = program(WHILE, "%g: !g, %n: index")
    x, y = "x[0, 256)", "y[0, 256)"
    assert spelled(code, n=0) == [f"tload {x}", f"tneg {x}"]
    assert spelled(code, n=2) == [
        f"tload {x}", f"tabs {x}", f"tload {y}", f"tabs {y}", f"tload {y}", f"tneg {y}", f"texp {y}", f"texp {y}",
    ]  # fmt: skip


def test_branch_results() -> None:
    code = program(
        "%x = pto.alloc_tile : !t\n%y = pto.alloc_tile : !t\n"
        "%r:2 = scf.if %c -> (!t, index) {\nscf.yield %x, %c1 : !t, index\n} else {\nscf.yield %y, %c0 : !t, index\n}\n"
        "pto.tload ins(%g : !g) outs(%r#0 : !t)\n"
        "scf.for %j = %c0 to %r#1 step %c1 {\npto.tabs ins(%x : !t) outs(%x : !t)\n}",
        "%g: !g, %c: i1",
    )
    assert spelled(code, c=1) == ["tload x[0, 256)", "tabs x[0, 256)"]
    assert spelled(code, c=0) == ["tload y[0, 256)"]


def test_undecided_branches_follow_the_given_outcomes() -> None:
    body = (
        "%x = pto.alloc_tile : !t\n%v = pto.tgetval ins(%x, %c0 : !t, index) outs : i32\n"
        "%k = arith.index_cast %v : i32 to index\n%q = arith.cmpi eq, %k, %c0 : index\n"
        "scf.for %i = %c0 to %n step %c1 {\nscf.if %q {\npto.tload ins(%g : !g) outs(%x : !t)\n}\n}"
    )
    code = program(body, "%g: !g, %n: index")
    line = next(line for line, text in enumerate(lower_text(body, "%g: !g, %n: index"), 1) if "scf.if" in text)
    found = spelled_run(code, Outcomes({line: (True, False, True)}), {"n": 4})
    assert found == ["tgetval", "tload x[0, 256)", "tload x[0, 256)", "tload x[0, 256)"]


def lower_text(body: str, arguments: str) -> list[str]:
    """The lines of the file that `lower` makes."""
    return ["", "", "", "", f"func.func @f({arguments})", "", "", *body.split("\n")]


def test_manual_flags_and_barriers() -> None:
    text = """pto.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID3>]
pto.wait_flag[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, #pto.event<EVENT_ID3>]
pto.set_flag_dyn[<PIPE_V>, <PIPE_MTE3>, %i]
pto.wait_flag_dyn[<PIPE_V>, <PIPE_MTE3>, %i]
pto.record_event[#pto.sync_op_type<TLOAD>, #pto.sync_op_type<TMOV_M2L>, <EVENT_ID0>]
pto.wait_event[#pto.sync_op_type<TLOAD>, #pto.sync_op_type<TMOV_M2L>, <EVENT_ID0>]
pto.barrier <PIPE_V>
pto.barrier #pto.pipe<PIPE_ALL>"""
    assert spelled(program(text, "%i: index"), i=2) == [
        "set MTE2 V 3",
        "wait MTE2 V 3",
        "set V MTE3 2",
        "wait V MTE3 2",
        "set MTE2 MTE1 0",
        "wait MTE2 MTE1 0",
        "barrier V",
        "barrier ALL",
    ]
    assert spelled(program("pto.barrier <PIPE_V>\npto.barrier <PIPE_MTE2>", arch="a5")) == ["barrier MTE2"]


def test_hand_made_order_is_checked() -> None:
    good = """%x = pto.alloc_tile : !t
pto.tload ins(%g : !g) outs(%x : !t)
pto.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
pto.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
pto.tabs ins(%x : !t) outs(%x : !t)"""
    assert check(unroll(program(good, "%g: !g"), None, {}).items).ok
    bad = good.replace("pto.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]\npto.tabs", "pto.tabs")
    faults = check(unroll(program(bad, "%g: !g"), None, {}).items, most=5).faults
    assert {fault.kind for fault in faults} == {"race", "leftover"}


def test_sections_are_cores() -> None:
    text = (
        "pto.section.cube {\n"
        "pto.tmov ins(%m : !pto.tile_buf<mat, 16x16xf16>) outs(%l : !pto.tile_buf<left, 16x16xf16>)\n}\n"
        "pto.section.vector {\npto.tabs ins(%x : !t) outs(%x : !t)\n}"
    )
    arguments = "%m: !pto.tile_buf<mat, 16x16xf16>, %l: !pto.tile_buf<left, 16x16xf16>, %x: !t"
    found = lower(text, arguments).programs
    assert [(code.name, code.core, [op.name for op in operations(code)]) for code in found] == [
        ("f_aic", "cube", ["tmov"]),
        ("f_aiv", "vector", ["tabs"]),
    ]


def test_targets() -> None:
    body = (
        "%x = pto.alloc_tile : !t\n"
        "pto.tinsert ins(%x, %c0, %c0 : !t, index, index) outs(%m : !pto.tile_buf<mat, 16x16xf32>)"
    )
    pipes = {
        arch: next(operations(program(body, "%m: !pto.tile_buf<mat, 16x16xf32>", arch=arch))).pipe
        for arch in ("a2", "a3", "a2a3", "a5")
    }
    assert pipes == {"a2": Pipe.FIX, "a3": Pipe.FIX, "a2a3": Pipe.FIX, "a5": Pipe.MTE3}
    plain = "module { func.func @f(%x: !pto.tile_buf<vec, 1x64xf32>) { return } }"
    assert lower_pto(plain).programs[0].target == "a2a3"
    assert lower_pto(plain, "a5").programs[0].target == "a5"
    device = plain.replace("module {", 'module attributes {"pto.device-spec" = "Ascend950PR"} {')
    assert lower_pto(device).programs[0].target == "a5"


def test_unknown_operations_are_kept_and_reported() -> None:
    lowered = lower("%x = pto.alloc_tile : !t\npto.tfancy ins(%y : !t) outs(%x : !t)", "%y: !t")
    assert [(one.kind, one.span.line) for one in lowered.complaints] == [("unknown-operation", 8)]
    op = next(operations(lowered.programs[0]))
    assert op.unknown
    assert (op.phases[0].reads, op.phases[0].writes) == (("y",), ("x",))


COMPLAINTS = [
    ("pto.tabs ins(%nobody : !t) outs(%nobody : !t)", "'%nobody' is not defined"),
    ("%m = pto.alloc_multi_tile : !pto.multi_tile_buf<vec, 1x64xf32, count=1>", "2 to 16 slots"),
    ("%m = pto.alloc_multi_tile : !pto.multi_tile_buf<vec, 1x64xf32, count=17>", "2 to 16 slots"),
    ("%m = pto.alloc_multi_tile : !pto.multi_tile_buf<vec, 1x64xf32, compact=2, count=2>", "row_plus_one"),
    ("%m = pto.alloc_tile : !pto.tile_buf<vec>", "tile type"),
    ("pto.set_flag[<PIPE_MTE2>]", "two queues"),
    ("pto.barrier", "needs a queue"),
    ("scf.for %i = %c0 to %c1 {\n}", "'scf.for'"),
    ('%v = "other.op"() : () -> i32', "unknown operation 'other.op'"),
    ("scf.parallel (%i) = (%c0) to (%c1) step (%c1) {\n}", "loop of unknown length"),
]


@pytest.mark.parametrize(("body", "words"), COMPLAINTS, ids=[row[1] for row in COMPLAINTS])
def test_complaints(body: str, words: str) -> None:
    assert any(words in complaint.message for complaint in lower(body).complaints)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_broken_files_still_lower(data: st.DataObject) -> None:
    """Whatever the reader could save of a broken file can be lowered and unrolled."""
    text = data.draw(st.sampled_from(pto_cases())).pto[:5000]
    cut = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(cut, min(len(text), cut + 60)))
    for code in lower_pto(text[:cut] + data.draw(st.text(max_size=8)) + text[end:]).programs:
        unroll(code, None, {}, limit=500)
