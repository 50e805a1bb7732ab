"""From a text to the facts that rules ask for: the units of a module, and the kernels of each unit."""

from __future__ import annotations

from attrs import frozen

from pto_analysis.frontend.closure import Closure
from pto_analysis.frontend.discovery import find_kernels
from pto_analysis.frontend.expressions import read_expression
from pto_analysis.frontend.functions import FunctionFacts, read_function, site_kind
from pto_analysis.frontend.reading import Reading
from pto_analysis.rules.facts import FileFacts, KernelFacts
from pto_analysis.source.session import Session
from pto_analysis.source.unit import Unit


@frozen(eq=False)
class UnitFacts:
    """One unit with its kernels. Positions are the unit's own."""

    unit: Unit
    kernels: tuple[KernelFacts, ...]


def unit_facts(file: FileFacts, unit: Unit) -> UnitFacts:
    kernels = [
        KernelFacts(file, facts.function, unit.span_of, facts.issues, facts.not_understood)
        for facts in _functions(Session(file.workspace, file.path), unit)
    ]
    return UnitFacts(unit, tuple(kernels))


def _functions(session: Session, unit: Unit) -> list[FunctionFacts]:
    out: list[FunctionFacts] = []
    for site in find_kernels(unit):
        closure = Closure(session.scope, session.evaluate, site.enclosing, session.definition)
        reading = Reading(
            closure,
            read_expression,
            lambda _: None,
            lambda _: None,
            kind=site_kind(site),
            decorator=site.decorator.form,
            strict_ssa=site.strict_ssa,
        )
        out.append(read_function(reading, site))
    return out
