"""Bad input gets a clear message, the right exit status, and nothing else suffers from it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pto_analysis.rules.rule import Rule
from pto_analysis.toolchain import Toolchain
from tests.cli.kernels import CLEAN, WARNING
from tests.support.cli import pto_lint

JSON = ("--output-format", "json")


def write(name: str, data: bytes | str) -> Path:
    path = Path(name)
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return path


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"import pypto\nx = '\xff'\n", "k.py: not UTF-8: byte 0xff on line 2"),
        (b"\xff\xfei\x00m\x00", "k.py: not UTF-8: byte 0xff on line 1"),
        (b"import pypto\n" + b"#" * 20_000_000, "k.py: 20.0 MB; files over 10 MB are not checked"),
    ],
)
def test_a_file_that_cannot_be_read_is_named_and_the_others_are_checked(data: bytes, message: str) -> None:
    write("k.py", data)
    write("other.py", WARNING)
    ran = pto_lint(".", *JSON)
    assert ran.status == 2
    assert ran.err == f"pto-lint: error: {message}\n"
    assert ran.codes == ["PTO003"]


def test_a_missing_file() -> None:
    ran = pto_lint("none.py")
    assert (ran.status, ran.err) == (2, "pto-lint: error: none.py: no such file or directory\n")


def test_a_file_without_permission(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(path))

    write("k.py", CLEAN)
    monkeypatch.setattr(Path, "read_bytes", refuse)
    ran = pto_lint("k.py", "--no-cache")
    assert (ran.status, ran.err) == (2, "pto-lint: error: k.py: permission denied\n")


def test_nobody_waits_for_a_pipe() -> None:
    os.mkfifo("pipe.py")
    write("k.py", CLEAN.replace("import pypto.language as pl\n", "import pypto.language as pl\nfrom pipe import N\n"))
    for _ in range(2):  # the second run looks into the cache
        ran = pto_lint("k.py")
        assert (ran.status, ran.err) == (0, "")
    assert pto_lint(".").err == "pto-lint: error: pipe.py: not a regular file\n"


def test_a_link_to_nothing() -> None:
    os.symlink("nowhere", "k.py")
    ran = pto_lint("k.py")
    assert (ran.status, ran.err) == (2, "pto-lint: error: k.py: no such file or directory\n")


def test_a_loop_of_links_is_walked_once() -> None:
    write("k.py", WARNING)
    os.symlink(".", "again")
    assert pto_lint(".", *JSON).codes == ["PTO003"]


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("import pypto\nx = (\n", 2, 5),
        ("import pypto\ndef f():\n    return 1 +\n", 3, 15),
        ("import pypto\nif x:\ny = 1\n", 2, 1),
        ("import pypto\nx = 1\n    y = 2\n", 3, 5),
        ("import pypto\ns = '''abc\n", 2, 5),
        ("import pypto\nx = " + "(" * 5000 + ")" * 5000 + "\n", 2, 205),
        ("import pypto\nx = " + "[" * 5000 + "\n", 2, 205),
        ("import pypto\nx = " + "-" * 30_000 + "1\n", 2, None),
        ("import pypto\nx = " + " + ".join("1" * 20_000) + "\n", 2, None),
    ],
)
def test_what_does_not_parse_is_a_finding_with_its_place(text: str, line: int, column: int | None) -> None:
    write("k.py", text)
    ran = pto_lint("k.py", *JSON)
    assert ran.status == 1
    assert ran.err == ""
    first = ran.json["diagnostics"][0]
    assert (first["code"], first["severity"], first["line"]) == ("PTO001", "error", line)
    assert column is None or first["column"] == column


def test_a_broken_statement_does_not_silence_the_other_kernels() -> None:
    broken = CLEAN.replace("pl.exp(t)", "pl.exp(t").replace("class K", "class Broken")
    write("k.py", broken + WARNING.replace("import pypto.language as pl\n", ""))
    assert pto_lint("k.py", *JSON).codes == ["PTO001", "PTO003"]


@pytest.mark.parametrize("text", ["", "\n", "\ufeff", "\x00import pypto\n", "import pypto\x0c\n", "pypto" + "\\" * 9])
def test_odd_files_do_no_harm(text: str) -> None:
    write("k.py", text)
    assert pto_lint("k.py").status in (0, 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--select", "PTO20l"), "command line: `select`: unknown rule `PTO20l` (did you mean `PTO20"),
        (("--ignore", "unknown-operatio"), "(did you mean `unknown-operation`?)"),
        (("--per-file-ignores", "a.py"), "--per-file-ignores: `a.py` is not of the form LEFT:RIGHT"),
        (("--severity", "PTO001=fatal"), "one of error, warning, info, hint is needed here, not 'fatal'"),
        (("--toolchain", "pypto=2026"), "`2026` is not a full date (YYYY-MM-DD), which pypto= needs"),
        (("--toolchain", "cann=8"), "`cann=8` is not `pypto=YYYY-MM-DD` or `ptoas=X.Y`"),
        (("--target", "a4"), "invalid choice: 'a4'"),
        (("--jobs", "0"), "a number of processes from 1 up is needed, not `0`"),
        (("--selct", "PTO001"), "unrecognized arguments: --selct"),
        (("--config", "none.toml"), "none.toml: No such file or directory"),
        (("--config", "empty.toml"), "empty.toml has no [tool.pto-lint]"),
    ],
)
def test_wrong_usage(arguments: tuple[str, ...], message: str) -> None:
    write("k.py", CLEAN)
    write("pyproject.toml", "")
    arguments = tuple("pyproject.toml" if item == "empty.toml" else item for item in arguments)
    ran = pto_lint("check", "k.py", *arguments)
    assert (ran.status, ran.out) == (2, "")
    assert message.replace("empty.toml", "pyproject.toml") in ran.err


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("pyproject.toml", "[tool.pto-lint\n", "pyproject.toml: broken TOML: "),
        ("pyproject.toml", "[tool.pto-lint]\nselekt = []\n", "unknown key `selekt` (did you mean `select`?)"),
        ("pto-lint.toml", 'select = ["PT0001"]\n', "`select`: unknown rule `PT0001`"),
        ("pto-lint.toml", "[rules.PTO001]\ndepth = 3\n", "`rules`: PTO001 has no option `depth`"),
    ],
)
def test_a_broken_configuration(name: str, text: str, message: str) -> None:
    Path("pto-lint.toml").unlink()
    write(name, text)
    write("k.py", CLEAN)
    ran = pto_lint("check", "k.py")
    assert (ran.status, ran.out) == (2, "")
    assert message in ran.err
    assert pto_lint("check", "k.py", "--isolated").status == 0


def test_a_rule_that_raises_is_reported_once_and_takes_nothing_down(monkeypatch: pytest.MonkeyPatch) -> None:
    from attrs import evolve

    from pto_analysis.rules.registry import all_rules

    def explode(kernel: object) -> list[object]:
        raise RuntimeError(f"boom\nin {type(kernel).__name__}")

    rules = dict(all_rules())
    rules["PTO004"] = evolve(rules["PTO004"], check=explode)  # type: ignore[arg-type]

    def broken_rules(_: Toolchain) -> tuple[Rule, ...]:
        return tuple(rules.values())

    monkeypatch.setattr("pto_analysis.check.rules_on", broken_rules)
    write("a.py", WARNING)
    write("b.py", WARNING)
    ran = pto_lint(".", "--no-cache", *JSON)
    assert ran.status == 2
    assert ran.codes == ["PTO003", "PTO003"]
    assert ran.err == (
        "pto-lint: error: a.py: internal error in PTO004 on K.kernel: RuntimeError: boom (and 1 more like it)\n"
    )
    assert "Traceback" in pto_lint(".", "--no-cache", "--verbose").err
