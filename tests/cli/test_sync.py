"""`pto-lint sync` from outside: forms, choices, traces, verification, exit status (contract section 2)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import cast
from xml.etree import ElementTree

import pytest

from pto_lsp.cli.main import main

SEED = Path(__file__).parent.parent / "sync" / "seed" / "dynamic_disjoint.pto"

MIXED = """\
module attributes {pto.target_arch = "a3"} {
  func.func @mix(%x: !pto.tile_buf<vec, 1x64xf32>, %m: !pto.tile_buf<mat, 16x16xf16>,
      %l: !pto.tile_buf<left, 16x16xf16>, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    pto.section.cube {
      pto.tmov ins(%m : !pto.tile_buf<mat, 16x16xf16>) outs(%l : !pto.tile_buf<left, 16x16xf16>)
      pto.tmov ins(%m : !pto.tile_buf<mat, 16x16xf16>) outs(%l : !pto.tile_buf<left, 16x16xf16>)
    }
    pto.section.vector {
      scf.for %i = %c0 to %n step %c1 {
        pto.tabs ins(%x : !pto.tile_buf<vec, 1x64xf32>) outs(%x : !pto.tile_buf<vec, 1x64xf32>)
      }
    }
    return
  }
}
"""

RACE = """\
module {
  func.func @by_hand(%x: !pto.tile_buf<vec, 1x64xf32>, %g: !pto.partition_tensor_view<1x64xf32>) {
    pto.tload ins(%g : !pto.partition_tensor_view<1x64xf32>) outs(%x : !pto.tile_buf<vec, 1x64xf32>)
    pto.set_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
    pto.tabs ins(%x : !pto.tile_buf<vec, 1x64xf32>) outs(%x : !pto.tile_buf<vec, 1x64xf32>)
    pto.wait_flag[<PIPE_MTE2>, <PIPE_V>, <EVENT_ID0>]
    return
  }
}
"""


def output(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> str:
    assert main(["sync", *words]) == status
    return capsys.readouterr().out


def data(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, object]:
    return cast("dict[str, object]", json.loads(output(capsys, *words)))


def test_json_has_the_form_of_the_contract(capsys: pytest.CaptureFixture[str]) -> None:
    found = data(capsys, str(SEED), "--output-format", "json")
    assert found["schema"] == "pto-sync/1"
    [function] = cast("list[dict[str, list[dict[str, object]]]]", found["functions"])
    assert (function["name"], function["core"], function["target"], function["model"]) == (
        "probe",
        "vector",
        "a2a3",
        "precise",
    )
    assert {region["id"]: region["bytes"] for region in function["regions"]} == {
        "g0": 256,
        "g1": 256,
        "out0": 256,
        "out1": 256,
        "parent": 768,
    }
    ops = function["ops"]
    assert [(op["op"], op["pipe"], op["line"], op["column"]) for op in ops] == [
        ("tload", "MTE2", 20, 5),
        ("tload", "MTE2", 21, 5),
        ("tadds", "V", 22, 5),
        ("tstore", "MTE3", 23, 5),
        ("tstore", "MTE3", 24, 5),
    ]
    assert (ops[0]["reads"], ops[0]["writes"]) == (["g0"], ["parent"])
    identities = {op["id"] for op in ops}
    for one in function["dependences"]:
        assert {one["src"], one["dst"]} <= identities
        assert one["kind"] in ("RAW", "WAR", "WAW", "RAR")
        assert one["status"] in ("queue-order", "covered", "synchronised", "disproved")
    ready = [item for item in function["sync"] if (item["src_pipe"], item["dst_pipe"]) == ("MTE2", "V")]
    assert [(item["kind"], item["role"], item["before"], item["after"]) for item in ready] == [
        ("set", "body", None, ops[0]["id"]),
        ("wait", "body", ops[2]["id"], None),
    ]
    assert {"src_pipe": "MTE2", "dst_pipe": "V", "lanes": 1, "limit": 8} in function["pools"]


def test_trace_is_the_run_for_these_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    found = data(capsys, str(SEED), "--trace", '{"i": 65}')
    assert found["schema"] == "pto-sync-trace/1"
    items = cast("list[dict[str, object]]", found["items"])
    assert items[0] == {
        "item": "op",
        "op": "tload",
        "pipe": "MTE2",
        "line": 20,
        "reads": [["gm", "g0", 0, 256]],
        "writes": [["vec", "vec", 256, 512]],
    }
    assert items[1] == {"item": "set", "src_pipe": "MTE2", "dst_pipe": "V", "event": 0}
    assert items[-1] == {"item": "barrier", "pipe": "ALL"}


def test_trace_of_the_stock_model_sets_later(capsys: pytest.CaptureFixture[str]) -> None:
    found = data(capsys, str(SEED), "--model", "ptoas", "--trace", '{"i": 65}')
    items = cast("list[dict[str, object]]", found["items"])
    assert [item["item"] for item in items[:3]] == ["op", "op", "set"]


def test_branches_of_a_trace(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "k.pto"
    path.write_text(
        "module {\n  func.func @k(%x: !pto.tile_buf<vec, 1x64xf32>, %n: index) {\n    %c0 = arith.constant 0 : index\n"
        "    %c1 = arith.constant 1 : index\n    scf.for %i = %c0 to %n step %c1 {\n"
        "      %v = pto.tgetval ins(%x, %i : !pto.tile_buf<vec, 1x64xf32>, index) outs : i1\n      scf.if %v {\n"
        "        pto.tabs ins(%x : !pto.tile_buf<vec, 1x64xf32>) outs(%x : !pto.tile_buf<vec, 1x64xf32>)\n      }\n"
        "    }\n    return\n  }\n}\n"
    )
    found = data(capsys, str(path), "--trace", '{"n": 3, "branches": {"7": [true, false, true]}}')
    ops = [item["op"] for item in cast("list[dict[str, object]]", found["items"]) if item["item"] == "op"]
    assert ops == ["tgetval", "tabs", "tgetval", "tgetval", "tabs"]


def test_scalars_of_a_trace_are_named_as_in_the_kernel(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "kernel.py"
    path.write_text(
        "import pypto.language as pl\n\nM = pl.dynamic('M')\n\n\n@pl.program\nclass P:\n"
        "    @pl.function(type=pl.FunctionType.InCore)\n"
        "    def k(self, x: pl.Tensor[[M, 64], pl.FP32], n: pl.Scalar[pl.INDEX],\n"
        "          out: pl.Out[pl.Tensor[[M, 64], pl.FP32]]) -> pl.Tensor[[M, 64], pl.FP32]:\n"
        "        rows = pl.tensor.dim(x, 0)\n"
        "        for i in pl.range(0, rows, 16):\n"
        "            t = pl.tile.load(x, [i, 0], [16, 64])\n"
        "            if n > 2:\n"
        "                t = pl.tile.adds(t, 1.0)\n"
        "            out = pl.tile.store(t, [i, 0], out)\n"
        "        return out\n"
    )
    for scalars, expected in [('"n": 3, "rows": 32', ["tload", "tadds", "tstore"] * 2), ('"n": 2, "rows": 16', None)]:
        found = data(capsys, str(path), "--trace", f"{{{scalars}}}")
        ops = [item["op"] for item in cast("list[dict[str, object]]", found["items"]) if item["item"] == "op"]
        assert [op for op in ops if op != "tmov"] == (expected or ["tload", "tstore"])


def test_text_fits_and_names_both_ends_of_a_pair(capsys: pytest.CaptureFixture[str]) -> None:
    text = output(capsys, str(SEED), "--verify", "--color", "never")
    assert all(len(line) <= 160 for line in text.split("\n"))
    assert "tload (line 20) → tadds (line 22)" in text
    assert "verified: 16 runs are sound (all small runs)" in text
    assert "\x1b" not in text


@pytest.mark.parametrize("kind", ["svg", "html"])
def test_pictures_stand_alone(capsys: pytest.CaptureFixture[str], kind: str) -> None:
    text = output(capsys, str(SEED), "--output-format", kind)
    body = text.replace("http://www.w3.org/2000/svg", "")
    assert "http" not in body
    assert "<script" not in body
    assert "stock assembler" in text
    if kind == "svg":
        root = ElementTree.fromstring(text)
        titles = [title.text or "" for title in root.iter("{http://www.w3.org/2000/svg}title")]
        assert any("tload (line 20) → tadds (line 22)" in title for title in titles)


def test_a_mixed_kernel_has_a_program_on_each_core(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "mix.pto"
    path.write_text(MIXED)
    found = data(capsys, str(path), "--function", "mix", "--output-format", "json")
    functions = cast("list[dict[str, object]]", found["functions"])
    assert [(one["name"], one["core"]) for one in functions] == [("mix_aic", "cube"), ("mix_aiv", "vector")]
    assert main(["sync", str(path), "--trace", '{"n": 2}']) == 2
    assert "--function: mix_aic, mix_aiv" in capsys.readouterr().err
    assert data(capsys, str(path), "--function", "mix_aiv", "--trace", '{"n": 2}')["schema"] == "pto-sync-trace/1"
    ElementTree.fromstring(output(capsys, str(path), "--output-format", "svg"))


def test_a_race_made_by_hand_is_told_and_fails(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "race.pto"
    path.write_text(RACE)
    text = output(capsys, str(path), "--verify", "--color", "never", status=1)
    assert "nothing is inserted" in text
    assert "race: tabs (line 5) does not wait for tload (line 3)" in text


MISTAKES = [
    (["missing.pto"], "missing.pto"),
    ([str(SEED), "--function", "prob"], "did you mean `probe`"),
    ([str(SEED), "--trace", "{"], "not JSON"),
    ([str(SEED), "--trace", "[]"], "expected an object"),
    ([str(SEED), "--trace", '{"j": 1}'], "nothing leaves a scalar `j` to the run"),
    ([str(SEED), "--trace", '{"i": "x"}'], "whole number"),
    ([str(SEED), "--trace", '{"i": 1.5}'], "`i` must be a whole number, not 1.5"),
    ([str(SEED), "--trace", '{"i": true}'], "`i` must be a whole number, not true"),
    ([str(SEED), "--trace", '{"i": null}'], "`i` must be a whole number, not null"),
    ([str(SEED), "--trace", f'{{"i": {1 << 64}}}'], "does not fit 64 bits"),
    ([str(SEED), "--trace", f'{{"i": {-(1 << 63) - 1}}}'], "does not fit 64 bits"),
    ([str(SEED), "--trace", "[" * 100_000], "not JSON"),
    ([str(SEED), "--trace", '{"branches": {"x": [true]}}'], "branches"),
    ([str(SEED), "--trace", '{"branches": {"3": ["yes"]}}'], "lists of true and false"),
    ([str(SEED), "--trace", '{"branches": {"-3": [true]}}'], "lists of true and false"),
    ([str(SEED), "--trace", '{"branches": [true]}'], "must map lines"),
]


@pytest.mark.parametrize(("words", "message"), MISTAKES, ids=[row[1] for row in MISTAKES])
def test_wrong_usage(capsys: pytest.CaptureFixture[str], words: list[str], message: str) -> None:
    assert main(["sync", *words]) == 2
    assert message in capsys.readouterr().err


def test_a_trace_says_what_it_takes_for_granted(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["sync", str(SEED), "--trace", '{"branches": {"999": [true]}}']) == 0
    said = capsys.readouterr().err
    assert "`i` not given, taken as 0" in said
    assert "no branch or loop begins at line 999" in said


@pytest.mark.parametrize("value", [-1, (1 << 64) - 1])
def test_a_scalar_is_read_with_or_without_a_sign(capsys: pytest.CaptureFixture[str], value: int) -> None:
    same = output(capsys, str(SEED), "--trace", f'{{"i": {(1 << 64) - 1}}}')
    assert output(capsys, str(SEED), "--trace", f'{{"i": {value}}}') == same


def test_what_is_not_understood_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "kernel.py"
    path.write_text(
        "import pypto.language as pl\n\n\n@pl.program\nclass P:\n"
        "    @pl.function(type=pl.FunctionType.InCore)\n"
        "    def k(self, x: pl.Tensor[[16, 64], pl.FP32],\n"
        "          out: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:\n"
        "        t = pl.load(x, [0, 0], [16, 64])\n"
        "        u = pl.tile.bogus(t)\n"
        "        v = pl.tile.add(t, helper(t))\n"
        "        out = pl.store(t, [0, 0], out)\n"
        "        return out\n"
    )
    gap = "line 10: not understood, left out; the preview may miss waits"
    partly = "line 11: not understood in full; the preview may miss waits"
    for form in ("text", "html"):
        found = output(capsys, str(path), "--output-format", form)
        assert gap in found
        assert partly in found
    functions = cast("list[dict[str, list[str]]]", data(capsys, str(path), "--output-format", "json")["functions"])
    assert {gap, partly} <= set(functions[0]["notes"])


def test_complaints_go_to_standard_error_with_their_place(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "broken.pto"
    path.write_text(RACE.replace("pto.tabs ins(", "pto.tfancy ins("))
    assert main(["sync", str(path)]) == 0
    captured = capsys.readouterr()
    assert "broken.pto:5:5: unknown operation 'pto.tfancy'" in captured.err
    assert "tfancy" in captured.out
