from __future__ import annotations

from pathlib import Path

import pytest

from pto_lsp.workspace import batch
from tests.cli.kernels import CLEAN, ERROR, FIXABLE, HINT, WARNING
from tests.support.cli import pto_lint


def test_the_output_is_the_same_whatever_the_number_of_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batch, "POOL_FROM", 0)
    for number in range(12):
        text = (CLEAN, ERROR, FIXABLE, HINT, WARNING)[number % 5]
        Path(f"k{number}.py").write_text(text * (1 + number % 3), encoding="utf-8")
    arguments = (".", "--no-cache", "--output-format", "json", "--min-severity", "hint", "--statistics")
    alone = pto_lint(*arguments, "--jobs", "1")
    assert alone.status == 1
    assert pto_lint(*arguments, "--jobs", "2") == alone
    assert pto_lint(*arguments, "--jobs", "5") == alone
