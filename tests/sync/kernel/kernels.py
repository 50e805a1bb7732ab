"""Kernels in source as sync programs, and questions about single ops of one run."""

from __future__ import annotations

from functools import cache

from pto_analysis.check import read_unit
from pto_analysis.frontend.module import Modules
from pto_analysis.rules.facts import FileFacts
from pto_analysis.rules.kernel_programs import programs_of_facts
from pto_analysis.source.unit import split_units
from pto_analysis.source.workspace import Workspace
from pto_analysis.sync.policies import plan_precise
from pto_analysis.sync.program import SyncProgram
from pto_analysis.toolchain import Toolchain, parse_toolchain
from tests.support.checking import PATH, Texts
from tests.sync.runs import Run, run_program

AUGUST = parse_toolchain("pypto=2026-08-21", Toolchain())
"""The compiler that gave the emitted files."""

HEAD = """\
import pypto.language as pl

@pl.program
class K:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, {parameters}):
"""


@cache
def programs(text: str) -> tuple[SyncProgram, ...]:
    source = split_units(text)
    file = FileFacts(PATH, source, Modules(Workspace(Texts({PATH: text}))), AUGUST)
    found: list[SyncProgram] = []
    for unit in source.units:
        read = read_unit(file, unit)
        assert read.errors == ()
        for kernel in read.kernels:
            found += programs_of_facts(kernel, unit.first_line)
    return tuple(found)


def kernel(parameters: str, body: str) -> SyncProgram:
    """The program of an InCore kernel with these parameters and this body (not indented)."""
    lines = "".join(f"        {line}\n" if line else "\n" for line in body.strip("\n").split("\n"))
    (only,) = programs(HEAD.format(parameters=parameters) + lines)
    return only


def run(program: SyncProgram, **arguments: int) -> Run:
    """One run of a program under its precise plan; arguments by the source's names."""
    names = {argument.symbol.name.partition("__")[0]: argument.symbol.name for argument in program.arguments}
    return run_program(program, plan_precise(program), {names[name]: value for name, value in arguments.items()})
