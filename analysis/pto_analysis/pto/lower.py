"""`.pto` syntax → sync programs, one for each function and core (issue 3, items 1 to 3; reference: sync 1 to 4, 9)."""

from __future__ import annotations

from pto_analysis.frozen import evolve, frozen
from pto_analysis.pto.reader import read_pto
from pto_analysis.pto.regions import RegionLowering
from pto_analysis.pto.scope import Opaque, Scope, integer_bits, is_buffer
from pto_analysis.pto.syntax import Complaint, FunctionSyntax, PtoFile, Region, walk
from pto_analysis.pto.types import ScalarType, TileType
from pto_analysis.sync.builder import ProgramBuilder
from pto_analysis.sync.op_table import OPS
from pto_analysis.sync.program import Core, Location, Pipe, SyncProgram, Target

_CORES: tuple[Core, ...] = ("cube", "vector")
_SECTIONS: dict[Core, str] = {"cube": "pto.section.cube", "vector": "pto.section.vector"}
_SUFFIXES: dict[Core, str] = {"cube": "_aic", "vector": "_aiv"}
_CUBE_SPACES = frozenset({"left", "right", "acc", "mat", "bias", "scaling"})


@frozen
class LoweredFile:
    """The sync programs of a file in text order, and everything the reader and the lowering complained about."""

    programs: tuple[SyncProgram, ...]
    complaints: tuple[Complaint, ...]


def lower_pto(text: str, target: Target | None = None) -> LoweredFile:
    """Read and lower a whole file. `target` counts where the module does not name its architecture."""
    return lower_file(read_pto(text), target)


def lower_file(file: PtoFile, target: Target | None = None) -> LoweredFile:
    """Lower every function that has a body."""
    callees = {function.name: function for function in file.functions}
    programs: list[SyncProgram] = []
    complaints = list(file.complaints)
    for function in file.functions:
        if function.body is None or _is_helper(function):
            continue
        for core, name in _cores(function):
            program, found = _lower_function(function, core, _target(function, target), callees)
            programs.append(evolve(program, name=name, qualname=name))
            complaints.extend(found)
    ordered = sorted(dict.fromkeys(complaints), key=lambda complaint: complaint.span)
    return LoweredFile(tuple(programs), tuple(ordered))


def _is_helper(function: FunctionSyntax) -> bool:
    """Helpers are ops of their callers."""
    return any(key in function.attributes for key in ("pto.tileop.helper", "pto.ptodsl.subkernel_helper"))


def _target(function: FunctionSyntax, fallback: Target | None) -> Target:
    attributes = {**function.module_attributes, **function.attributes}
    arch = attributes.get("pto.target_arch", "").partition(":")[0].strip().strip('"')
    device = attributes.get("pto.device-spec", "").strip('"')
    if arch == "a5" or device.startswith(("Ascend950", "Ascend910_95")):
        return "a5"
    return "a2a3" if arch or device else fallback or "a2a3"


def _cores(function: FunctionSyntax) -> list[tuple[Core, str]]:
    """The cores that a function runs on, and what its program on each is called."""
    kind = function.attributes.get("pto.kernel_kind", "")
    assert function.body is not None
    names = {operation.name for operation in walk(function.body)}
    sections: list[Core] = [core for core in _CORES if _SECTIONS[core] in names]
    if len(sections) == 2:
        return [(core, function.name + _SUFFIXES[core]) for core in sections]
    if sections:
        return [(sections[0], function.name)]
    if "cube" in kind or "vector" in kind:
        return [("cube" if "cube" in kind else "vector", function.name)]
    return [(_guessed_core(function.body), function.name)]


def _guessed_core(body: Region) -> Core:
    """Without a word about it: a function that multiplies or holds a cube tile is a cube kernel."""
    for operation in walk(body):
        row = OPS.get(operation.name.removeprefix("pto."))
        if row is not None and row.pipe is Pipe.M:
            return "cube"
        if any(isinstance(kind, TileType) and kind.space in ("left", "right", "acc") for kind in operation.types):
            return "cube"
    return "vector"


def _lower_function(
    function: FunctionSyntax, core: Core, target: Target, callees: dict[str, FunctionSyntax]
) -> tuple[SyncProgram, list[Complaint]]:
    builder = ProgramBuilder(function.name, core, target)
    head = Location.at(function.name_span)
    builder.where = head
    hidden = frozenset(section for other, section in _SECTIONS.items() if other != core)
    scope = Scope(builder, core, sections=hidden)
    for argument in function.arguments:
        if is_buffer(argument.type):
            scope.declare(argument, argument.type)
        elif isinstance(argument.type, ScalarType) and argument.type.is_integer:
            name = scope.unique(argument.text)
            scope.values[argument.text] = builder.argument(name, integer_bits(argument.type))
        else:
            scope.values[argument.text] = Opaque(argument.type)
    assert function.body is not None
    RegionLowering(scope, target, callees).region(function.body)
    builder.where = head
    return builder.build(tuple(scope.notes)), scope.complaints
