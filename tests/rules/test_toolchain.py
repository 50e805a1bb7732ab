from __future__ import annotations

from datetime import date

import pytest

from pto_analysis.toolchain import NEWEST, Bites, Toolchain, ToolchainError, parse_toolchain


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", Toolchain()),
        ("pypto=2026-08-21", Toolchain(pypto=date(2026, 8, 21))),
        ("ptoas=0.66", Toolchain(ptoas=(0, 66))),
        ("ptoas=v0.57.1", Toolchain(ptoas=(0, 57, 1))),
        ("pypto=2026-08-21, ptoas=0.66", Toolchain(pypto=date(2026, 8, 21), ptoas=(0, 66))),
        ("pypto=newest,ptoas=newest", Toolchain(pypto=NEWEST, ptoas=NEWEST)),
    ],
)
def test_parse(text: str, expected: Toolchain) -> None:
    assert parse_toolchain(text, Toolchain()) == expected


@pytest.mark.parametrize("text", ["pypto", "pypto=2026", "pypto=2026-13-01", "ptoas=x", "pyptoo=1", "=1", "pypto="])
def test_malformed_toolchains_are_errors(text: str) -> None:
    with pytest.raises(ToolchainError):
        parse_toolchain(text, Toolchain())


AUGUST, SEPTEMBER = date(2026, 8, 20), date(2026, 9, 7)


@pytest.mark.parametrize(
    ("bites", "toolchain", "expected"),
    [
        (Bites(), Toolchain(), True),
        (Bites(pypto_since=AUGUST), Toolchain(), True),
        (Bites(pypto_until=SEPTEMBER), Toolchain(), False),
        (Bites(pypto_since=AUGUST), Toolchain(pypto=AUGUST), True),
        (Bites(pypto_since=SEPTEMBER), Toolchain(pypto=AUGUST), False),
        (Bites(pypto_until=SEPTEMBER), Toolchain(pypto=AUGUST), True),
        (Bites(pypto_until=SEPTEMBER), Toolchain(pypto=SEPTEMBER), False),
        (Bites(ptoas_since=(0, 57)), Toolchain(ptoas=(0, 57, 1)), True),
        (Bites(ptoas_until=(0, 66)), Toolchain(ptoas=(0, 9)), True),
        (Bites(ptoas_until=(0, 66)), Toolchain(ptoas=(0, 66)), False),
        (Bites(targets=("a5",)), Toolchain(), False),
        (Bites(targets=("a5",)), Toolchain(target="a5"), True),
    ],
)
def test_which_toolchains_a_rule_bites_on(bites: Bites, toolchain: Toolchain, expected: bool) -> None:
    assert bites.on(toolchain) is expected


@pytest.mark.parametrize(
    "bites",
    [
        Bites(),
        Bites(targets=("a5",)),
        Bites(pypto_since=AUGUST, pypto_until=SEPTEMBER),
        Bites(ptoas_until=(0, 66)),
    ],
)
def test_the_latest_toolchain_of_a_rule_is_one_that_it_bites_on(bites: Bites) -> None:
    assert bites.on(bites.latest)
