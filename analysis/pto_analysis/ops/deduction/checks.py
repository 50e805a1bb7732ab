"""Named conditions of the op table. Each refuses the call or returns."""

from __future__ import annotations

from collections.abc import Callable

from pto_analysis.ops.deduction import call_checks, extent_checks
from pto_analysis.ops.deduction.dtype_sets import require_in_set
from pto_analysis.ops.deduction.rule_text import RuleText, parse_rule
from pto_analysis.ops.deduction.site import Site


def _is_tile(site: Site, rule: RuleText) -> None:
    for operand in rule.ints():
        site.tile(operand)


def _is_tensor(site: Site, rule: RuleText) -> None:
    for operand in rule.ints():
        site.tensor(operand)


def _is_plain_tensor(site: Site, rule: RuleText) -> None:
    for operand in rule.ints():
        site.plain_tensor(operand)


def _is_scalar(site: Site, rule: RuleText) -> None:
    for operand in rule.ints():
        site.scalar(operand)


def _optional_tile(site: Site, rule: RuleText) -> None:
    for operand in rule.ints():
        if site.has(operand):
            site.tile(operand)


def _is_int(site: Site, rule: RuleText) -> None:
    for operand in rule.ints():
        dtype = site.dtype(operand)
        if not dtype.is_int:
            site.refuse("dtype", f"operand {operand} must have an integer dtype, not {dtype}", operand)


def _dtype_in(site: Site, rule: RuleText) -> None:
    name = rule.words()[0]
    for operand in rule.ints():
        require_in_set(site, site.dtype(operand), name, operand)


def _same_dtype(site: Site, rule: RuleText) -> None:
    first, *others = rule.ints()
    for operand in others:
        if site.dtype(operand) != site.dtype(first):
            message = f"operands {first} and {operand} must agree in dtype: {site.dtype(first)}, {site.dtype(operand)}"
            site.refuse("dtype", message, operand)


_CHECKS: dict[str, Callable[[Site, RuleText], None]] = {
    "tile": _is_tile,
    "tensor": _is_tensor,
    "plain_tensor": _is_plain_tensor,
    "scalar": _is_scalar,
    "optional_tile": _optional_tile,
    "int": _is_int,
    "dtype_in": _dtype_in,
    "same_dtype": _same_dtype,
    **extent_checks.CHECKS,
    **call_checks.CHECKS,
}


def run_check(site: Site, text: str) -> None:
    """Evaluates one condition of the table."""
    rule = parse_rule(text)
    _CHECKS[rule.name](site, rule)


def known_checks() -> frozenset[str]:
    return frozenset(_CHECKS)
