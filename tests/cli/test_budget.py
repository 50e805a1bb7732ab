from __future__ import annotations

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from tests.cli.kernels import CLEAN, WARNING
from tests.support.cli import pto_lint


@pytest.fixture(autouse=True)
def files(project: Path) -> None:
    (project / "k.py").write_text(CLEAN, encoding="utf-8")
    (project / "unknown.py").write_text(WARNING, encoding="utf-8")


def test_table(snapshot: SnapshotAssertion) -> None:
    ran = pto_lint("budget", "k.py", "unknown.py")
    assert ran.status == 0
    assert ran.out == snapshot


def test_json() -> None:
    (file,) = pto_lint("budget", "k.py", "--output-format", "json").json["files"]
    (kernel,) = file["functions"]
    assert (file["path"], kernel["qualname"], kernel["complete"]) == ("k.py", "K.kernel", True)
    (vec,) = kernel["buffers"]
    assert (vec["space"], vec["needed"], vec["limit"], vec["physical"]) == ("Vec", 16384, 188416, 196608)
    assert vec["live"] == [{"name": "t", "bytes": 16384, "line": 8}]


def test_the_target_decides_the_limits() -> None:
    (file,) = pto_lint("budget", "k.py", "--output-format", "json", "--target", "a5").json["files"]
    assert file["functions"][0]["buffers"][0]["limit"] == 245760


def test_one_kernel_by_name() -> None:
    assert pto_lint("budget", "k.py", "--function", "K.kernel").status == 0
    ran = pto_lint("budget", "k.py", "--function", "K.kernal")
    assert (ran.status, ran.err) == (
        2, "pto-lint: error: there is no kernel `K.kernal` (did you mean `K.kernel`?)\n"
    )  # fmt: skip
