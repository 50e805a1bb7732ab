"""What editors write between the words of a `.pto` file: colours of memories, waits, counts above functions."""

from __future__ import annotations

from collections.abc import Iterator

from pto_analysis.ide.capacity import kib
from pto_analysis.ide.hints import Hint, Lens, count_of
from pto_analysis.ide.pto.describe import space_of
from pto_analysis.ide.pto.document import PtoDocument
from pto_analysis.ide.synchronisation import wait_hints, waits_in
from pto_analysis.ide.tokens import TOKEN_MODIFIERS, Token
from pto_analysis.ir.types import Space
from pto_analysis.ops.targets import TARGETS
from pto_analysis.pto.syntax import FunctionSyntax
from pto_analysis.sync.program import SyncProgram


def tokens(document: PtoDocument) -> tuple[Token, ...]:
    """The values that live in a memory, in order."""
    found: set[Token] = set()
    for definition in document.names.definitions:
        space = space_of(definition.type)
        if space in TOKEN_MODIFIERS:
            modifier = TOKEN_MODIFIERS.index(space)
            found |= {Token(each.span, modifier) for each in definition.occurrences()}
    return tuple(sorted(found))


def hints(document: PtoDocument, shown: frozenset[str]) -> tuple[Hint, ...]:
    """The waits that are needed, where they are shown: types are written out in this text."""
    if "waits" not in shown:
        return ()
    waits = sorted(wait for program, plan in document.plans for wait in waits_in(program, plan))
    return tuple(Hint(line, column, label, "waits", why) for line, column, label, why in wait_hints(waits))


def lenses(document: PtoDocument) -> tuple[Lens, ...]:
    """Above each function: its waits, worked out when looked at, and how full its buffers are."""
    found: list[Lens] = []
    for function in document.file.functions:
        programs = programs_of(document, function)
        if programs:
            found.append(Lens(function.name_span, None, "sync", function.name))
            title = ", ".join(_capacities(programs))
            found += [Lens(function.name_span, title, "sync", function.name)] if title else []
    return tuple(found)


def waits_title(document: PtoDocument, line: int) -> str:
    """How many waits the function needs whose name stands in a line."""
    waits = [
        wait for program, plan in document.plans if program.where.span.line == line for wait in waits_in(program, plan)
    ]
    return count_of(len(waits), "wait", "waits")


def programs_of(document: PtoDocument, function: FunctionSyntax) -> list[SyncProgram]:
    return [program for program in document.programs if program.where.span == function.name_span]


def _capacities(programs: list[SyncProgram]) -> Iterator[str]:
    """Each memory up to its last byte in use, where every buffer has its address."""
    limits = TARGETS[programs[0].target].capacities
    for space in Space:
        limit = limits.get(space)
        regions = [
            each for program in programs for each in program.regions.values() if each.space == space.value.lower()
        ]
        if limit is None or not regions:
            continue
        ends = [each.base + each.size for each in regions if isinstance(each.base, int) and each.size is not None]
        if len(ends) == len(regions):
            verdict = ": too much" if max(ends) > limit else ""
            yield f"{space.value} {kib(max(ends))} of {kib(limit)} KiB{verdict}"
