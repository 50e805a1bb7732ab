"""What is written beside the code agrees with it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pto_analysis.rules.registry import all_rules
from pto_lsp import __version__
from pto_lsp.cli.arguments import parse
from pto_lsp.config.keys import KEYS
from pto_lsp.output.rule_docs import pages

ROOT = Path(__file__).resolve().parents[2]


def test_the_rule_pages_are_fresh() -> None:
    """`make docs` writes them."""
    folder = ROOT / "docs" / "rules"
    assert {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.md")} == pages()


def markdown() -> list[Path]:
    return sorted((*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")))


@pytest.mark.parametrize("path", markdown(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_between_pages_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\((?!https?://|#)([^)#\s]+)", path.read_text(encoding="utf-8")):
        assert (path.parent / target).exists(), target


def test_the_readme_names_every_configuration_key() -> None:
    text = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    assert [key for key in KEYS if f"`{key}`" not in text] == []


def test_rules_named_in_the_pages_exist() -> None:
    for path in markdown():
        named = set(re.findall(r"\bPTO\d{3}\b", path.read_text(encoding="utf-8")))
        assert named <= set(all_rules()) | {"PTO999"}, path


def test_commands_in_the_readme_can_be_parsed() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    commands = re.findall(r"^(?:\$ )?pto-lint ([^#\n]*)", text, re.MULTILINE)
    assert commands
    for command in commands:
        parse(command.split())


def test_there_is_one_version() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", __version__)
    assert 'dynamic = ["version"]' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")


def test_no_path_of_a_developers_machine_is_left() -> None:
    guilty = [
        path.relative_to(ROOT).as_posix()
        for folder in ("analysis", "pto_lsp", "tests", "docs", "examples", "benchmarks")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in (".py", ".md", ".toml", ".sh", ".lua", ".ts")
        and "node_modules" not in path.parts
        and re.search(r"(?<![\w.])/" + r"(?:work|home/\w+|root)/", path.read_text(encoding="utf-8"))
    ]
    assert guilty == []
