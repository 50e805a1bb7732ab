from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.kernels import CLEAN, FIXABLE, WARNING
from tests.support.cli import pto_lint

FIXED = FIXABLE.replace("  # pto: ignore[PTO201]", "")


def write(name: str, data: bytes) -> Path:
    path = Path(name)
    path.write_bytes(data)
    return path


def test_fix_writes_the_file_and_reports_what_is_left() -> None:
    path = write("k.py", (FIXABLE + "\n" + WARNING.replace("class K", "class L")).encode())
    ran = pto_lint("k.py", "--fix", "--output-format", "json")
    assert ran.status == 1
    assert ran.codes == ["PTO003"]
    assert FIXED in path.read_text(encoding="utf-8")


def test_fix_leaves_nothing_and_a_second_run_changes_nothing() -> None:
    path = write("k.py", FIXABLE.encode())
    first = pto_lint("k.py", "--fix")
    assert (first.status, first.out) == (0, "All checks passed: 1 file (1 fixed).\n")
    assert path.read_text(encoding="utf-8") == FIXED
    assert pto_lint("k.py", "--fix").out == "All checks passed: 1 file.\n"


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_byte_order_mark_and_line_ends_survive(mark: bytes) -> None:
    path = write("k.py", mark + FIXABLE.replace("\n", "\r\n").encode())
    assert pto_lint("k.py", "--fix").status == 0
    assert path.read_bytes() == mark + FIXED.replace("\n", "\r\n").encode()


def test_diff_shows_the_change_and_makes_none() -> None:
    path = write("k.py", FIXABLE.encode())
    ran = pto_lint("k.py", "--diff")
    assert ran.status == 1
    assert ran.out.startswith("--- k.py\n+++ k.py\n@@ ")
    assert "-        t = pl.load(x, [0, 0], [64, 64])  # pto: ignore[PTO201]\n" in ran.out
    assert "+        t = pl.load(x, [0, 0], [64, 64])\n" in ran.out
    assert path.read_bytes() == FIXABLE.encode()
    assert pto_lint("k.py", "--diff", "--exit-zero").status == 0


def test_diff_of_nothing_is_empty() -> None:
    write("k.py", CLEAN.encode())
    ran = pto_lint("k.py", "--diff")
    assert (ran.status, ran.out) == (0, "")


def test_fixing_standard_input_prints_the_text() -> None:
    ran = pto_lint("-", "--fix", "--stdin-filename", "k.py", stdin=FIXABLE.encode())
    assert (ran.status, ran.out) == (0, FIXED)
    assert "1 fixed" in ran.err
    assert not Path("k.py").exists()


def test_only_what_is_selected_is_fixed() -> None:
    path = write("k.py", FIXABLE.encode())
    assert pto_lint("k.py", "--fix", "--ignore", "PTO002").status == 0
    assert path.read_bytes() == FIXABLE.encode()
