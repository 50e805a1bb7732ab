"""From a text to the facts that rules ask for: the units of a module, and the kernels of each unit."""

from __future__ import annotations

from pto_analysis.frontend.functions import FunctionFacts
from pto_analysis.frozen import frozen
from pto_analysis.ir import walk
from pto_analysis.ir.expr import Expr
from pto_analysis.ir.function import Function, FunctionKind
from pto_analysis.passes.lowering import LoweredFunction
from pto_analysis.passes.lowering.inline import expand
from pto_analysis.passes.lowering.pipeline import OWN, Reach, core_functions
from pto_analysis.passes.lowering.tree import calls, calls_of_kernels
from pto_analysis.report import InternalError
from pto_analysis.rules.facts import FileFacts, KernelFacts
from pto_analysis.rules.guard import guarded
from pto_analysis.source.unit import Unit


def kernels_of(file: FileFacts, unit: Unit, errors: list[InternalError], reach: Reach = OWN) -> tuple[KernelFacts, ...]:
    """The kernels of a unit in source order, each tensor-level one followed by the functions made of it.

    Positions are the unit's own. What raises on the way is recorded in `errors`. By default the regions of inline
    functions belong to the unit that they are written in, so that no finding comes twice.
    """
    functions = guarded(lambda: _functions(file, unit), f"reading {unit.name or 'a statement'}", errors) or ()
    unit_functions = frozenset(facts.function for facts in functions)
    taken = {function.name for function in unit_functions if function.kind is not FunctionKind.INLINE}
    siblings = tuple(facts.function for facts in functions)
    lowering = _Lowering(file, reach, unit_functions, taken, siblings)
    kernels: list[KernelFacts] = []
    for facts in functions:
        kernels += _kernels(file, unit, facts, lowering, errors)
    return tuple(kernels)


def _functions(file: FileFacts, unit: Unit) -> tuple[FunctionFacts, ...]:
    reader = file.modules.reader(file.path)
    return reader.unit_facts(unit).functions if reader is not None else ()


@frozen(eq=False)
class _Lowering:
    """Lowers the functions of one unit; `taken` are the names of functions that exist already."""

    file: FileFacts
    reach: Reach
    unit: frozenset[Function]
    taken: set[str]
    siblings: tuple[Function, ...]

    def cores(self, function: Function) -> list[LoweredFunction]:
        expanded = expand(function, self.reach.helpers(self.file.modules.called), self.unit)
        cores = core_functions(expanded, self.taken, self.reach.turns)
        return [self.file.lower(core, self.file.toolchain, notes) for core, notes in cores]


def _kernels(
    file: FileFacts, unit: Unit, facts: FunctionFacts, lowering: _Lowering, errors: list[InternalError]
) -> list[KernelFacts]:
    function = facts.function
    tile_level = function.kind.is_incore and is_tile_level(function)
    written = KernelFacts(
        file.setting,
        function,
        unit.span_of,
        facts.issues,
        facts.not_understood,
        tile_level,
        unit=unit,
        siblings=lowering.siblings,
        around=file.source.statements,
    )
    if tile_level:
        return [written]
    cores = guarded(lambda: lowering.cores(function), f"lowering {function.qualname}", errors)
    return [written, *(_outlined(written, core) for core in cores or ())]


def _outlined(written: KernelFacts, lowered: LoweredFunction) -> KernelFacts:
    return KernelFacts(
        written.setting,
        lowered.before,
        written.locate,
        is_core=True,
        written=written,
        lowered=lowered,
        unit=written.unit,
        around=written.around,
    )


def is_tile_level(function: Function) -> bool:
    """Whether the tile passes see the function as it is written: no tensor operation, no call of another kernel."""
    operands = (operand for stmt in walk.statements(function.body) for operand in stmt.operands)
    return not any(_is_above_tiles(operand) for operand in operands)


def _is_above_tiles(operand: Expr) -> bool:
    if next(calls_of_kernels(operand), None) is not None:
        return True
    return any(call.op.startswith("tensor.") for call in calls(operand))
