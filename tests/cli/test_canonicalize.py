from __future__ import annotations

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.cli.kernels import BROKEN, CLEAN, ERROR, HINT
from tests.support.cases import load_cases
from tests.support.cli import pto_lint
from tests.support.irtext import difference

AUGUST = ("--toolchain", "pypto=2026-08-21", "--output-format", "json")
TENSOR_LEVEL = """\
import pypto.language as pl


@pl.jit
def half(src: pl.Tensor[[12, 96], pl.FP32], g: pl.Tensor[[1, 48], pl.FP32], dst: pl.Out[pl.Tensor[[12, 48], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="scale"):
        body = pl.add(src[0:12, :], 0.5)
        dst[:, :] = pl.col_expand_mul(body[:, 48:96], g)
    return dst
"""

OUTSIDE = HINT.replace("[0, 6]", "[0, 60]")


def write(text: str, name: str = "k.py") -> None:
    Path(name).write_text(text, encoding="utf-8")


@pytest.mark.parametrize("output_format", ["python", "diff"])
def test_output(output_format: str, snapshot: SnapshotAssertion) -> None:
    write(HINT + TENSOR_LEVEL.replace("import pypto.language as pl\n", ""))
    ran = pto_lint("canonicalize", "k.py", "--output-format", output_format)
    assert (ran.status, ran.err) == (0, "")
    assert ran.out == snapshot


def test_json(snapshot: SnapshotAssertion) -> None:
    """All but the diagnostics, whose words belong to their rules."""
    write(HINT + TENSOR_LEVEL.replace("import pypto.language as pl\n", ""))
    report = pto_lint("canonicalize", "k.py", "--output-format", "json").json
    functions = [function for file in report["files"] for function in file["functions"]]
    assert [[item["code"] for item in function.pop("diagnostics")] for function in functions] == [
        ["PTO104"],
        ["PTO103"],
    ]
    assert report == snapshot


@pytest.mark.parametrize(
    ("text", "status", "after"),
    [
        (CLEAN, "unchanged", True),
        (HINT, "rewritten", True),
        (ERROR, "rejected", False),
        (BROKEN, "unsupported", True),
        (CLEAN.replace("        return", "        else:\n            pass\n        return", 1), "unsupported", True),
        (TENSOR_LEVEL, "rewritten", True),
        (OUTSIDE, "rejected", False),
    ],
)
def test_status(text: str, status: str, after: bool) -> None:
    write(text)
    ((function,),) = [file["functions"] for file in pto_lint("canonicalize", "k.py", *AUGUST).json["files"]]
    assert function["status"] == status
    assert (function["after"] is not None) is after


def test_a_region_has_the_compilers_name_and_all_points() -> None:
    write(TENSOR_LEVEL)
    ((function,),) = [file["functions"] for file in pto_lint("canonicalize", "k.py", *AUGUST).json["files"]]
    assert (function["name"], function["qualname"], function["kind"], function["line"]) == (
        "scale",
        "scale",
        "InCore",
        5,
    )
    assert {"lowered", "before", "after", "placed"} <= set(function)
    (rewrite,) = function["rewrites"]
    assert (rewrite["rule"], rewrite["action"], rewrite["line"]) == ("PTO103", "col-expand-operand", 8)
    assert (rewrite["row_offset"], rewrite["col_offset"], rewrite["shape"]) == (0, 48, [12, 48])


def test_what_is_printed_is_its_own_canonical_form() -> None:
    write(HINT)
    printed = pto_lint("canonicalize", "k.py").out
    write(printed, "again.py")
    ((function,),) = [file["functions"] for file in pto_lint("canonicalize", "again.py", *AUGUST).json["files"]]
    assert function["status"] == "unchanged"
    assert difference(printed, function["after"]) is None


@pytest.mark.parametrize("case", load_cases("canonicalize")[::12], ids=lambda case: case.id)
def test_the_command_says_what_the_compiler_said(case: object) -> None:
    from tests.support.cases import Case

    assert isinstance(case, Case)
    write(case.source)
    ((function,),) = [file["functions"] for file in pto_lint("canonicalize", "k.py", *AUGUST).json["files"]]
    assert function["status"] == ("rejected" if case.status == "type-error" else case.status)
    for key in ("before", "after"):
        expected = case.text(key)
        assert expected is None or difference(expected, function[key]) is None
