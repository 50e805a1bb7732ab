from __future__ import annotations

from pathlib import Path

import pytest

from pto_analysis.findings import Severity
from pto_lsp.config.files import ConfigFinder, read_config
from pto_lsp.config.keys import read_table
from pto_lsp.config.settings import ConfigError, Settings


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_every_key_is_read(tmp_path: Path) -> None:
    path = write(
        tmp_path / "pto-lint.toml",
        """
select = ["PTO0", "PTO1"]
ignore = "PTO002,PTO003"
extend-select = ["unknown-operation"]
extend-ignore = []
target = "a5"
toolchain = "pypto=2026-08-21,ptoas=0.66"
exclude = ["generated/*"]
min-severity = "hint"
fail-level = "error"
[per-file-ignores]
"tests/*" = ["PTO004"]
[severity]
PTO004 = "error"
""",
    )
    settings = read_config(path)
    assert settings is not None
    selection = settings.selection
    assert selection.select == ("PTO0", "PTO1")
    assert selection.ignore == ("PTO002", "PTO003")
    assert selection.extend_select == ("unknown-operation",)
    assert selection.extend_ignore == ()
    assert selection.per_file_ignores == (("tests/*", ("PTO004",)),)
    assert selection.severities == (("PTO004", Severity.ERROR),)
    assert settings.toolchain.target == "a5"
    assert str(settings.toolchain) == "a5,pypto=2026-08-21,ptoas=0.66"
    assert settings.exclude == ("generated/*",)
    assert (settings.min_severity, settings.fail_level) == (Severity.HINT, Severity.ERROR)
    assert settings.root == tmp_path


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"selct": []}, "unknown key `selct` (did you mean `select`?)"),
        ({"select": ["PTO00O"]}, "`select`: unknown rule `PTO00O` (did you mean `PTO004`?)"),
        ({"select": 3}, "`select`: a list of strings is needed here"),
        ({"select": [3]}, "`select`: a list of strings is needed here"),
        ({"target": "a3"}, "`target`: one of a2a3, a5 is needed here, not 'a3'"),
        ({"toolchain": "pypto=yesterday"}, "`toolchain`: `yesterday` is not a full date"),
        ({"toolchain": 3}, "`toolchain`: text like"),
        ({"min-severity": "note"}, "`min-severity`: one of error, warning, info, hint is needed here, not 'note'"),
        ({"severity": {"PTO0": "error"}}, "`severity`: `PTO0` is a group of rules"),
        ({"severity": []}, "`severity`: a table is needed here"),
        ({"per-file-ignores": {"*": ["X1"]}}, "`per-file-ignores`: unknown rule `X1`"),
        ({"rules": {"PTO004": {"x": 1}}}, "`rules`: PTO004 has no option `x`"),
    ],
)
def test_wrong_values_name_the_key_and_what_would_be_right(
    tmp_path: Path, table: dict[str, object], message: str
) -> None:
    with pytest.raises(ConfigError) as error:
        read_table(Settings(tmp_path), table, "here")
    assert str(error.value).startswith("here: ")
    assert message in str(error.value)


def test_the_nearest_file_wins_whole(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", '[tool.pto-lint]\nselect = ["PTO0"]\nfail-level = "error"\n')
    write(tmp_path / "a" / "pto-lint.toml", 'ignore = ["PTO002"]\n')
    (tmp_path / "a" / "b").mkdir()
    finder = ConfigFinder()
    inner = finder.nearest(tmp_path / "a" / "b")
    assert inner is not None
    assert inner.source == tmp_path / "a" / "pto-lint.toml"
    assert inner.selection.select is None
    assert inner.fail_level is Severity.WARNING


def test_a_pyproject_without_our_table_is_passed_over(tmp_path: Path) -> None:
    write(tmp_path / "pto-lint.toml", 'target = "a5"\n')
    write(tmp_path / "a" / "pyproject.toml", "[tool.ruff]\nline-length = 100\n")
    found = ConfigFinder().nearest(tmp_path / "a")
    assert found is not None
    assert found.source == tmp_path / "pto-lint.toml"


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("pyproject.toml", b"[tool.pto-lint\n", "broken TOML: "),
        ("pyproject.toml", b"tool = 3\n[tool]", "broken TOML: "),
        ("pyproject.toml", b"[tool]\npto-lint = 3\n", "[tool.pto-lint] is not a table"),
        ("pto-lint.toml", b'target = "\xff"\n', "not UTF-8"),
    ],
)
def test_unusable_files_are_errors_that_name_the_file(tmp_path: Path, name: str, data: bytes, message: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(ConfigError) as error:
        ConfigFinder().nearest(tmp_path)
    assert str(tmp_path / name) in str(error.value)
    assert message in str(error.value)


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="No such file"):
        read_config(tmp_path / "none.toml")
