"""Dtype rules: promotion and where the dtype of a result comes from (reference: DSL section f.2)."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

from pto_analysis.ir.dtypes import DTYPES, FP32, DType
from pto_analysis.ops.deduction.rule_text import RuleText, parse_rule
from pto_analysis.ops.deduction.site import Site


def promote(left: DType, right: DType) -> DType:
    """Same stays; a float beats any other; then the wider; at equal width a signed integer, else the first."""
    if left == right:
        return left
    if left.is_float != right.is_float:
        return left if left.is_float else right
    if left.bits != right.bits:
        return left if left.bits > right.bits else right
    for dtype in (left, right):
        if dtype.is_int and dtype.signed:
            return dtype
    return left


def _dtype_of(site: Site, rule: RuleText) -> DType:
    return site.dtype(rule.ints()[0])


def _promoted(site: Site, rule: RuleText) -> DType:
    return reduce(promote, (site.dtype(i) for i in rule.ints()))


def _float_of(site: Site, rule: RuleText) -> DType:
    """The operand's dtype when it is a float, else FP32."""
    dtype = site.dtype(rule.ints()[0])
    return dtype if dtype.is_float else FP32


def _of_attr(site: Site, rule: RuleText) -> DType:
    """`attr(k)` is attribute k; `attr(k, i)` falls back to operand i."""
    key = rule.words()[0]
    if rule.ints() and site.attr(key, DType) is None:
        return site.dtype(rule.ints()[0])
    return site.required_dtype(key)


_RULES: dict[str, Callable[[Site, RuleText], DType]] = {
    "dtype": _dtype_of,
    "promote": _promoted,
    "float_of": _float_of,
    "attr": _of_attr,
}


def result_dtype(site: Site, text: str) -> DType:
    """`dtype(i)`, `promote(i,j,…)`, `float_of(i)`, `attr(k)`, `attr(k,i)` or the name of a dtype."""
    fixed = DTYPES.get(text)
    if fixed is not None:
        return fixed
    rule = parse_rule(text)
    return _RULES[rule.name](site, rule)
