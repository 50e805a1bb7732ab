"""IR to DSL source, in the compiler's spelling: what `pto-lint canonicalize` shows, before and after.

Names stay as given; two variables of one name in one function get different ones, as two definitions would
otherwise read as one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from pto_analysis.ir.dtypes import INDEX
from pto_analysis.ir.expr import Const, Expr, Var
from pto_analysis.ir.function import Direction, Function, FunctionKind, Param
from pto_analysis.ir.spelling import attribute_texts, expression_text, type_text
from pto_analysis.ir.stmt import (
    Assign,
    Block,
    Break,
    Continue,
    Eval,
    For,
    If,
    IterArg,
    Return,
    Scope,
    Skipped,
    Stmt,
    While,
    Yield,
)
from pto_analysis.ir.types import ScalarType, Type, UnknownType
from pto_analysis.ir.walk import TRANSPARENT_SCOPES, statements, type_variables

INDENT = "    "

_NUMBERED = re.compile(r"^t__tmp_v\d+__")
"""Tiles of operands without a name: the compiler drops the operand's number (`t__tile`), we tell them apart by it."""

_DECORATOR_KEYWORDS = ("level", "role", "auto_scope", "strict_ssa", "external_source")
"""What `@pl.function` takes besides the type; everything else a function carries is about its dispatch."""


def print_module(functions: Iterable[Function], program: str = "K") -> str:
    """A module that holds the functions as methods of one `@pl.program` class, after the symbols they use."""
    methods = list(functions)
    symbols = dict.fromkeys(var.name for function in methods for var in outside_symbols(function))
    lines = ["import pypto.language as pl", ""]
    lines += [*(f'{name} = pl.dynamic("{name}")' for name in symbols), *[""] * bool(symbols)]
    lines += ["", "@pl.program", f"class {program}:"]
    bodies = [_indented(print_function(function).splitlines()) for function in methods]
    for index, body in enumerate(bodies):
        lines += [""] * bool(index) + body
    return "\n".join(lines if bodies else [*lines, f"{INDENT}pass"]) + "\n"


def outside_symbols(function: Function) -> list[Var]:
    """Scalars that nothing in the function defines: dynamic extents and values that specialisation would fill in."""
    body = list(statements(function.body))
    defined = {param.var for param in function.params}.union(*(stmt.definitions for stmt in body))
    types = [param.var.type for param in function.params] + list(function.returns)
    used = [var for type_ in types for var in type_variables(type_)]
    for stmt in body:
        used += [symbol for var in stmt.definitions for symbol in type_variables(var.type)]
        used += [var for expr in stmt.operands for var in expr.variables]
    return [
        var for var in dict.fromkeys(used) if var not in defined and isinstance(var.type, (ScalarType, UnknownType))
    ]


def print_function(function: Function) -> str:
    """One function as a method (`self` first), its decorator included, without a trailing newline."""
    printer = _Printer(_unique_names(function))
    params = ["self", *(printer.param(param) for param in function.params)]
    header = f"def {function.name}({', '.join(params)}){printer.returns(function.returns)}:"
    body = _indented(printer.block(function.body))
    return "\n".join([f"@pl.function{_decorator_arguments(function)}", header, *body])


def printed_name(var: Var) -> str:
    """What the compiler calls the variable, before two of one name are told apart."""
    return _NUMBERED.sub("t__", var.name)


def print_block(block: Block) -> str:
    """Statements alone, for previews of a part of a kernel."""
    return "\n".join(_Printer({}).block(block))


def _decorator_arguments(function: Function) -> str:
    parts = [] if function.kind is FunctionKind.OPAQUE else [f"type=pl.FunctionType.{function.kind.value}"]
    parts += attribute_texts({key: function.attrs[key] for key in _DECORATOR_KEYWORDS if key in function.attrs})
    return f"({', '.join(parts)})" if parts else ""


def _unique_names(function: Function) -> Mapping[Var, str]:
    """New names for the variables that do not stay as given, in order of definition: none twice, none numbered."""
    ordered: dict[Var, None] = {param.var: None for param in function.params}
    body = list(statements(function.body))
    for stmt in body:
        ordered.update(dict.fromkeys(stmt.definitions))
    for stmt in body:
        for expr in stmt.operands:
            ordered.update(dict.fromkeys(expr.variables))
    names = {var: printed_name(var) for var in ordered}
    taken = set(names.values())
    owners: set[str] = set()
    renamed: dict[Var, str] = {}
    for var, name in names.items():
        if name not in owners:
            owners.add(name)
            if name != var.name:
                renamed[var] = name
            continue
        number = 1
        while f"{name}_{number}" in taken:
            number += 1
        renamed[var] = f"{name}_{number}"
        taken.add(renamed[var])
    return renamed


def _indented(lines: list[str]) -> list[str]:
    return [f"{INDENT}{line}" for line in lines]


class _Printer:
    """Statements of one function to lines; `renamed` holds the variables that cannot keep their name."""

    def __init__(self, renamed: Mapping[Var, str]) -> None:
        self.renamed = renamed

    def name(self, var: Var) -> str:
        return self.renamed.get(var, var.name)

    def text(self, expr: Expr) -> str:
        return expression_text(expr, self.name)

    def type(self, type_: Type) -> str:
        return type_text(type_, self.name)

    def param(self, param: Param) -> str:
        type_ = self.type(param.var.type)
        if param.direction is not Direction.IN:
            type_ = f"pl.{param.direction.value}[{type_}]"
        return f"{self.name(param.var)}: {type_}"

    def returns(self, types: tuple[Type, ...]) -> str:
        if not types:
            return ""
        texts = [self.type(type_) for type_ in types]
        return f" -> {texts[0]}" if len(texts) == 1 else f" -> tuple[{', '.join(texts)}]"

    def target(self, var: Var) -> str:
        if isinstance(var.type, UnknownType):
            return self.name(var)
        return f"{self.name(var)}: {self.type(var.type)}"

    def block(self, block: Block, return_vars: tuple[Var, ...] = ()) -> list[str]:
        """The lines of a block; its last yield is bound to `return_vars`."""
        lines: list[str] = []
        for index, stmt in enumerate(block):
            bound = return_vars if index == len(block) - 1 else ()
            lines += self.statement(stmt, bound)
        return lines or ["pass"]

    def statement(self, stmt: Stmt, return_vars: tuple[Var, ...]) -> list[str]:
        if isinstance(stmt, Assign):
            return [f"{self.target(stmt.var)} = {self.text(stmt.value)}"]
        if isinstance(stmt, Eval):
            return [self.text(stmt.value)]
        if isinstance(stmt, For):
            return self.for_(stmt)
        if isinstance(stmt, While):
            return self.while_(stmt)
        if isinstance(stmt, If):
            return self.if_(stmt)
        if isinstance(stmt, Yield):
            return [self.yield_(stmt, return_vars)]
        if isinstance(stmt, Return):
            return [f"return {', '.join(map(self.text, stmt.values))}".rstrip()]
        if isinstance(stmt, Scope):
            return self.scope(stmt, return_vars)
        return [_keyword(stmt)]

    def yield_(self, stmt: Yield, return_vars: tuple[Var, ...]) -> str:
        call = f"pl.yield_({', '.join(map(self.text, stmt.values))})"
        if not return_vars or not stmt.values:
            return call
        if len(return_vars) == 1:
            return f"{self.target(return_vars[0])} = {call}"
        return f"{', '.join(map(self.name, return_vars))} = {call}"

    def for_(self, loop: For) -> list[str]:
        target = self.name(loop.var)
        if loop.iter_args:
            target += f", ({self.comma_list(self.name(arg.var) for arg in loop.iter_args)})"
        parts = [*map(self.text, _bounds(loop)), *attribute_texts(loop.attrs, self.name)]
        if loop.iter_args:
            parts.append(self.init_values(loop.iter_args))
        header = f"for {target} in pl.{loop.kind}({', '.join(parts)}):"
        return [header, *_indented(self.block(loop.body, loop.return_vars))]

    def while_(self, loop: While) -> list[str]:
        if not loop.iter_args:
            return [f"while {self.text(loop.condition)}:", *_indented(self.block(loop.body, loop.return_vars))]
        names = [self.name(arg.var) for arg in loop.iter_args]
        target = f"({names[0]},)" if len(names) == 1 else ", ".join(names)
        body = [f"pl.cond({self.text(loop.condition)})", *self.block(loop.body, loop.return_vars)]
        return [f"for {target} in pl.while_({self.init_values(loop.iter_args)}):", *_indented(body)]

    def if_(self, stmt: If) -> list[str]:
        lines = [f"if {self.text(stmt.condition)}:", *_indented(self.block(stmt.then, stmt.return_vars))]
        if stmt.orelse:
            lines += ["else:", *_indented(self.block(stmt.orelse, stmt.return_vars))]
        return lines

    def scope(self, stmt: Scope, return_vars: tuple[Var, ...]) -> list[str]:
        parts = attribute_texts(stmt.attrs, self.name)
        alias = "" if stmt.var is None else f" as {self.name(stmt.var)}"
        inner = return_vars if stmt.kind in TRANSPARENT_SCOPES else ()
        return [f"with pl.{stmt.kind}({', '.join(parts)}){alias}:", *_indented(self.block(stmt.body, inner))]

    def init_values(self, args: tuple[IterArg, ...]) -> str:
        return f"init_values=({self.comma_list(self.text(arg.init) for arg in args)})"

    @staticmethod
    def comma_list(texts: Iterable[str]) -> str:
        """What stands between the parentheses of a tuple."""
        items = list(texts)
        return f"{items[0]}," if len(items) == 1 else ", ".join(items)


def _keyword(stmt: Break | Continue | Skipped) -> str:
    if isinstance(stmt, Skipped):
        return f"pass  # not part of the DSL: {' '.join(stmt.what.split())}"
    return "break" if isinstance(stmt, Break) else "continue"


def _bounds(loop: For) -> tuple[Expr, ...]:
    """The shortest form of start, stop and step: bare literals are INDEX, so only those can be left out."""
    if not _is_index(loop.step, 1):
        return (loop.start, loop.stop, loop.step)
    return (loop.stop,) if _is_index(loop.start, 0) else (loop.start, loop.stop)


def _is_index(expr: Expr, value: int) -> bool:
    return isinstance(expr, Const) and expr.dtype == INDEX and expr.value == value
