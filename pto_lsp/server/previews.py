"""What previews show: the canonical form, the synchronisation and the budget of the kernel at a place.

Runs in the analysis worker. Knows no protocol: texts in, texts out.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from html import escape
from typing import Literal

from attrs import evolve, frozen

from pto_analysis.check import UnitKernels, findings_of
from pto_analysis.ide.pto.document import pto_document
from pto_analysis.ide.spot import line_statement
from pto_analysis.ide.variables import kernel_around, made_of
from pto_analysis.report import InternalError, shifted
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.kernel_programs import plans_of, programs_of_facts
from pto_analysis.rules.syntax_errors import unit_problems
from pto_analysis.sync.policies import Policies
from pto_analysis.sync.program import SyncProgram, Target
from pto_lsp.output import budget, canonical, sync_html, sync_svg, sync_text
from pto_lsp.output.budget import KernelBudget
from pto_lsp.output.canonical import CanonicalKernel
from pto_lsp.output.style import PLAIN
from pto_lsp.output.sync_run import COUNTERPART, PLANS, typical_page
from pto_lsp.output.sync_view import SyncPreview

Kind = Literal["canonical", "sync", "budget"]
Format = Literal["markdown", "text", "svg", "html"]

FORMATS: dict[str, Format] = {"markdown": "markdown", "text": "text", "svg": "svg", "html": "html"}

MAX_KEPT = 64
"""Previews that are kept for the time when their kernel does not parse."""

_WIDTH = 100


Planned = tuple[SyncProgram, Policies]
"""A program with the places of the file, and the plans of the same program."""


@frozen
class Preview:
    """`stale` where the kernel does not parse and this is what was shown before."""

    kernel: str
    format: Format
    content: str
    stale: bool = False


class Previews:
    """Previews by kernel, the last good one of each kept. For one thread."""

    def __init__(self) -> None:
        self._good: OrderedDict[tuple[str, str, str, str], Preview] = OrderedDict()

    def of_unit(
        self, path: str, kind: str, format_: Format, read: UnitKernels, make: Callable[[], Preview | None]
    ) -> Preview | None:
        """What `make` gives, or the last good one of the unit while its text is broken."""
        key = (path, read.unit.name or str(read.unit.first_line), kind, format_)
        made = None if unit_problems(read.unit) else make()
        if made is not None:
            self._good[key] = made
            self._good.move_to_end(key)
            while len(self._good) > MAX_KEPT:
                self._good.popitem(last=False)
            return made
        kept = self._good.get(key) if unit_problems(read.unit) else None
        return evolve(kept, stale=True) if kept is not None else None


def kernel_at(read: UnitKernels, line: int) -> KernelFacts | None:
    """The kernel in the source that a line of the unit lies in."""
    statement = line_statement(read.unit, line)
    return kernel_around(read.kernels, statement) if statement is not None else None


def canonical_preview(path: str, read: UnitKernels, line: int, format_: Format) -> Preview | None:
    """Every function that the compiler makes of the kernel at a line, as the pass leaves it."""
    kernel = kernel_at(read, line)
    if kernel is None:
        return None
    errors: list[InternalError] = []
    shown: list[CanonicalKernel] = []
    for made in made_of(read.kernels, kernel):
        sources = [made] if made.written is None else [made.written, made]
        first = read.unit.first_line
        findings = [shifted(finding, first) for part in sources for finding in findings_of(part, errors)]
        shown.append(CanonicalKernel(path, made, first, tuple(findings)))
    text = "\n\n".join(_canonical_text(each) for each in shown)
    return Preview(kernel.qualname, format_, _framed(text, format_, "python"))


def budget_preview(path: str, read: UnitKernels, line: int, format_: Format) -> Preview | None:
    """How full the buffers get in every function that the compiler makes of the kernel at a line."""
    kernel = kernel_at(read, line)
    cores = [made for made in made_of(read.kernels, kernel) if made.is_core] if kernel is not None else []
    if kernel is None or not cores:
        return None
    text = budget.render([KernelBudget(path, core, read.unit.first_line) for core in cores], "text", PLAIN)
    return Preview(kernel.qualname, format_, _framed(text, format_, "text"))


def _canonical_text(kernel: CanonicalKernel) -> str:
    """The kernel after the pass; where the compiler stops, why, and what it stops at."""
    text = canonical.render([kernel], "python", PLAIN)
    if kernel.after is not None:
        return text
    return f"{text}\n# The compiler stops. This is what enters the pass:\n{kernel.before}"


def sync_preview(
    path: str, text: str, planned: Sequence[Planned], name: str, format_: Format, model: str
) -> Preview | None:
    """The synchronisation of one kernel; a mixed kernel has a program for each of its cores."""
    if not planned:
        return None
    previews = [_sync_preview(path, text, program, policies, model) for program, policies in planned]
    if format_ in ("markdown", "text"):
        return Preview(name, format_, _framed(sync_text.render(previews, PLAIN, _WIDTH), format_, "text"))
    pages = [typical_page(preview) for preview in previews]
    if format_ == "html":
        return Preview(name, format_, sync_html.render(pages))
    pictures = [sync_svg.render(page.preview, page.pictures) for page in pages]
    return Preview(name, format_, sync_svg.stacked(pictures))


def kernel_sync_preview(
    path: str, text: str, read: UnitKernels, line: int, format_: Format, model: str
) -> Preview | None:
    """The same for the kernel at a line of a Python file."""
    kernel = kernel_at(read, line - read.unit.first_line)
    if kernel is None:
        return None
    first = read.unit.first_line
    cores = made_of(read.kernels, kernel)
    planned = [pair for core in cores for pair in zip(programs_of_facts(core, first), plans_of(core), strict=True)]
    return sync_preview(path, text, planned, kernel.qualname, format_, model)


def pto_planned_at(text: str, line: int, target: Target) -> tuple[Planned, ...]:
    """The programs of the `.pto` function that a line lies in: the last that begins at or before it."""
    policies = pto_document(text, target).policies
    starts = [one.program.where.span.line for one in policies if one.program.where.span.line <= line]
    at = max(starts, default=None)
    return tuple((one.program, one) for one in policies if one.program.where.span.line == at)


def _sync_preview(path: str, text: str, program: SyncProgram, policies: Policies, model: str) -> SyncPreview:
    plan, other = PLANS[model](policies), PLANS[COUNTERPART[model]](policies)
    return SyncPreview(path, program, plan, tuple(text.splitlines()), other, notes=())


def _framed(text: str, format_: Format, language: str) -> str:
    """Plain text in the form asked for; a picture of text is the text."""
    if format_ == "markdown":
        return f"```{language}\n{text.rstrip()}\n```\n"
    if format_ == "html":
        return (
            f"<!doctype html>\n<html><head><meta charset='utf-8'></head><body><pre>{escape(text)}</pre></body></html>\n"
        )
    return _as_picture(text) if format_ == "svg" else text


def _as_picture(text: str) -> str:
    lines = text.rstrip().split("\n")
    width, height = 8 * max(len(line) for line in lines) + 16, 18 * len(lines) + 16
    rows = "".join(_picture_rows(lines))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" font-family="monospace" '
        f'font-size="13" xml:space="preserve">{rows}</svg>\n'
    )


def _picture_rows(lines: Sequence[str]) -> Iterator[str]:
    for number, line in enumerate(lines):
        yield f'<text x="8" y="{18 * number + 20}">{escape(line)}</text>'
