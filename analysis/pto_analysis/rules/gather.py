"""From a text to the facts that rules ask for: the units of a module, and the kernels of each unit."""

from __future__ import annotations

from pto_analysis.frontend.functions import FunctionFacts
from pto_analysis.ir import walk
from pto_analysis.ir.function import Function
from pto_analysis.passes.lowering import LoweredFunction, lower
from pto_analysis.passes.lowering.regions import has_region, mark_regions
from pto_analysis.passes.lowering.tree import calls
from pto_analysis.rules.facts import FileFacts, KernelFacts
from pto_analysis.rules.guard import InternalError, guarded
from pto_analysis.source.unit import Unit


def kernels_of(file: FileFacts, unit: Unit, errors: list[InternalError]) -> tuple[KernelFacts, ...]:
    """The kernels of a unit in source order, each tensor-level one followed by the functions made of it.

    Positions are the unit's own. What raises on the way is recorded in `errors`.
    """
    functions = guarded(lambda: _functions(file, unit), f"reading {unit.name or 'a statement'}", errors)
    kernels: list[KernelFacts] = []
    for facts in functions or ():
        kernels += _kernels(file, unit, facts, errors)
    return tuple(kernels)


def _functions(file: FileFacts, unit: Unit) -> tuple[FunctionFacts, ...]:
    reader = file.modules.reader(file.path)
    return reader.unit_facts(unit).functions if reader is not None else ()


def _kernels(file: FileFacts, unit: Unit, facts: FunctionFacts, errors: list[InternalError]) -> list[KernelFacts]:
    function = facts.function
    tensor_level = is_tensor_level(function)
    is_core = not tensor_level and function.kind.is_incore
    written = KernelFacts(file, function, unit.span_of, facts.issues, facts.not_understood, is_core)
    if not tensor_level:
        return [written]
    lowered = guarded(lambda: lower([function], file.toolchain), f"lowering {function.qualname}", errors)
    return [written, *(_outlined(written, core) for core in lowered or ())]


def _outlined(written: KernelFacts, lowered: LoweredFunction) -> KernelFacts:
    return KernelFacts(written.file, lowered.before, written.locate, is_core=True, written=written, lowered=lowered)


def is_tensor_level(function: Function) -> bool:
    """Whether the compiler outlines or lowers the function before tile passes see it."""
    if function.kind.is_incore:
        operands = (operand for stmt in walk.statements(function.body) for operand in walk.operands(stmt))
        return any(call.op.startswith("tensor.") for operand in operands for call in calls(operand))
    return has_region(mark_regions(function))
