"""Reads kernels of a text held in memory, for the tests of this room."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from posixpath import dirname

from attrs import field, frozen

from pto_analysis.frontend.functions import FunctionFacts
from pto_analysis.frontend.issues import FrontendIssue, IssueKind
from pto_analysis.frontend.module import ModuleFacts, read_module
from pto_analysis.ir.expr import Call, Expr
from pto_analysis.ir.function import Function
from pto_analysis.ir.stmt import Assign, Stmt
from pto_analysis.ir.types import Type
from pto_analysis.ir.walk import statements

PATH = "/project/kernels.py"
NOT_DSL = frozenset(
    {
        IssueKind.SYNTAX,
        IssueKind.OUTSIDE_DSL,
        IssueKind.UNKNOWN_OPERATION,
        IssueKind.UNKNOWN_KEYWORD,
        IssueKind.UNKNOWN_CONSTANT,
    }
)


@frozen
class Files:
    """Source files by absolute path."""

    texts: Mapping[str, str] = field(factory=dict[str, str])
    roots: tuple[str, ...] = ("/project",)

    def read(self, path: str) -> str | None:
        return self.texts.get(path)

    def exists(self, path: str) -> bool:
        return path in self.texts or any(name.startswith(f"{path}/") for name in self.texts)

    def listing(self, folder: str) -> tuple[str, ...]:
        return tuple(sorted(path for path in self.texts if dirname(path) == folder))


def read(text: str, **others: str) -> ModuleFacts:
    """The facts of a module; `others` are the texts of sibling modules by name."""
    texts = {f"/project/{name}.py": other for name, other in others.items()} | {PATH: text}
    return read_module(PATH, text, Files(texts))


def kernels(facts: ModuleFacts) -> list[FunctionFacts]:
    return [function for unit in facts.units for function in unit.functions]


def issues(facts: ModuleFacts) -> list[FrontendIssue]:
    return [issue for function in kernels(facts) for issue in function.issues]


def refused_as_dsl(facts: ModuleFacts) -> list[FrontendIssue]:
    """The issues that say the text is not DSL (PTO001, PTO003, PTO004)."""
    return [issue for issue in issues(facts) if issue.kind in NOT_DSL]


def function(facts: ModuleFacts, name: str) -> Function:
    return next(kernel.function for kernel in kernels(facts) if kernel.function.name == name)


HEADER = """\
import pypto.language as pl


@pl.program
class K:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, x: pl.Tensor[[64, 64], pl.FP32], n: pl.Scalar[pl.INDEX], f: pl.Scalar[pl.FP32],
               i: pl.Scalar[pl.INT32], out: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
"""


def read_body(body: str, before: str = "", kind: str = "InCore") -> FunctionFacts:
    """A kernel of this kind with these statements; `before` is module-level code."""
    lines = "".join(f"        {line}\n" if line else "\n" for line in body.splitlines())
    text = HEADER.replace("InCore", kind).replace("\n\n\n", f"\n{before}\n\n", 1) + lines
    return kernels(read(text))[0]


def assigned(facts: FunctionFacts, name: str) -> Expr:
    """The last value assigned to a name."""
    return [stmt.value for stmt in assigns(facts.function) if stmt.var.name == name][-1]


def type_named(facts: FunctionFacts, name: str) -> Type:
    return [stmt.var.type for stmt in assigns(facts.function) if stmt.var.name == name][-1]


def assigns(function: Function) -> Iterator[Assign]:
    return (stmt for stmt in statements(function.body) if isinstance(stmt, Assign))


def calls(function: Function) -> list[Call]:
    """Every op call of a function, in order."""
    found: list[Call] = []
    for stmt in statements(function.body):
        for expr in stmt.operands:
            _collect(expr, found)
    return found


def _collect(expr: Expr, found: list[Call]) -> None:
    for child in expr.children:
        _collect(child, found)
    if isinstance(expr, Call):
        found.append(expr)


def all_statements(function: Function) -> list[Stmt]:
    return list(statements(function.body))
