"""Accumulator windows, sentence by sentence: the table of edges, the extent proof, the back edge, the known limits."""

from __future__ import annotations

import pytest
from attrs import evolve

from pto_analysis.passes.kernel import KernelAnalysis
from pto_analysis.passes.windows import WindowMap
from pto_analysis.source.span import Origin
from pto_analysis.toolchain import Toolchain, parse_toolchain
from tests.passes.kernels import SCALARS, codes, kernel, windows

PARAMS = (
    "acc: pl.Tile[[64, 64], pl.FP32, pl.Mem.Acc], wide: pl.Tile[[16, 256], pl.FP32, pl.Mem.Acc], "
    "big: pl.Tile[[64, 64], pl.FP32, pl.Mem.Acc], l: pl.Tile[[16, 32], pl.FP16, pl.Mem.Left], "
    "r: pl.Tile[[32, 64], pl.FP16, pl.Mem.Right], r16: pl.Tile[[32, 16], pl.FP16, pl.Mem.Right], "
    f"l32: pl.Tile[[32, 32], pl.FP16, pl.Mem.Left], r32: pl.Tile[[32, 32], pl.FP16, pl.Mem.Right], "
    f"l64: pl.Tile[[64, 32], pl.FP16, pl.Mem.Left], {SCALARS}"
)

BAND = "w = pl.tile.slice(acc, [16, 64], [16, 0])\n"
FINE = "w = pl.tile.slice(wide, [16, 64], [0, 64])\n"
USE = "x = pl.tile.matmul_acc({}, l, r)"
TILE = "pl.Tile[[16, 64], pl.FP32, pl.Mem.Acc]"
INTS = "pl.Tile[[16, 64], pl.INT32, pl.Mem.Acc]"

# Each route takes the window `w` and ends with an accumulation into another name of it.
ROUTES = [
    ("the slice itself", USE.format("w")),
    ("a bare statement", "pl.tile.matmul_acc(w, l, r)"),
    ("a plain alias", f"v: {TILE} = w\n{USE.format('v')}"),
    ("an alias of an alias", f"v: {TILE} = w\nu: {TILE} = v\n{USE.format('u')}"),
    ("a view of the same shape: reshape", f"v = pl.tile.reshape(w, [16, 64])\n{USE.format('v')}"),
    ("a view of the same shape: set_validshape", f"v = pl.tile.set_validshape(w, n, 64)\n{USE.format('v')}"),
    ("the result of an accumulation", f"v = pl.tile.matmul_acc(w, l, r)\n{USE.format('v')}"),
    ("a slice of the whole slice", f"v = pl.tile.slice(w, [16, 64], [0, 0])\n{USE.format('v')}"),
    ("a slice with valid_shape", f"v = pl.tile.slice(w, [16, 64], [0, 0], valid_shape=[16, 64])\n{USE.format('v')}"),
    (
        "a for loop's iter arg",
        f"for i, (c,) in pl.range(n, init_values=(w,)):\n    {USE.format('c')}\n    q = pl.yield_(x)",
    ),
    (
        "a while loop's iter arg",
        "for k, c in pl.while_(init_values=(n, w)):\n    pl.cond(k < 4)\n"
        f"    {USE.format('c')}\n    j: pl.Scalar[pl.INDEX] = k + 1\n    k2, q = pl.yield_(j, x)",
    ),
    (
        "an iter arg of an inner loop",
        "for i, (c,) in pl.range(4, init_values=(w,)):\n    for j, (d,) in pl.range(4, init_values=(c,)):\n"
        f"        {USE.format('d')}\n        p = pl.yield_(x)\n    q = pl.yield_(p)",
    ),
    (
        "a for loop's result of the canonical carry",
        f"for i, (c,) in pl.range(4, init_values=(w,)):\n    q = pl.yield_(c)\n{USE.format('q')}",
    ),
    (
        "a while loop's result of the canonical carry",
        "for k, c in pl.while_(init_values=(n, w)):\n    pl.cond(k < 4)\n    j: pl.Scalar[pl.INDEX] = k + 1\n"
        f"    k2, q = pl.yield_(j, c)\n{USE.format('q')}",
    ),
    (
        "branches that yield one window",
        f"if n < 4:\n    v: {TILE} = pl.yield_(w)\nelse:\n    v: {TILE} = pl.yield_(w)\n{USE.format('v')}",
    ),
]


@pytest.mark.parametrize(("name", "route"), ROUTES, ids=[row[0] for row in ROUTES])
def test_a_window_is_found_by_every_route(name: str, route: str) -> None:
    assert codes(BAND + route, PARAMS)[0] == "PTO201", name
    assert set(codes(BAND + route, PARAMS)) == {"PTO201"}


@pytest.mark.parametrize(("name", "route"), ROUTES, ids=[row[0] for row in ROUTES])
def test_and_stays_silent_on_a_contiguous_one(name: str, route: str) -> None:
    assert codes(FINE + route, PARAMS) == [], name


def test_plain_python_rebinding_is_the_canonical_carry() -> None:
    body = BAND + "for i in pl.range(4):\n    w = pl.tile.matmul_acc(w, l, r)\n"
    assert codes(body, PARAMS) == ["PTO201"]
    assert codes(body.replace(BAND, FINE), PARAMS) == []


def test_branches_that_slice_the_same_place_yield_the_same_window() -> None:
    arm = "pl.tile.slice({}, [16, 64], [{}, 0])"
    body = (
        "if n < 4:\n    a = {}\n    v: {} = pl.yield_(a)\nelse:\n    b = {}\n    v: {} = pl.yield_(b)\n"
        + USE.format("v")
    )
    same = body.format(arm.format("acc", "m"), TILE, arm.format("acc", "m"), TILE)
    offsets = body.format(arm.format("acc", "m"), TILE, arm.format("acc", "n"), TILE)
    parents = body.format(arm.format("acc", "m"), TILE, arm.format("big", "m"), TILE)
    assert codes(same, PARAMS) == ["PTO201"]
    assert codes(offsets, PARAMS) == []
    assert codes(parents, PARAMS) == []


# Extents: an edge needs the same rank, dtype and constant dimensions on both ends.

NO_EDGE = [
    ("a reshape to another shape", "v = pl.tile.reshape(w, [32, 32])\nx = pl.tile.matmul_acc(v, l32, r32)"),
    (
        "a transposed view that is not square",
        "v = pl.tile.transpose_view(w)\nu = pl.tile.reshape(v, [16, 64])\n" + USE.format("u"),
    ),
    (
        "another dtype",
        f"v: {INTS} = pl.tile.reinterpret_view(w)\nu: {TILE} = pl.tile.reinterpret_view(v)\n" + USE.format("u"),
    ),
]


@pytest.mark.parametrize(("name", "route"), NO_EDGE, ids=[row[0] for row in NO_EDGE])
def test_an_edge_that_changes_the_extent_is_not_recorded(name: str, route: str) -> None:
    assert codes(BAND + route, PARAMS) == [], name


def test_a_square_transposed_view_passes_and_is_harmless() -> None:
    square = (
        "w = pl.tile.slice(acc, [{0}, {0}], [{1}, {2}])\nv = pl.tile.transpose_view(w)\n"
        "x = pl.tile.matmul_acc(v, {3}, {4})"
    )
    assert codes(square.format(16, 16, 8, "l", "r16"), PARAMS) == ["PTO201"]
    assert codes(square.format(16, 16, 16, "l", "r16"), PARAMS) == []
    assert codes(square.format(32, 0, 0, "l32", "r32"), PARAMS) == ["PTO201"]


@pytest.mark.parametrize("op", ["transpose", "extract"])
def test_fresh_buffers_are_no_edge(op: str) -> None:
    made = windows(
        "t = pl.tile.slice(v, [16, 16], [0, 8])\n"
        + {
            "transpose": "s = pl.tile.transpose(t, 0, 1)",
            "extract": "s = pl.tile.extract(t, 0, 0, [16, 16], target_memory=pl.Mem.Vec)",
        }[op],
        "v: pl.Tile[[32, 32], pl.FP16, pl.Mem.Vec]",
    )
    assert [var.name for var in made.windows] == ["t__ssa_v0"]


def test_the_space_of_the_operand_does_not_matter() -> None:
    """The verdict comes from the parent; a view op may leave its own result's space open."""
    route = "v: pl.Tile[[16, 64], pl.FP32] = w\n" + USE.format("v")
    assert codes(BAND + route, PARAMS) == ["PTO201"]


# What is checked

OPERANDS = "l: pl.Tile[[16, 32], pl.FP16, pl.Mem.Left], r: pl.Tile[[32, 64], pl.FP16, pl.Mem.Right]"

NOT_CHECKED = [
    (
        "a parent in Vec",
        "v: pl.Tile[[64, 64], pl.FP32, pl.Mem.Vec]",
        "w = pl.tile.slice(v, [16, 64], [16, 0])\npl.tile.fillpad_inplace(w, pad_value=pl.PadValue.zero)",
    ),
    ("a whole accumulator", PARAMS, "x = pl.tile.matmul_acc(acc, l64, r)"),
    (
        "symbolic rows of the parent",
        f"acc: pl.Tile[[m, 64], pl.FP32, pl.Mem.Acc], {OPERANDS}",
        BAND + USE.format("w"),
    ),
]


@pytest.mark.parametrize(("name", "params", "body"), NOT_CHECKED, ids=[row[0] for row in NOT_CHECKED])
def test_not_checked(name: str, params: str, body: str) -> None:
    assert codes(body, params) == [], name


def test_the_layout_tells_l0c_when_the_space_is_not_decided() -> None:
    layout = "pl.TileView(blayout=pl.TileLayout.col_major, slayout=pl.TileLayout.row_major, fractal={})"
    params = PARAMS.replace("acc: pl.Tile[[64, 64], pl.FP32, pl.Mem.Acc]", "acc: pl.Tile[[64, 64], pl.FP32, {}]")
    assert codes(BAND + "pl.tile.matmul_acc(w, l, r)", params.format(layout.format(1024))) == ["PTO201"]
    assert codes(BAND + "pl.tile.matmul_acc(w, l, r)", params.format(layout.format(512))) == []


def test_gemv_acc_is_covered_by_its_storage_relation() -> None:
    operands = "v: pl.Tile[[1, 32], pl.FP16, pl.Mem.Left], r: pl.Tile[[32, 64], pl.FP16, pl.Mem.Right]"
    body = "w = pl.tile.slice(acc, [16, 64], [{}], valid_shape=[1, 64])\npl.tile.gemv_acc(w, v, r)"
    tall = f"acc: pl.Tile[[32, 64], pl.FP32, pl.Mem.Acc], {operands}"
    wide = f"acc: pl.Tile[[16, 128], pl.FP32, pl.Mem.Acc], {operands}"
    assert codes(body.format("16, 0"), tall) == ["PTO201"]
    assert codes(body.format("0, 64"), wide) == []


SYMBOLIC: list[tuple[str, str, str, list[str]]] = [
    ("a narrow window at a run-time column", "w = pl.tile.slice(acc, [16, 16], [16, n])", "r16", []),
    ("also where it provably starts at a block", "w = pl.tile.slice(acc, [16, 16], [16, n * 16])", "r16", []),
    ("and where it provably does not", "w = pl.tile.slice(acc, [16, 16], [16, n * 16 + 8])", "r16", []),
    ("a wide window at a run-time column", "w = pl.tile.slice(acc, [16, 64], [16, n])", "r", ["PTO201"]),
    ("a run-time row", "w = pl.tile.slice(acc, [16, 64], [n, 0])", "r", ["PTO201"]),
    ("a run-time row of a narrow window", "w = pl.tile.slice(acc, [16, 16], [n, 16])", "r16", []),
]


@pytest.mark.parametrize(("name", "definition", "right", "expected"), SYMBOLIC, ids=[row[0] for row in SYMBOLIC])
def test_symbolic_offsets(name: str, definition: str, right: str, expected: list[str]) -> None:
    assert codes(f"{definition}\nx = pl.tile.matmul_acc(w, l, {right})", PARAMS) == expected, name


def test_offsets_of_chained_slices_accumulate_through_every_edge() -> None:
    body = (
        "w = pl.tile.slice(acc, [16, 32], [16, {})\nv: pl.Tile[[16, 32], pl.FP32, pl.Mem.Acc] = w\n"
        "u = pl.tile.slice(v, [16, 16], [0, 8])\nx = pl.tile.matmul_acc(u, l, r16)"
    )
    assert codes(body.format("0]"), PARAMS) == ["PTO201"]
    assert codes(body.format("8]"), PARAMS) == []


# The back edge

LOOP = """\
s = pl.tile.slice(wide, [16, 64], [0, 0])
b = pl.tile.slice({parent}, [16, 64], [{row}, 0])
for i, (c,) in pl.{loop}, init_values=({init},){extra}):
    {use}
    q = pl.yield_({value})
"""


def back_edge(
    loop: str = "range(4", value: str = "b", use: str = USE.format("c"), init: str = "s", parent: str = "acc"
) -> list[str]:
    row = 16 if parent == "acc" else 0
    extra = ", stage=2" if loop.startswith("pipeline") else ""
    text = LOOP.format(parent=parent, row=row, loop=loop, init=init, use=use, value=value, extra=extra)
    return codes(text, PARAMS)


def test_a_strided_window_on_the_back_edge() -> None:
    assert back_edge() == ["PTO202"]


BACK_EDGES: list[tuple[str, dict[str, str], list[str]]] = [
    ("a carry that is only read", {"use": "x = pl.tile.store(c, [0, 0], out)"}, []),
    ("one trip", {"loop": "range(1"}, []),
    ("one trip of a long step", {"loop": "range(0, 8, 8"}, []),
    ("two trips", {"loop": "range(0, 9, 8"}, ["PTO202"]),
    ("no trip", {"loop": "range(4, 4"}, []),
    ("a symbolic bound", {"loop": "range(n"}, []),
    ("a symbolic start", {"loop": "range(n, 8"}, []),
    ("a symbolic step", {"loop": "range(0, 8, n"}, []),
    ("a pipelined loop", {"loop": "pipeline(4"}, ["PTO202"]),
    ("a parallel loop", {"loop": "parallel(4"}, ["PTO202"]),
    ("a contiguous window", {"parent": "wide"}, []),
    ("the canonical carry", {"value": "x"}, []),
    ("a whole accumulator first", {"init": "wide2"}, ["PTO202"]),
    ("through a view of the carry", {"use": f"v: {TILE} = c\n    {USE.format('v')}"}, ["PTO202"]),
    ("a bare accumulation", {"use": "pl.tile.matmul_acc(c, l, r)"}, ["PTO202"]),
]


@pytest.mark.parametrize(("name", "change", "expected"), BACK_EDGES, ids=[row[0] for row in BACK_EDGES])
def test_the_back_edge(name: str, change: dict[str, str], expected: list[str]) -> None:
    if change.get("init") == "wide2":
        row = "w2 = pl.tile.create([16, 64], dtype=pl.FP32, target_memory=pl.Mem.Acc)\n"
        text = row + LOOP.format(
            parent="acc", row=16, loop="range(4", init="w2", use=USE.format("c"), value="b", extra=""
        )
        assert codes(text, PARAMS) == expected, name
    else:
        assert back_edge(**change) == expected, name


def test_a_while_is_never_proved_to_repeat() -> None:
    body = (
        "s = pl.tile.slice(wide, [16, 64], [0, 0])\nb = pl.tile.slice(acc, [16, 64], [16, 0])\n"
        "for k, c in pl.while_(init_values=(n, s)):\n    pl.cond(k < 4)\n    x = pl.tile.matmul_acc(c, l, r)\n"
        "    j: pl.Scalar[pl.INDEX] = k + 1\n    k2, q = pl.yield_(j, b)\n"
    )
    assert codes(body, PARAMS) == []


def test_the_first_window_s_finding_is_not_repeated_for_the_back_edge() -> None:
    text = LOOP.format(parent="acc", row=16, loop="range(4", init="b", use=USE.format("c"), value="b", extra="")
    assert codes(text, PARAMS) == ["PTO201"]


def test_the_outer_loop_s_carry_is_used_through_the_inner_loop() -> None:
    body = """\
s = pl.tile.slice(wide, [16, 64], [0, 0])
b = pl.tile.slice(acc, [16, 64], [16, 0])
for i, (c,) in pl.range(4, init_values=(s,)):
    for j, (d,) in pl.range(4, init_values=(c,)):
        x = pl.tile.matmul_acc(d, l, r)
        p = pl.yield_(x)
    q = pl.yield_(b)
"""
    assert codes(body, PARAMS) == ["PTO202"]


# A loop result, and the known limits


def test_a_loop_result_that_may_be_either_window_is_not_bound() -> None:
    body = """\
s = pl.tile.slice(wide, [16, 64], [0, 0])
b = pl.tile.slice(acc, [16, 64], [16, 0])
for i, (c,) in pl.range({}, init_values=({},)):
    q = pl.yield_({})
x = pl.tile.matmul_acc(q, l, r)
"""
    assert codes(body.format("n", "s", "b"), PARAMS) == []
    assert codes(body.format("4", "b", "s"), PARAMS) == []
    assert codes(body.format("n", "b", "b"), PARAMS) == ["PTO201"]


def test_a_window_that_arrives_as_a_parameter_carries_nothing() -> None:
    assert codes(USE.format("p"), f"{PARAMS}, p: {TILE}") == []


def test_only_incore_functions_are_looked_at() -> None:
    assert windows("x = pl.tile.abs(v)", "v: pl.Tile[[16, 16], pl.FP32, pl.Mem.Vec]").rejected == ()


# Older compilers

OLDER = [
    ("the slice itself", BAND + USE.format("w"), True),
    ("a contiguous slice", FINE + USE.format("w"), False),
    ("a bare statement", BAND + "pl.tile.matmul_acc(w, l, r)", False),
    ("an alias", BAND + f"v: {TILE} = w\n{USE.format('v')}", False),
    ("a slice of a slice", BAND + f"v = pl.tile.slice(w, [16, 64], [0, 0])\n{USE.format('v')}", True),
    ("a narrow run-time column", "w = pl.tile.slice(acc, [16, 16], [0, n])\nx = pl.tile.matmul_acc(w, l, r16)", True),
]


@pytest.mark.parametrize(("name", "body", "rejected"), OLDER, ids=[row[0] for row in OLDER])
def test_what_a_compiler_of_august_rejects(name: str, body: str, rejected: bool) -> None:
    analysis = KernelAnalysis(kernel(body, PARAMS))
    assert analysis.is_rejected_by(parse_toolchain("pypto=2026-08-21", Toolchain())) == rejected, name
    assert analysis.is_rejected == bool(codes(body, PARAMS))


# What the map tells


def found(body: str) -> WindowMap:
    return windows(body, PARAMS)


def test_the_chain_leads_back_to_the_slice() -> None:
    made = found(
        BAND
        + f"v: {TILE} = w\nfor i, (c,) in pl.range(4, init_values=(v,)):\n    {USE.format('c')}\n    q = pl.yield_(x)\n"
    )
    (strided,) = made.rejected
    assert [(step.step, step.var.name.split("__")[0]) for step in strided.window.chain()] == [
        ("iter-arg", "c"),
        ("alias", "v"),
        ("slice", "w"),
    ]
    assert strided.window.base.name == "acc__ssa_v0"
    assert strided.op == "tile.matmul_acc"
    assert (strided.extent.rows, strided.extent.cols, strided.extent.parent_rows) == (16, 64, 64)
    assert all(step.origin is not None for step in strided.window.chain())


def test_the_map_answers_for_any_variable() -> None:
    made = found("w = pl.tile.slice(acc, [32, 32], [n, 16])\nv = pl.tile.slice(w, [16, 16], [0, m])\n")
    by_name = {var.name: window for var, window in made.windows.items()}
    inner = by_name["v__ssa_v0"]
    assert inner.base.name == "acc__ssa_v0"
    assert inner.previous is by_name["w__ssa_v0"]
    assert made.of(inner.base) is None


def test_a_window_of_the_compiler_s_own_is_known_as_such() -> None:
    (strided,) = found(BAND + USE.format("w")).rejected
    assert strided.window.is_written_in_source
    made = evolve(strided.window, origin=Origin(3, reason="the compiler slices one page for each batch"))
    assert not made.is_written_in_source
    assert not evolve(made, origin=None).is_written_in_source
