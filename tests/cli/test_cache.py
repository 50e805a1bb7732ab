from __future__ import annotations

import json
from pathlib import Path

import pytest

from pto_lsp.workspace import batch
from tests.cli.kernels import CLEAN, ERROR, FIXABLE, HINT, WARNING
from tests.support.cli import pto_lint

JSON = ("--output-format", "json", "--cache-dir", "cache", "--min-severity", "hint", "--statistics")
SIZED = CLEAN.replace("import pypto", "from sizes import N\nimport pypto").replace("[64, 64])\n", "[N, 64])\n")

BARE = """\
import pypto.language as pl
@pl.jit.incore
def work(x: pl.Tensor, y: pl.Out[pl.Tensor[[64, 128], pl.FP32]]):
    return pl.store(pl.load(x, [0, 0], [64, 128]), [0, 0], y)
"""
DRIVER = "import torch\nfrom ops import work\nwork(torch.randn(64, 64), torch.empty(64, 128))\n"


@pytest.fixture
def analysed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that are analysed, not remembered."""
    seen: list[str] = []
    analyze = batch.analyze

    def spy(job: batch.Job, surroundings: batch.Surroundings) -> batch.Result:
        seen.append(Path(job.path).name)
        return analyze(job, surroundings)

    monkeypatch.setattr(batch, "analyze", spy)
    return seen


def write(name: str, text: str) -> None:
    Path(name).write_text(text, encoding="utf-8")


def test_a_second_run_analyses_nothing_and_says_the_same(analysed: list[str]) -> None:
    for number, text in enumerate((CLEAN, ERROR, FIXABLE, HINT, WARNING)):
        write(f"k{number}.py", text)
    first = pto_lint(".", *JSON)
    assert len(analysed) == 5
    second = pto_lint(".", *JSON)
    assert len(analysed) == 5
    assert second == first


def test_one_changed_file_is_analysed_alone(analysed: list[str]) -> None:
    write("a.py", CLEAN)
    write("b.py", CLEAN)
    pto_lint(".", *JSON)
    write("b.py", WARNING)
    assert pto_lint(".", *JSON).codes == ["PTO003"]
    assert analysed == ["a.py", "b.py", "b.py"]


def test_a_changed_constant_counts(analysed: list[str]) -> None:
    write("sizes.py", "N = 64\n")
    write("k.py", SIZED)
    assert pto_lint("k.py", *JSON).codes == []
    write("sizes.py", "N = 65\n")
    assert pto_lint("k.py", *JSON).codes == ["PTO303"]
    assert analysed == ["k.py", "k.py"]


def test_a_module_that_appears_counts(analysed: list[str]) -> None:
    write("k.py", SIZED)
    pto_lint("k.py", *JSON)
    write("sizes.py", "N = 64\n")
    pto_lint("k.py", *JSON)
    assert analysed == ["k.py", "k.py"]


def test_other_options_are_other_entries(analysed: list[str]) -> None:
    write("k.py", CLEAN)
    pto_lint("k.py", *JSON)
    pto_lint("k.py", *JSON, "--target", "a5")
    pto_lint("k.py", *JSON, "--select", "PTO0")
    assert analysed == ["k.py", "k.py"]


def test_no_cache_neither_reads_nor_writes(analysed: list[str]) -> None:
    write("k.py", CLEAN)
    pto_lint("k.py", *JSON, "--no-cache")
    assert not Path("cache").exists()
    pto_lint("k.py", *JSON)
    pto_lint("k.py", *JSON, "--no-cache")
    assert analysed == ["k.py"] * 3


@pytest.mark.parametrize(
    "damage", ["", "{", "[]", "null", '{"text": 3}', '{"text": "x", "needs": {}, "analysis": {}}', "\x00"]
)
def test_a_damaged_entry_counts_as_absent(analysed: list[str], damage: str) -> None:
    write("k.py", WARNING)
    first = pto_lint("k.py", *JSON)
    for entry in Path("cache").rglob("*.json"):
        entry.write_text(damage, encoding="utf-8")
    assert pto_lint("k.py", *JSON) == first
    assert analysed == ["k.py", "k.py"]


@pytest.mark.parametrize("key", ["findings", "suppressions", "unknown"])
def test_an_entry_of_the_wrong_shape_counts_as_absent(analysed: list[str], key: str) -> None:
    write("k.py", WARNING)
    first = pto_lint("k.py", *JSON)
    for entry in Path("cache").rglob("*.json"):
        body = json.loads(entry.read_text(encoding="utf-8"))
        body["analysis"][key] = [[1]]
        entry.write_text(json.dumps(body), encoding="utf-8")
    assert pto_lint("k.py", *JSON) == first
    assert analysed == ["k.py", "k.py"]


def test_a_cache_that_cannot_be_written_is_no_error() -> None:
    write("cache", "a file where the folder would be")
    write("k.py", WARNING)
    assert pto_lint("k.py", *JSON).codes == ["PTO003"]


def test_a_caller_that_appears_or_changes_counts(analysed: list[str]) -> None:
    write("ops.py", BARE)
    write("unrelated.py", CLEAN)
    assert pto_lint("ops.py", *JSON).codes == []
    write("main.py", DRIVER)
    assert pto_lint("ops.py", *JSON).codes == ["PTO303"]
    write("main.py", DRIVER.replace("64, 64", "64, 128"))
    assert pto_lint("ops.py", *JSON).codes == []
    assert analysed == ["ops.py"] * 3


def test_a_caller_through_a_package_that_appears_or_changes_counts(analysed: list[str]) -> None:
    Path("pack").mkdir()
    write("pack/ops.py", BARE)
    write("pack/__init__.py", "")
    assert pto_lint("pack/ops.py", *JSON).codes == []
    write("main.py", DRIVER.replace("from ops import work", "from pack import quick").replace("work(", "quick("))
    assert pto_lint("pack/ops.py", *JSON).codes == []
    write("pack/__init__.py", "from .ops import work as quick\n")
    assert pto_lint("pack/ops.py", *JSON).codes == ["PTO303"]
    write("main.py", Path("main.py").read_text().replace("64, 64", "64, 128"))
    assert pto_lint("pack/ops.py", *JSON).codes == []
    assert analysed == ["ops.py"] * 4


def test_files_that_cannot_be_callers_do_not_count(analysed: list[str]) -> None:
    write("ops.py", BARE)
    write("unrelated.py", CLEAN)
    pto_lint("ops.py", *JSON)
    write("unrelated.py", WARNING)
    pto_lint("ops.py", *JSON)
    assert analysed == ["ops.py"]
