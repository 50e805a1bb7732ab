"""TEMP"""
from __future__ import annotations
from pto_analysis.frontend.closure import Closure
from pto_analysis.frontend.discovery import find_kernels
from pto_analysis.frontend.expressions import read_expression
from pto_analysis.frontend.functions import read_function, site_kind
from pto_analysis.frontend.reading import Reading
from pto_analysis.source.unit import split_units
from pto_analysis.source.constants import NoWorld, evaluate
from pto_analysis.source.values import DslName, Unknown

def read_text(text):
    out = []
    def module(name):
        return DslName(name) if name in ("pl", "pld") else Unknown(f"{name}", False)
    for unit in split_units(text).units:
        for site in find_kernels(unit):
            closure = Closure(module, lambda n, l: evaluate(n, l, NoWorld()), site.enclosing)
            reading = Reading(closure, read_expression, lambda n: None, lambda n: None, kind=site_kind(site), decorator=site.decorator.form, strict_ssa=site.strict_ssa)
            out.append(read_function(reading, site))
    return out
