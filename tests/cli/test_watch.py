from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from pto_lsp.cli.arguments import parse
from pto_lsp.cli.watch import watch


def edits(*actions: Callable[[], object]) -> Callable[[], bool]:
    """A `wait` that does one edit each time and ends the watch after the last."""
    waiting: Iterator[Callable[[], object]] = iter(actions)

    def wait() -> bool:
        action = next(waiting, None)
        if action is None:
            return False
        action()
        return True

    return wait


def test_runs_again_when_a_file_appears_changes_or_goes() -> None:
    path = Path("k.py")
    runs: list[list[str]] = []

    def run(arguments: object) -> int:
        del arguments
        runs.append(sorted(item.name for item in Path.cwd().glob("*.py")))
        return len(runs)

    wait = edits(
        lambda: None,
        lambda: path.write_text("x = 1\n", encoding="utf-8"),
        lambda: path.write_text("x = 12\n", encoding="utf-8"),
        lambda: None,
        path.unlink,
    )
    assert watch(parse(["check", "--watch"]), run, wait) == 4
    assert runs == [[], ["k.py"], ["k.py"], []]


def test_runs_again_when_the_configuration_changes() -> None:
    runs: list[int] = []

    def run(arguments: object) -> int:
        del arguments
        runs.append(1)
        return 0

    wait = edits(lambda: Path("pto-lint.toml").write_text('ignore = ["PTO003"]\n', encoding="utf-8"))
    watch(parse(["check", "--watch"]), run, wait)
    assert len(runs) == 2
