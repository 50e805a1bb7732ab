"""PTO321 follows constants through the modules of the workspace, and says nothing where it cannot."""

from __future__ import annotations

import pytest

from pto_analysis.report import CheckOptions
from pto_lsp.workspace.incremental import Engine
from tests.support.checking import PATH, Texts, check_text

KERNEL = """\
import pypto.language as pl
from config import WIDE, Config

BLOCK = 64
{asserted}


@pl.jit
def copy(x: pl.Tensor[[16, 64], pl.FP32], y: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP):
        y[:] = pl.mul(x, 2.0)
    return y
"""

CONFIG = """\
from dataclasses import dataclass

WIDE = 200


@dataclass
class Config:
    heads: int = 6
"""


@pytest.mark.parametrize(
    ("asserted", "told"),
    [
        ("assert WIDE % BLOCK == 0", "this assertion does not hold: WIDE is 200 and BLOCK is 64"),
        ("assert WIDE >= BLOCK and Config().heads == 8", "this assertion does not hold: WIDE is 200 and BLOCK is 64"),
        ("assert Config().heads in (4, 8), 'heads'", "this assertion does not hold"),
        ("assert WIDE % 8 == 0", None),
        ("assert WIDE % STEP == 0", None),
        ("assert pl.dynamic('n') == 3", None),
        ("BLOCK = 63\nassert BLOCK == 64", None),
        ("if WIDE > 500:\n    assert BLOCK == 63", None),
        ("def check():\n    assert BLOCK == 63", None),
    ],
)
def test_what_is_said_of_an_assertion(asserted: str, told: str | None) -> None:
    report = check_text(KERNEL.format(asserted=asserted), others={"config.py": CONFIG})
    assert [each.message for each in report.findings if each.code == "PTO321"] == ([] if told is None else [told])
    assert report.analysis.errors == ()


def analysed(engine: Engine, kernel: str, config: str) -> list[tuple[int, str]]:
    """What the engine that remembers says of assertions: their lines and messages."""
    texts = Texts({PATH: kernel, "/project/config.py": config})
    findings = engine.analyze(PATH, kernel, texts, CheckOptions(), lambda: False).findings
    return [(each.span.line, each.message) for each in findings if each.code == "PTO321"]


def test_what_is_remembered_follows_the_constants_and_the_lines() -> None:
    engine, kernel = Engine(), KERNEL.format(asserted="assert WIDE % BLOCK == 0")
    told = (4, "this assertion does not hold: WIDE is 200 and BLOCK is 64")
    assert analysed(engine, kernel, CONFIG) == [told]
    assert analysed(engine, kernel, CONFIG.replace("200", "256")) == []
    assert analysed(engine, kernel, CONFIG) == [told]
    assert analysed(engine, kernel.replace("pl.mul", "pl.add"), CONFIG) == [told]
    assert analysed(engine, "\n\n" + kernel, CONFIG) == [(6, told[1])]
    called = "def steps():\n    return COUNT\n\n\n" + kernel.replace("% BLOCK", "// BLOCK - steps()")
    assert analysed(engine, called.replace("COUNT", "2"), CONFIG) == [(8, told[1])]
    assert analysed(engine, called.replace("COUNT", "3"), CONFIG) == []
