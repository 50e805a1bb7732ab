"""A rule that raises is told once, with its traceback, and takes nothing else down."""

from __future__ import annotations

import asyncio
import logging

import pytest
from attrs import evolve

from pto_analysis.rules import registry
from pto_analysis.rules.rule import Rule
from pto_analysis.toolchain import Toolchain
from pto_lsp.server.analyses import Analyses
from pto_lsp.server.documents import Document, Documents
from tests.server import kernels


def _raises(_: object) -> list[object]:
    raise ValueError("this rule is broken")


async def test_a_rule_that_raises(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    import pto_analysis.check as check

    rules: dict[str, Rule] = dict(registry.all_rules())
    rules["PTO104"] = evolve(rules["PTO104"], check=_raises)

    def broken_rules(_: Toolchain) -> tuple[Rule, ...]:
        return tuple(rules.values())

    monkeypatch.setattr(check, "rules_on", broken_rules)
    documents = Documents()
    analyses = Analyses(documents)
    try:
        with caplog.at_level(logging.ERROR):
            for version in range(3):
                text = kernels.COPIED.replace("pl.mul(", "pl.mull(") + "\n" * version
                document = Document("file:///x.py", "/nowhere/x.py", version, text)
                documents.open(document)
                found = (await analyses.of(document)).report.findings
                assert "PTO003" in [finding.code for finding in found]
        told = [record for record in caplog.records if "this rule is broken" in record.message]
        assert len(told) == 1
        assert "Traceback" in told[0].message
    finally:
        analyses.close()


async def test_work_is_given_up_when_the_server_closes() -> None:
    documents = Documents()
    analyses = Analyses(documents)
    text = "".join(kernels.MISSPELT.replace("class K", f"class K{number}") for number in range(500))
    document = Document("file:///x.py", "/nowhere/x.py", 1, text)
    documents.open(document)
    working = asyncio.ensure_future(analyses.of(document))
    await asyncio.sleep(0.05)
    analyses.close()
    with pytest.raises(asyncio.CancelledError):
        await working
