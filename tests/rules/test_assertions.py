"""PTO321 follows constants through the modules of the workspace, and says nothing where it cannot."""

from __future__ import annotations

import pytest

from tests.support.checking import check_text

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
