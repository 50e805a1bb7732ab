"""A rule explained: as a page of docs/rules, as text for a terminal, as JSON.

Run as a module, `python -m pto_lsp.output.rule_docs docs/rules`, it writes every page and the index.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterable
from pathlib import Path

from pto_analysis.rules.marks import readable
from pto_analysis.rules.registry import all_rules
from pto_analysis.rules.reports import TOPICS, Report
from pto_analysis.rules.rule import GROUPS, Example, Rule
from pto_analysis.toolchain import TARGETS, Bites
from pto_lsp.output.as_json import Json
from pto_lsp.output.style import Style

_FIXES = {"never": "No fix.", "sometimes": "A fix is sometimes available.", "always": "A fix is always available."}


def page(rule: Rule) -> str:
    """One rule as Markdown."""
    parts = [f"# {rule.code}: {rule.name}", f"{rule.summary}.", _facts(rule)]
    parts += ["## What it does", rule.what, "## Why is this bad?", rule.why]
    parts += _examples("## Example", rule.bad) + _examples("## Not reported", rule.good)
    if rule.fix != "never":
        parts += ["## Fix", " ".join(filter(None, (_FIXES[rule.fix], rule.fix_note)))]
    if rule.options:
        rows = [f"* `{option.name}` (default `{option.default}`): {option.summary}" for option in rule.options]
        parts += ["## Options", f"In `[tool.pto-lint.rules.{rule.code}]`:", "\n".join(rows)]
    if rule.references:
        parts += ["## References", "\n".join(f"* [{item.label}]({item.url})" for item in rule.references)]
    return "\n\n".join(parts) + "\n"


def _facts(rule: Rule) -> str:
    default = "on" if rule.on_by_default else "off"
    return "\n".join(
        (
            "| | |",
            "| --- | --- |",
            f"| Severity | {rule.severity.value} |",
            f"| Default | {default} |",
            f"| Group | {rule.group.title} |",
            f"| Fix | {rule.fix} |",
            f"| Bites on | {bites_text(rule.bites)} |",
        )
    )


def bites_text(bites: Bites) -> str:
    """The toolchains of a rule in words."""
    words: list[str] = []
    if bites.targets != TARGETS:
        words.append(", ".join(bites.targets))
    words += _range("pypto", bites.pypto_since, bites.pypto_until)
    words += _range("ptoas", _version(bites.ptoas_since), _version(bites.ptoas_until))
    return "; ".join(words) or "every toolchain"


def _range(name: str, since: object | None, until: object | None) -> list[str]:
    if since is not None and until is not None:
        return [f"{name} from {since} until before {until}"]
    if since is not None:
        return [f"{name} from {since} on"]
    return [f"{name} before {until}"] if until is not None else []


def _version(version: tuple[int, ...] | None) -> str | None:
    return None if version is None else ".".join(map(str, version))


def _examples(title: str, examples: Iterable[Example]) -> list[str]:
    parts: list[str] = []
    for example in examples:
        parts += [title] if not parts else []
        parts += [f"{example.title[:1].upper()}{example.title[1:]}:", f"```{example.language}\n{_code(example)}```"]
    return parts


def index(rules: Iterable[Rule]) -> str:
    """The table of all rules as Markdown."""
    parts = [
        "# Rules",
        "Made from the rules by `make docs`; each rule is one file of `analysis/pto_analysis/rules/`.\n"
        "What is told of the faults that others have reported: [Public reports](reports.md).",
    ]
    everything = list(rules)
    for group in GROUPS.values():
        members = [rule for rule in everything if rule.group is group]
        if members:
            rows = ["| code | name | severity | fix | summary |", "| --- | --- | --- | --- | --- |"]
            rows += [
                f"| [{rule.code}]({rule.code}.md) | {rule.name} | {rule.severity.value} | {rule.fix} | {rule.summary} |"
                for rule in members
            ]
            parts += [f"## {group.prefix}xx: {group.title}", group.summary, "\n".join(rows)]
    return "\n\n".join(parts) + "\n"


def text(rule: Rule, style: Style, width: int = 100) -> str:
    """One rule for a terminal."""
    rows = [style.severity(f"{rule.code} {rule.name}", rule.severity), rule.summary + ".", ""]
    rows += [f"severity {rule.severity.value}, {'on' if rule.on_by_default else 'off'} by default, fix: {rule.fix}"]
    rows += [f"bites on: {bites_text(rule.bites)}", ""]
    for title, body in (("What it does", rule.what), ("Why is this bad?", rule.why)):
        rows += [style.paint(title, "bold"), *_wrapped(body, width), ""]
    for title, examples in (("Example", rule.bad), ("Not reported", rule.good)):
        for example in examples:
            rows += [style.paint(f"{title}: {example.title}", "bold"), "", *_indented(_code(example)), ""]
    if rule.fix != "never":
        rows += [style.paint("Fix", "bold"), *_wrapped(f"{_FIXES[rule.fix]} {rule.fix_note}", width), ""]
    rows += [f"option {option.name} = {option.default}: {option.summary}" for option in rule.options]
    rows += [f"see {item.url}" for item in rule.references]
    return "\n".join(rows).rstrip() + "\n"


def _wrapped(body: str, width: int) -> list[str]:
    rows: list[str] = []
    for paragraph in body.split("\n\n"):
        rows += textwrap.wrap(" ".join(paragraph.split()), width, break_long_words=False)
    return rows


def _code(example: Example) -> str:
    """The text of an example with the findings as comments."""
    return readable(example.code, "#" if example.language == "python" else "//")


def _indented(code: str) -> list[str]:
    return [f"    {line}".rstrip() for line in code.splitlines()]


def as_json(rule: Rule) -> Json:
    """One rule as data; the explanation is its page."""
    return {
        "code": rule.code,
        "name": rule.name,
        "group": rule.group.title,
        "severity": rule.severity.value,
        "default": rule.on_by_default,
        "summary": rule.summary,
        "what": rule.what,
        "why": rule.why,
        "fix": rule.fix,
        "fix_note": rule.fix_note,
        "bites": bites_text(rule.bites),
        "references": [{"label": item.label, "url": item.url} for item in rule.references],
        "options": [{"name": item.name, "default": item.default, "summary": item.summary} for item in rule.options],
        "examples": {
            "bad": [{"title": item.title, "code": _code(item)} for item in rule.bad],
            "good": [{"title": item.title, "code": _code(item)} for item in rule.good],
        },
        "url": rule.url,
        "explanation": page(rule),
    }


def reports() -> str:
    """Which rule speaks of each public report, and why none does of the others."""
    parts = [
        "# Public reports",
        "What hurt authors of kernels, as far as it is public, and which rule says so in the editor.\n"
        "The tests run the named examples. Made by `make docs` from `analysis/pto_analysis/rules/reports.py`.",
    ]
    for topic in TOPICS:
        rows = ["| report | what happened | rule | example, or why there is none |", "| --- | --- | --- | --- |"]
        parts += [f"## {topic.title}", "\n".join([*rows, *map(_report_row, topic.reports)])]
    return "\n\n".join(parts) + "\n"


def _report_row(report: Report) -> str:
    links = ", ".join(f"[{each.label}]({each.url})" for each in report.references)
    rule = f"[{report.code}]({report.code}.md)" if report.code is not None else ""
    return f"| {links} | {report.what} | {rule} | {report.example or report.because} |"


def pages() -> dict[str, str]:
    """Every file of docs/rules by its name."""
    rules = all_rules()
    single = {f"{code}.md": page(rule) for code, rule in rules.items()}
    return single | {"README.md": index(rules.values()), "reports.md": reports()}


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    wanted = pages()
    for stale in folder.glob("*.md"):
        if stale.name not in wanted:
            stale.unlink()
    for name, content in wanted.items():
        (folder / name).write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
