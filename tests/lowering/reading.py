"""Kernels of these tests, read by the frontend from texts alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from posixpath import dirname

from attrs import field, frozen

from pto_analysis.frontend.module import Modules
from pto_analysis.ir import walk
from pto_analysis.ir.expr import Call
from pto_analysis.ir.function import Function
from pto_analysis.ir.stmt import Assign
from pto_analysis.passes.lowering import LoweredFunction, lower
from pto_analysis.passes.lowering.tree import calls
from pto_analysis.source.workspace import Workspace
from pto_analysis.toolchain import Toolchain

KERNEL = "/project/kernel.py"


@frozen
class Files:
    """A workspace that is in memory: texts by absolute path."""

    texts: Mapping[str, str] = field(factory=dict[str, str])
    roots: tuple[str, ...] = ("/project",)

    def read(self, path: str) -> str | None:
        return self.texts.get(path)

    def exists(self, path: str) -> bool:
        return path in self.texts

    def listing(self, folder: str) -> tuple[str, ...]:
        return tuple(sorted(path for path in self.texts if dirname(path) == folder))


def read(text: str) -> tuple[Function, ...]:
    """Every function of a module that imports nothing but the DSL; a refused one fails the test."""
    facts = [facts for unit in modules(text).read(KERNEL).units for facts in unit.functions]
    for each in facts:
        assert not each.issues
        assert not each.not_understood
    return tuple(each.function for each in facts)


def modules(text: str, **others: str) -> Modules:
    """A workspace with the text as `kernel` and other modules by name."""
    texts = {KERNEL: text, **{f"/project/{name}.py": other for name, other in others.items()}}
    return Modules(Workspace(Files(texts)))


def lower_all(text: str, toolchain: Toolchain | None = None, **others: str) -> dict[str, LoweredFunction]:
    """Everything that runs on a core, by name, with inline functions expanded across the modules."""
    workspace = modules(text, **others)
    lowered = [
        function
        for unit in workspace.read(KERNEL).units
        for function in lower([facts.function for facts in unit.functions], toolchain or Toolchain(), workspace.called)
    ]
    return {function.name: function for function in lowered}


def operations(function: Function) -> list[str]:
    """The operations in the order of the text; `tile.` is left out."""
    return [
        call.op.removeprefix("tile.")
        for stmt in walk.statements(function.body)
        for operand in stmt.operands
        for call in calls(operand)
    ]


def bound_calls(function: Function, op: str) -> Iterator[Call]:
    """The calls of one operation whose result is bound to a name."""
    for stmt in walk.statements(function.body):
        if isinstance(stmt, Assign) and isinstance(stmt.value, Call) and stmt.value.op == op:
            yield stmt.value


def region(body: str, params: str, result: str = "out") -> str:
    """A kernel with one region that holds `body` (lines without indentation)."""
    lines = "\n".join(f"            {line}" for line in body.strip().splitlines())
    return f"""
import pypto.language as pl


@pl.program
class P:
    @pl.function
    def main(self, {params}):
        with pl.at(level=pl.Level.CORE_GROUP):
{lines}
        return {result}
"""
