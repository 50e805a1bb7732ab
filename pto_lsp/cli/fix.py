"""`pto-lint check --fix` and `--diff`."""

from __future__ import annotations

from argparse import Namespace
from difflib import unified_diff

from attrs import evolve

from pto_analysis.check import check_file
from pto_analysis.findings import Applicability
from pto_lsp.cli.configuration import Configuration
from pto_lsp.cli.console import Console
from pto_lsp.cli.inputs import Input
from pto_lsp.cli.outcome import Checked, Outcome
from pto_lsp.workspace.fixing import apply_fixes
from pto_lsp.workspace.provider import Surroundings
from pto_lsp.workspace.reading import ReadError, write_source

MAX_ROUNDS = 100


def allowed_fixes(arguments: Namespace) -> frozenset[Applicability]:
    if arguments.unsafe_fixes:
        return frozenset((Applicability.SAFE, Applicability.UNSAFE))
    return frozenset((Applicability.SAFE,))


def fix_outcome(outcome: Outcome, configuration: Configuration, allowed: frozenset[Applicability]) -> Outcome:
    """The outcome after fixing every file in memory until nothing changes any more."""
    fixed = [fix_one(checked, configuration, allowed) for checked in outcome.checked]
    return evolve(outcome, checked=tuple(checked for checked, _ in fixed), fixed=sum(count for _, count in fixed))


def fix_one(checked: Checked, configuration: Configuration, allowed: frozenset[Applicability]) -> tuple[Checked, int]:
    """One file after its fixes, and how many were applied. A fix that leads back to an earlier text ends it."""
    seen = {checked.input.text}
    count = 0
    for _ in range(MAX_ROUNDS):
        text, applied = apply_fixes(checked.input.text, checked.result.findings, allowed, checked.input.shown)
        if not applied or text in seen:
            break
        seen.add(text)
        count += applied
        checked = _check_again(checked, text, configuration)
    return checked, count


def _check_again(checked: Checked, text: str, configuration: Configuration) -> Checked:
    found = configuration.for_file(checked.input.path)
    path = str(checked.input.path.absolute())
    modules = Surroundings().of(path, text).modules
    report = check_file(path, text, modules, found.options, found.enabled)
    return evolve(checked, input=evolve(checked.input, text=text), result=report)


def save(before: Outcome, after: Outcome, console: Console) -> None:
    """Writes the files that changed."""
    for old, new in zip(before.checked, after.checked, strict=True):
        if old.input.text != new.input.text:
            try:
                write_source(new.input.path, new.input.text)
            except ReadError as error:
                console.fail(f"{new.input.shown}: {error}")


def diff(before: Outcome, after: Outcome) -> str:
    """What fixing would change, as one unified diff."""
    return "".join(
        _file_diff(old.input, new.input.text) for old, new in zip(before.checked, after.checked, strict=True)
    )


def _file_diff(item: Input, text: str) -> str:
    rows = unified_diff(item.text.splitlines(keepends=True), text.splitlines(keepends=True), item.shown, item.shown)
    return "".join(row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n" for row in rows)
