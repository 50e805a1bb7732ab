"""`pto-lint rule`: what a rule does and why."""

from __future__ import annotations

from argparse import Namespace

from pto_analysis.rules.registry import all_rules
from pto_analysis.rules.rule import Rule
from pto_analysis.rules.selection import UnknownRuleError, expand
from pto_lsp.cli.arguments import UsageError
from pto_lsp.cli.console import Console
from pto_lsp.output import rule_docs
from pto_lsp.output.as_json import dump
from pto_lsp.output.style import Style


def run(arguments: Namespace) -> int:
    console = Console(arguments)
    rules = _chosen(arguments.code, everything=arguments.all)
    one = arguments.code is not None and not arguments.all and len(rules) == 1
    console.write(_render(rules, arguments.output_format, console.style, one=one))
    return 0


def _chosen(selector: str | None, *, everything: bool) -> list[Rule]:
    if selector is None or everything:
        return list(all_rules().values())
    try:
        return [all_rules()[code] for code in expand(selector)]
    except UnknownRuleError as error:
        raise UsageError(str(error)) from None


def _render(rules: list[Rule], output_format: str, style: Style, *, one: bool) -> str:
    if output_format == "json":
        return dump(rule_docs.as_json(rules[0]) if one else [rule_docs.as_json(rule) for rule in rules])
    if output_format == "markdown":
        return "\n".join(rule_docs.page(rule) for rule in rules)
    if one:
        return rule_docs.text(rules[0], style)
    rows = [f"{style.severity(rule.code, rule.severity)}  {rule.name:<36} {rule.summary}" for rule in rules]
    return "".join(f"{row}\n" for row in rows)
