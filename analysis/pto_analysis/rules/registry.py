"""All rules, found by their files: every `rules/pto<number>.py` defines one `RULE`."""

from __future__ import annotations

import pkgutil
import re
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib import import_module

import pto_analysis.rules as package
from pto_analysis.rules.rule import Rule
from pto_analysis.toolchain import Toolchain

_RULE_FILE = re.compile(r"pto\d{3}")


@cache
def all_rules() -> Mapping[str, Rule]:
    """Every rule by its code, in the order of codes."""
    names = sorted(
        module.name for module in pkgutil.iter_modules(package.__path__) if _RULE_FILE.fullmatch(module.name)
    )
    rules = [_load(name) for name in names]
    return {rule.code: rule for rule in rules}


def _load(name: str) -> Rule:
    rule: Rule = import_module(f"{package.__name__}.{name}").RULE
    if rule.code.lower() != name:
        raise ImportError(f"{name}.py defines the rule {rule.code}")
    return rule


@lru_cache(maxsize=8)
def rules_on(toolchain: Toolchain) -> tuple[Rule, ...]:
    """The rules that bite with a toolchain, in order of their codes."""
    return tuple(rule for rule in all_rules().values() if rule.bites.on(toolchain))
