from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.kernels import BROKEN, CLEAN, ERROR, FIXABLE, HINT, WARNING
from tests.support.cli import pto_lint

JSON = ("--output-format", "json")


def write(name: str, text: str) -> Path:
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "arguments", "status"),
    [
        (CLEAN, (), 0),
        (WARNING, (), 1),
        (ERROR, (), 1),
        (BROKEN, (), 1),
        (HINT, (), 0),
        (HINT, ("--fail-level", "hint"), 1),
        (HINT, ("--select", "PTO104"), 0),
        (WARNING, ("--fail-level", "error"), 0),
        (ERROR, ("--fail-level", "error"), 1),
        (ERROR, ("--exit-zero",), 0),
        (ERROR, ("--ignore", "PTO309"), 0),
        (ERROR, ("--min-severity", "error"), 1),
        (WARNING, ("--min-severity", "error"), 1),
        (WARNING, ("--severity", "PTO003=hint"), 0),
        (HINT, ("--severity", "PTO104=error"), 1),
        (ERROR, ("--per-file-ignores", "k.py:PTO309"), 0),
        (ERROR, ("--per-file-ignores", "other.py:PTO309"), 1),
    ],
)
def test_exit_status(text: str, arguments: tuple[str, ...], status: int) -> None:
    write("k.py", text)
    assert pto_lint("check", "k.py", *arguments).status == status


def test_check_is_the_default_command_and_the_folder_the_default_path() -> None:
    write("a/k.py", WARNING)
    assert pto_lint("a/k.py", *JSON).codes == ["PTO003"]
    assert pto_lint(*JSON).codes == ["PTO003"]
    assert pto_lint("check", ".", *JSON).codes == ["PTO003"]


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        ((), []),
        (("--min-severity", "hint"), ["PTO104"]),
        (("--min-severity", "info"), []),
        (("--select", "PTO104"), ["PTO104"]),
        (("--extend-select", "PTO104"), ["PTO104"]),
        (("--select", "PTO1"), []),
        (("--fail-level", "hint"), ["PTO104"]),
    ],
)
def test_hints_are_shown_when_asked_for(arguments: tuple[str, ...], shown: list[str]) -> None:
    write("k.py", HINT)
    assert pto_lint("k.py", *JSON, *arguments).codes == shown


def test_what_is_not_shown_is_counted() -> None:
    write("k.py", HINT)
    assert "Not shown: 1 hint (see --min-severity)." in pto_lint("k.py").out


def test_the_json_report_is_the_contracts() -> None:
    write("k.py", FIXABLE)
    report = pto_lint("k.py", *JSON).json
    assert set(report) == {"schema", "diagnostics", "statistics"}
    assert report["schema"] == "pto-check/1"
    assert report["statistics"] is None
    (diagnostic,) = report["diagnostics"]
    assert list(diagnostic) == [
        "code", "name", "severity", "message", "path", "line", "column", "end_line", "end_column", "function", "url",
        "related", "fix", "data",
    ]  # fmt: skip
    assert (diagnostic["code"], diagnostic["name"]) == ("PTO002", "unused-suppression")
    assert (diagnostic["path"], diagnostic["line"], diagnostic["severity"]) == ("k.py", 8, "warning")
    assert diagnostic["fix"] == {
        "title": "Remove it",
        "applicability": "safe",
        "edits": [{"path": "k.py", "line": 8, "column": 41, "end_line": 8, "end_column": 64, "text": ""}],
    }


def test_paths_outside_of_the_working_folder_are_absolute(tmp_path: Path) -> None:
    outside = write(str(tmp_path / "k.py"), WARNING)
    (diagnostic,) = pto_lint(outside, *JSON).json["diagnostics"]
    assert diagnostic["path"] == outside.as_posix()


def test_standard_input() -> None:
    ran = pto_lint("check", "-", "--stdin-filename", "a/k.py", *JSON, stdin=WARNING.encode())
    assert ran.status == 1
    assert [item["path"] for item in ran.json["diagnostics"]] == ["a/k.py"]


def test_standard_input_takes_constants_from_beside_its_name() -> None:
    write("a/sizes.py", "N = 64\n")
    text = CLEAN.replace("import pypto", "from sizes import N\nimport pypto").replace("[64, 64])\n", "[N, M])\n")
    ran = pto_lint("-", "--stdin-filename", "a/k.py", *JSON, stdin=text.encode())
    assert [item["message"] for item in ran.json["diagnostics"]] == ["`M` is not defined here"]


def test_standard_input_stands_alone() -> None:
    assert pto_lint("-", "k.py").status == 2


@pytest.mark.parametrize("command", [("check", "k.py"), ("check", "k.py", "--isolated")])
def test_the_configuration_decides_unless_isolated(command: tuple[str, ...]) -> None:
    write("pto-lint.toml", 'ignore = ["PTO003"]\n')
    write("k.py", WARNING)
    assert pto_lint(*command).status == ("--isolated" in command)


def test_each_file_has_the_configuration_nearest_to_it() -> None:
    write("a/k.py", WARNING)
    write("b/k.py", WARNING)
    write("b/pyproject.toml", '[tool.pto-lint]\nignore = ["unknown-operation"]\n')
    assert [item["path"] for item in pto_lint(*JSON).json["diagnostics"]] == ["a/k.py"]


def test_the_command_line_wins_over_the_configuration() -> None:
    write("pto-lint.toml", 'select = ["PTO001"]\n')
    write("k.py", WARNING)
    assert pto_lint("k.py", *JSON).codes == []
    assert pto_lint("k.py", *JSON, "--select", "PTO003").codes == ["PTO003"]


def test_a_configuration_named_on_the_command_line_holds_for_every_file() -> None:
    write("other.toml", 'ignore = ["PTO003"]\n')
    write("a/k.py", WARNING)
    assert pto_lint("a", "--config", "other.toml").status == 0


def test_target_and_toolchain_reach_the_rules() -> None:
    write("k.py", HINT)
    for arguments in (("--target", "a5"), ("--toolchain", "pypto=2026-08-21,ptoas=0.66")):
        assert pto_lint("k.py", "--min-severity", "hint", *JSON, *arguments).codes == ["PTO104"]


def test_output_goes_to_a_file_when_asked() -> None:
    write("k.py", WARNING)
    ran = pto_lint("k.py", *JSON, "-o", "report.json")
    assert (ran.status, ran.out) == (1, "")
    assert json.loads(Path("report.json").read_text(encoding="utf-8"))["schema"] == "pto-check/1"
    assert pto_lint("k.py", "-o", "missing/report.json").status == 2


def test_statistics_count_findings_and_what_was_not_understood() -> None:
    write("k.py", WARNING)
    write("clean.py", CLEAN)
    counted = pto_lint(*JSON, "--statistics").json["statistics"]
    assert (counted["files"], counted["kernels"], counted["rules"]) == (2, 2, {"PTO003": 1})
    assert (counted["regions"], counted["understood"]) == (2, 1)
    assert counted["unknown"][0]["path"] == "k.py"
    assert counted["unknown"][0]["line"] == 9


def test_quiet_leaves_the_closing_lines_out() -> None:
    write("k.py", CLEAN)
    assert pto_lint("k.py", "--quiet").out == ""
    assert pto_lint("k.py").out == "All checks passed: 1 file.\n"


def test_files_that_do_not_mention_the_dsl_are_passed_over() -> None:
    write("plain.py", "def f(:\n")
    assert pto_lint("plain.py").status == 0


def test_colour_only_when_asked_for() -> None:
    write("k.py", WARNING)
    assert "\x1b[" not in pto_lint("k.py").out
    assert "\x1b[" in pto_lint("k.py", "--color", "always").out
