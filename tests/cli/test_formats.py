"""Golden output of every format, and what must hold whatever it looks like."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from syrupy.assertion import SnapshotAssertion

from pto_lsp import __version__
from tests.cli.kernels import BROKEN, CLEAN, FIXABLE, WARNING
from tests.support.cli import pto_lint

FORMATS = ("full", "concise", "json", "sarif", "github", "gitlab", "junit")


@pytest.fixture
def files(project: Path) -> Path:
    (project / "sub").mkdir()
    (project / "a.py").write_text(FIXABLE + WARNING.replace("import pypto.language as pl\n", ""), encoding="utf-8")
    (project / "sub" / "b.py").write_text(BROKEN.replace("K:", "漢字:"), encoding="utf-8")
    (project / "clean.py").write_text(CLEAN, encoding="utf-8")
    return project


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("output_format", FORMATS)
def test_output(output_format: str, snapshot: SnapshotAssertion) -> None:
    ran = pto_lint(".", "--output-format", output_format, "--statistics")
    assert ran.err == ""
    assert ran.out.replace(__version__, "VERSION") == snapshot


@pytest.mark.parametrize("output_format", FORMATS)
def test_nothing_found(output_format: str, snapshot: SnapshotAssertion) -> None:
    Path("clean.py").write_text(CLEAN, encoding="utf-8")
    ran = pto_lint(".", "--output-format", output_format)
    assert ran.status == 0
    assert ran.out.replace(__version__, "VERSION") == snapshot


@pytest.mark.usefixtures("files")
def test_colour(snapshot: SnapshotAssertion) -> None:
    assert pto_lint("a.py", "--color", "always").out == snapshot


@pytest.mark.usefixtures("files")
def test_sarif_has_a_rule_for_every_result() -> None:
    (run,) = json.loads(pto_lint(".", "--output-format", "sarif").out)["runs"]
    rules = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    assert {result["ruleId"] for result in run["results"]} == rules
    assert all(rule["helpUri"].endswith(f"/{rule['id']}.md") for rule in run["tool"]["driver"]["rules"])


@pytest.mark.usefixtures("files")
def test_gitlab_fingerprints_survive_a_move_and_are_unique() -> None:
    before = json.loads(pto_lint(".", "--output-format", "gitlab").out)
    path = Path("a.py")
    path.write_text("# a line more\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    after = json.loads(pto_lint(".", "--output-format", "gitlab").out)
    prints = [issue["fingerprint"] for issue in before]
    assert prints == [issue["fingerprint"] for issue in after]
    assert len(set(prints)) == len(prints)


@pytest.mark.usefixtures("files")
def test_junit_counts_its_cases() -> None:
    root = ElementTree.fromstring(pto_lint(".", "--output-format", "junit").out)
    assert root.attrib["tests"] == str(len(root.findall(".//failure")))


@pytest.mark.usefixtures("files")
def test_every_format_names_the_same_findings() -> None:
    found = [
        (item["code"], item["path"], item["line"])
        for item in pto_lint(".", "--output-format", "json").json["diagnostics"]
    ]
    concise = re.findall(r"^(\S+?):(\d+):\d+: (PTO\d+)", pto_lint(".", "--output-format", "concise").out, re.MULTILINE)
    assert [(code, path, int(line)) for path, line, code in concise] == found
    full = pto_lint(".").out
    assert re.findall(r"^(PTO\d+)", full, re.MULTILINE) == [code for code, _, _ in found]
