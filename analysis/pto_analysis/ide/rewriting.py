"""Writing the compiler's canonical form of a kernel into its source."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pto_analysis.findings import Applicability, Edit, Fix
from pto_analysis.fixes.canonical import canonical_steps
from pto_analysis.frontend.discovery import KernelSite, find_kernels
from pto_analysis.frozen import evolve
from pto_analysis.ide.outline import last_line
from pto_analysis.ir.printer import print_function
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.source.span import Span
from pto_analysis.source.unit import Unit

TITLE = "Write the compiler's canonical form of `{name}`"
LOSSY_TITLE = f"{TITLE} (comments in the body are lost)"

_SELF = re.compile(r"(def \w+\()self(?:, )?")


def rewritten_kernel_at(unit: Unit, kernels: Sequence[KernelFacts], line: int) -> KernelFacts | None:
    """The kernel at a line of the unit, if it is tile-level, fully understood, and changed by the pass."""
    site = _site_at(unit, line)
    kernel = kernel_named(kernels, site.qualname) if site is not None else None
    return kernel if kernel is not None and is_rewritten(kernel) else None


def kernel_named(kernels: Sequence[KernelFacts], qualname: str) -> KernelFacts | None:
    """A kernel as it stands in the source."""
    return next((each for each in kernels if each.written is None and each.function.qualname == qualname), None)


def rewriting_steps(unit: Unit, kernel: KernelFacts) -> Iterator[tuple[Edit, ...]]:
    """What the pass changes, as edits of the file, one group a slice; the text between them stays as it is."""
    for fix in canonical_steps(unit, kernel.analysis.function, kernel.canonicalized):
        yield tuple(evolve(edit, span=edit.span.shifted(unit.first_line)) for edit in fix.edits)


def printed_form(unit: Unit, kernel: KernelFacts, aliases: frozenset[str], line: int) -> Fix | None:
    """Header and body of the kernel at a line, as CanonicalizeTileSlice leaves them; the decorator stays.

    Only in modules that call the DSL `pl`. Comments of the body are lost, hence not safe. `line` is the unit's own;
    the edit counts the file's lines.
    """
    site = _site_at(unit, line)
    if site is None or "pl" not in aliases:
        return None
    text = _indented(_definition(kernel, is_method=site.program is not None), site.block.line.column)
    start, end = site.block.line, last_line(site.block)
    span = Span(start.line, start.column, end, _width(unit, end))
    return Fix(
        LOSSY_TITLE.format(name=site.header.name), Applicability.UNSAFE, (Edit(span.shifted(unit.first_line), text),)
    )


def is_rewritten(kernel: KernelFacts) -> bool:
    """Whether the pass runs on the kernel as it stands in the source, and changes it."""
    if not kernel.is_core or kernel.issues or kernel.not_understood or kernel.analysis.is_rejected:
        return False
    return kernel.analysis.canonical.function is not kernel.analysis.function


def _site_at(unit: Unit, line: int) -> KernelSite | None:
    found = None
    for site in find_kernels(unit):
        if unit.lines[site.decorator.statement].line <= line <= last_line(site.block):
            found = site
    return found


def _definition(kernel: KernelFacts, *, is_method: bool) -> str:
    """`def …` and the body, as a method or as a plain function."""
    printed = print_function(kernel.analysis.canonical.function)
    definition = printed[printed.index("\ndef ") + 1 :]
    return definition if is_method else _SELF.sub(r"\1", definition, count=1)


def _indented(text: str, column: int) -> str:
    """Every line but the first, which stands where the old one stood."""
    return f"\n{' ' * column}".join(text.split("\n"))


def _width(unit: Unit, line: int) -> int:
    return len(unit.text.split("\n")[line].rstrip("\r"))
