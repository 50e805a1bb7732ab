"""The reader of `.pto` text: shapes of operations, recovery, positions, and input that is no program at all."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pto_analysis.pto.reader import read_pto
from pto_analysis.pto.syntax import Literal, Operation, SourceLocation, Use, walk
from pto_analysis.pto.types import MultiTileType, ScalarType, TileType
from tests.pto.cases import PtoCase, pto_cases


def only(text: str, name: str = "") -> Operation:
    """The operation called `name` (the last one) of a function with this body; nothing may be complained about."""
    file = read_pto("module {\n  func.func @f(%a: !t, %b: !t, %i: index) {\n" + text + "\n    return\n  }\n}\n")
    assert file.complaints == ()
    body = file.functions[0].body
    assert body is not None
    return [operation for operation in walk(body) if operation.name != "func.return" and name in operation.name][-1]


def spelled(operation: Operation) -> list[tuple[str, str, str | None]]:
    return [
        (argument.name, argument.key, argument.role)
        if isinstance(argument, Use)
        else (str(argument.value), argument.key, None)
        for argument in operation.arguments
    ]


SHAPES: list[tuple[str, list[tuple[str, str, str | None]]]] = [
    ("pto.tadd ins(%a, %b : !t, !t) outs(%a : !t)", [("%a", "ins", None), ("%b", "ins", None), ("%a", "outs", None)]),
    (
        "pto.tcvt ins(%a{rmode = #pto<round_mode ROUND>} : !t) outs(%b : !t)",
        [("%a", "ins", None), ("%b", "outs", None)],
    ),
    (
        "pto.tstore ins(%a : !t fp %b : !t) outs(%b : !t)",
        [("%a", "ins", None), ("%b", "ins", "fp"), ("%b", "outs", None)],
    ),
    (
        "pto.tinsert ins(%a, %i, %i : !t, index, index pre_quant %i : i64) outs(%b : !t)",
        [
            ("%a", "ins", None),
            ("%i", "ins", None),
            ("%i", "ins", None),
            ("%i", "ins", "pre_quant"),
            ("%b", "outs", None),
        ],
    ),
    (
        "%t = pto.alloc_tile addr = %i valid_row = %i valid_col = %i : !t",
        [("%i", "addr", None), ("%i", "valid_row", None), ("%i", "valid_col", None)],
    ),
    ("%s = pto.multi_tile_get %a[%i] : !t -> !t", [("%a", "", None), ("%i", "index", None)]),
    (
        "%v = pto.subview %a[%i, %i] sizes [1, 64] valid [%i, %i] : !t -> !t",
        [
            ("%a", "", None),
            ("%i", "index", None),
            ("%i", "index", None),
            ("1", "sizes", None),
            ("64", "sizes", None),
            ("%i", "valid", None),
            ("%i", "valid", None),
        ],
    ),
    (
        "%w = pto.make_tensor_view %a, shape = [%i] strides = [%i] {layout = #pto.layout<nd>} : !t",
        [("%a", "", None), ("%i", "shape", None), ("%i", "strides", None)],
    ),
    (
        "pto.comm.tput(%a, %b, buf(%a, %b) : !t, !t, !t, !t)",
        [("%a", "", None), ("%b", "", None), ("%a", "buf", None), ("%b", "buf", None)],
    ),
    (
        "pto.comm.tbroadcast(%a, recv(%b), group(%a, %b) : !t, !t, !t, !t) {root = 0 : i32}",
        [("%a", "", None), ("%b", "recv", None), ("%a", "group", None), ("%b", "group", None)],
    ),
    ("%v = pto.load_scalar %a[%i] : !t -> f32", [("%a", "", None), ("%i", "index", None)]),
    ("pto.store_scalar %i, %a[%i] : !t, f32", [("%i", "", None), ("%a", "", None), ("%i", "index", None)]),
    ("pto.tpush(%a, %b : !t, !pto.pipe) {split = 0}", [("%a", "", None), ("%b", "", None)]),
    ("%t = pto.tpop_from_aic {split = 1} -> !t", []),
    ("pto.set_flag_dyn[<PIPE_MTE2>, <PIPE_V>, %i]", [("%i", "index", None)]),
    ("pto.aic_initialize_pipe {dir_mask = 1}\n      (gm_slot_buffer = %a : !t)", [("%a", "gm_slot_buffer", None)]),
    ('"pto.tmov"(%a, %b) {x = 1 : i32} : (!t, !t) -> ()', [("%a", "", None), ("%b", "", None)]),
]


@pytest.mark.parametrize(("text", "expected"), SHAPES, ids=[row[0][:40] for row in SHAPES])
def test_operands_of_every_shape(text: str, expected: list[tuple[str, str, str | None]]) -> None:
    assert spelled(only(text)) == expected


def test_types_go_to_their_operands_and_results() -> None:
    operation = only(
        "%s = pto.subview %a[%i, %i] sizes [1, 8] : !pto.tile_buf<vec, 2x8xf32> -> !pto.tile_buf<vec, 1x8xf32>"
    )
    source = operation.uses()[0]
    assert isinstance(source.type, TileType)
    assert source.type.rows == 2
    assert isinstance(operation.results[0].type, TileType)
    assert operation.results[0].type.rows == 1
    cast = only("%x = arith.index_cast %i : i32 to index")
    assert cast.results[0].type == ScalarType("index")


def test_enums_attributes_words_and_locations() -> None:
    flag = only("pto.set_flag[<PIPE_MTE2>, #pto.pipe<PIPE_V>, #pto.event<EVENT_ID3>]")
    assert flag.enums == ("PIPE_MTE2", "PIPE_V", "EVENT_ID3")
    assert only("pto.barrier <PIPE_ALL>").enums == ("PIPE_ALL",)
    assert only("%c = arith.cmpi slt, %i, %i : index").words == ("slt",)
    placed = only('pto.tabs ins(%a : !t) outs(%b : !t) {k = "x, y", unit} loc("dir/k.py":7:22)')
    assert placed.attributes == {"k": '"x, y"', "unit": ""}
    assert placed.location == SourceLocation("dir/k.py", 6, 21)


def test_aliases_may_stand_behind_their_use() -> None:
    text = (
        "module {\n  func.func @f(%m: !ring) {\n    pto.tprint ins(%m : !ring) loc(#loc1)\n    return\n  }\n}\n"
        '!slot = !pto.tile_buf<vec, 1x64xf32>\n!ring = !pto.multi_tile_buf<!slot, count=3>\n#loc1 = loc("a.py":3:4)\n'
    )
    file = read_pto(text)
    assert file.complaints == ()
    assert file.functions[0].arguments[0].type == MultiTileType(TileType("vec", "f32", 1, 64, 1, 64), 3)
    body = file.functions[0].body
    assert body is not None
    assert body.operations[0].location == SourceLocation("a.py", 2, 3)


def test_structure_of_loops_branches_and_whiles() -> None:
    loop = only(
        "%r = scf.for %k = %i to %i step %i iter_args(%x = %a, %y = %b) -> (!t, !t) : i32 {\n"
        "  %q = scf.if %i -> (!t) {\n scf.yield %x : !t\n } else {\n scf.yield %y : !t\n }\n"
        "  scf.yield %q, %x : !t, !t\n}",
        "scf.for",
    )
    assert [name.text for name in loop.regions[0].arguments] == ["%k", "%x", "%y"]
    assert [operation.name for operation in loop.regions[0].operations] == ["scf.if", "scf.yield"]
    assert len(loop.regions[0].operations[0].regions) == 2
    loop = only(
        "%w:2 = scf.while (%x = %a, %y = %i) : (!t, index) -> (!t, index) {\n scf.condition(%i) %x, %y : !t, index\n"
        "} do {\n^bb0(%u : !t, %v : index):\n scf.yield %u, %v : !t, index\n}",
        "scf.while",
    )
    assert [name.text for name in loop.results] == ["%w#0", "%w#1"]
    assert [[name.text for name in region.arguments] for region in loop.regions] == [["%x", "%y"], ["%u", "%v"]]


def test_generic_form_with_regions() -> None:
    loop = only(
        '"scf.for"(%i, %i, %i) ({\n^bb0(%k: index):\n "pto.tmov"(%a, %b) : (!t, !t) -> ()\n'
        ' "scf.yield"() : () -> ()\n}) : (index, index, index) -> ()',
        "scf.for",
    )
    assert [name.text for name in loop.regions[0].arguments] == ["%k"]
    assert [operation.name for operation in loop.regions[0].operations] == ["pto.tmov", "scf.yield"]
    file = read_pto(
        '"builtin.module"() ({ "func.func"() ({ ^bb0(%a: i64): "func.return"() : () -> () })'
        ' {sym_name = "g"} : () -> () }) {pto.target_arch = "a5"} : () -> ()'
    )
    assert [(function.name, function.module_attributes) for function in file.functions] == [
        ("g", {"pto.target_arch": '"a5"'})
    ]


def test_nested_modules_hand_their_attributes_down() -> None:
    text = (
        'module attributes {pto.target_arch = "a3", k = 1} { module @m attributes {"pto.target_arch" = "a5"}'
        " { func.func private @f(!pto.ptr<f32>) } func.func @g() { return } }"
    )
    file = read_pto(text)
    assert file.complaints == ()
    found = {function.name: function.module_attributes["pto.target_arch"] for function in file.functions}
    assert found == {"f": '"a5"', "g": '"a3"'}
    assert file.functions[0].body is None


def test_spans_are_exact() -> None:
    text = (
        "module {\n  func.func @f(%α: !t) {\n    %é = pto.tneg ins(%α : !t)\n      outs(%α : !t)\n    return\n  }\n}\n"
    )
    file = read_pto(text)
    body = file.functions[0].body
    assert body is None or body.operations
    second = read_pto(text.replace("α", "a").replace("é", "e")).functions[0].body
    assert second is not None
    operation = second.operations[0]
    assert (operation.span.line, operation.span.column, operation.span.end_line, operation.span.end_column) == (
        2,
        4,
        3,
        19,
    )
    assert (operation.name_span.column, operation.name_span.end_column) == (9, 17)
    use = operation.uses("outs")[0]
    assert (use.span.line, use.span.column, use.span.end_column) == (3, 11, 13)


BROKEN = [
    (
        "missing )",
        "    pto.tadd ins(%a : !t outs(%b : !t)\n    pto.tneg ins(%a : !t) outs(%b : !t)",
        3,
        ["tadd", "tneg"],
    ),
    ("no operation", "    %x = 5\n    pto.tneg ins(%a : !t) outs(%b : !t)", 3, ["tneg"]),
    ("stray word", "    hello %a\n    pto.tneg ins(%a : !t) outs(%b : !t)", 3, ["tneg"]),
    ("stray brace", "    pto.tadd ins(%a : !t) outs(%b : !t)\n    }\n", 6, ["tadd"]),
    (
        "bad character",
        "    pto.tadd ins(%a : !t) outs(%b : !t) `\n    pto.tneg ins(%a : !t) outs(%b : !t)",
        3,
        ["tadd", "tneg"],
    ),
    (
        "type missing",
        "    pto.tadd ins(%a : ) outs(%b : !t)\n    pto.tneg ins(%a : !t) outs(%b : !t)",
        3,
        ["tadd", "tneg"],
    ),
    (
        "one type short",
        "    pto.tadd ins(%a, %b : !t) outs(%b : !t)\n    pto.tneg ins(%a : !t) outs(%b : !t)",
        3,
        ["tadd", "tneg"],
    ),
    (
        "open angle",
        "    pto.tadd ins(%a : !pto.tile_buf<vec) outs(%b : !t)\n    pto.tneg ins(%a : !t) outs(%b : !t)",
        3,
        ["tadd", "tneg"],
    ),
]


@pytest.mark.parametrize(("body", "line", "names"), [row[1:] for row in BROKEN], ids=[row[0] for row in BROKEN])
def test_fault_is_placed_and_the_rest_is_read(body: str, line: int, names: list[str]) -> None:
    text = "module {\n  func.func @f(%a: !t, %b: !t) {\n" + body + "\n    return\n  }\n"
    text += "  func.func @g() {\n    pto.barrier <PIPE_V>\n    return\n  }\n}\n"
    file = read_pto(text)
    assert file.complaints
    assert file.complaints[0].span.line + 1 == line
    assert [function.name for function in file.functions] == ["f", "g"]
    body_read = file.functions[0].body
    assert body_read is not None
    assert [op.name.removeprefix("pto.") for op in walk(body_read) if op.name.startswith("pto.")] == names


def test_missing_brace_ends_at_the_next_function() -> None:
    text = (
        "module {\n  func.func @f(%c: i1) {\n    scf.if %c {\n    return\n  }\n  func.func @g() {\n    return\n  }\n}\n"
    )
    file = read_pto(text)
    assert [function.name for function in file.functions] == ["f", "g"]
    assert any("never closed" in complaint.message for complaint in file.complaints)


@pytest.mark.parametrize("case", pto_cases(), ids=lambda case: case.id)
def test_emitted_files_are_read_without_a_complaint(case: PtoCase) -> None:
    file = read_pto(case.pto)
    assert file.complaints == ()
    lines = case.pto.splitlines()
    for function in file.functions:
        assert function.body is not None
        for operation in walk(function.body):
            assert lines[operation.span.line][operation.span.column :].strip()
            named = [operation.span.line, *(r.span.line for r in operation.results)]
            assert named[0] <= operation.name_span.line <= operation.span.end_line
            assert operation.location is None or operation.location.path == f"{case.id}.py"


def test_nesting_has_an_end() -> None:
    text = "func.func @f(%c: i1) {" + "scf.if %c {" * 5000 + "}" * 5001
    complaints = read_pto(text).complaints
    assert [complaint.kind for complaint in complaints] == ["unsupported"]


PIECES = [
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "<",
    ">",
    ",",
    ":",
    "=",
    "->",
    "%a",
    "!t",
    "@f",
    "#x",
    '"',
    "^bb",
    "loc(",
    "ins(",
    "func.func @f() {",
    "module {",
    "scf.for %i = ",
    "scf.while (",
    "pto.tadd",
    "%x = ",
    "\n",
    "//",
    "12",
    "?x?x",
    "-",
]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=120).map(" ".join))
def test_no_sequence_of_tokens_breaks_the_reader(text: str) -> None:
    read_pto(text)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_no_cut_and_no_noise_breaks_the_reader(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(pto_cases())).pto[:6000]
    cut = data.draw(st.integers(0, len(text)))
    noise = data.draw(st.text(max_size=12))
    end = data.draw(st.integers(cut, len(text)))
    file = read_pto(text[:cut] + noise + text[end:])
    assert all(complaint.span.line >= 0 for complaint in file.complaints)


def test_cost_is_linear_even_in_nonsense() -> None:
    def seconds(text: str) -> float:
        start = time.process_time()
        read_pto(text)
        return time.process_time() - start

    for unit in ("(", "({", "<)", "func.func @f() {", "pto.x %a ", "%a = ", "!a<", "ins(", "}"):
        small = min(seconds(unit * 4000) for _ in range(3))
        large = min(seconds(unit * 16000) for _ in range(3))
        assert large < 10 * small + 0.2, unit


@pytest.mark.soak
def test_ten_megabytes() -> None:
    text = pto_cases()[20].pto
    start = time.process_time()
    file = read_pto(text * (10_000_000 // len(text)))
    assert file.complaints == ()
    assert time.process_time() - start < 60


def test_literals_keep_their_value() -> None:
    assert [arg.value for arg in only("%c = arith.constant -7 : i32").arguments if isinstance(arg, Literal)] == [-7]
    assert only("%c = arith.constant true").words == ("true",)
    assert [arg.value for arg in only("%c = arith.constant 0x1F : i32").arguments if isinstance(arg, Literal)] == [31]
