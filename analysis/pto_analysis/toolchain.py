"""Which compiler, assembler and chip the kernels are meant for: it decides which findings bite."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Literal, TypeVar, Union, get_args

from attrs import evolve, frozen

Target = Literal["a2a3", "a5"]

TARGETS: tuple[Target, ...] = get_args(Target)


@frozen(order=True)
class Newest:
    """The newest release there is: later than every date and version."""

    def __str__(self) -> str:
        return "newest"


NEWEST = Newest()

CompilerVersion = Union[date, Newest]
AssemblerVersion = Union[tuple[int, ...], Newest]


class ToolchainError(ValueError):
    """The text of a `--toolchain` option does not name a toolchain; the message says why."""


@frozen
class Toolchain:
    """`pypto` is the compiler's date, `ptoas` the assembler's version; both default to the newest."""

    target: Target = "a2a3"
    pypto: CompilerVersion = NEWEST
    ptoas: AssemblerVersion = NEWEST

    def __str__(self) -> str:
        ptoas = "newest" if isinstance(self.ptoas, Newest) else ".".join(map(str, self.ptoas))
        return f"{self.target},pypto={self.pypto},ptoas={ptoas}"


@frozen
class Bites:
    """The toolchains a rule applies to: from `since` on (inclusive), up to `until` (exclusive), on `targets`."""

    pypto_since: date | None = None
    pypto_until: date | None = None
    ptoas_since: tuple[int, ...] | None = None
    ptoas_until: tuple[int, ...] | None = None
    targets: tuple[Target, ...] = TARGETS

    def on(self, toolchain: Toolchain) -> bool:
        return (
            toolchain.target in self.targets
            and _within(toolchain.pypto, self.pypto_since, self.pypto_until)
            and _within(toolchain.ptoas, self.ptoas_since, self.ptoas_until)
        )

    @property
    def latest(self) -> Toolchain:
        """The newest toolchain that the rule applies to, a day or a minor version before `until`."""
        pypto = NEWEST if self.pypto_until is None else self.pypto_until - timedelta(days=1)
        ptoas = NEWEST if self.ptoas_until is None else (*self.ptoas_until[:-1], max(self.ptoas_until[-1] - 1, 0))
        return Toolchain(self.targets[0], pypto, ptoas)


_Version = TypeVar("_Version", date, tuple[int, ...])


def _within(version: _Version | Newest, since: _Version | None, until: _Version | None) -> bool:
    if isinstance(version, Newest):
        return until is None
    return (since is None or version >= since) and (until is None or version < until)


def parse_toolchain(text: str, base: Toolchain) -> Toolchain:
    """`pypto=2026-08-21,ptoas=0.66` over `base`; either part may be missing or "newest".

    Errors: ToolchainError for anything else.
    """
    result = base
    for part in filter(None, (item.strip() for item in text.split(","))):
        name, equals, value = (field.strip() for field in part.partition("="))
        if not equals or name not in ("pypto", "ptoas"):
            raise ToolchainError(f"`{part}` is not `pypto=YYYY-MM-DD` or `ptoas=X.Y`")
        if name == "pypto":
            result = evolve(result, pypto=_parse_date(value))
        else:
            result = evolve(result, ptoas=_parse_version(value))
    return result


def _parse_date(text: str) -> CompilerVersion:
    if text == "newest":
        return NEWEST
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ToolchainError(f"`{text}` is not a full date (YYYY-MM-DD), which pypto= needs") from None


def _parse_version(text: str) -> AssemblerVersion:
    if text == "newest":
        return NEWEST
    if not re.fullmatch(r"v?\d+(\.\d+)*", text):
        raise ToolchainError(f"`{text}` is not a version (X.Y), which ptoas= needs")
    return tuple(int(number) for number in text.removeprefix("v").split("."))
