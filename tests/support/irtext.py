"""Compares two printed kernels up to names, annotations and spelling of arguments.

`canon(text)` gives a nested tuple for each function: names are numbered in the order they are defined, `pl.tile.x`
and `pl.x` are one, known keywords become positions, annotations are dropped, `pl.const(3, T)` is 3, a load's valid
shape equal to its shape is dropped. Numbers compare with their type (2 is not 2.0). Two texts are the same kernel
when their canonical forms are equal.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from typing import cast

_POSITIONS: Mapping[str, tuple[str, ...]] = {
    "load": ("tensor", "offsets", "shapes", "valid_shape"),
    "slice": ("tile", "shape", "offset", "valid_shape", "drop_dims"),
    "extract": ("src", "index_row", "index_col", "shape"),
    "create": ("shape", "dtype"),
    "store": ("tile", "offsets", "output_tensor"),
}
"""Keywords and their position in the op's own signature."""

_LOOPS = ("range", "pipeline", "parallel", "unroll")

_NONE = ("NoneType", None)


def canon(text: str) -> dict[str, object]:
    """The canonical form of every function in the text, by name."""
    return {node.name: _function(node) for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)}


def difference(expected: str, actual: str) -> str | None:
    """A short text naming the first place where two modules differ, or None."""
    return first_difference(tuple(canon(expected).items()), tuple(canon(actual).items()))


def first_difference(a: object, b: object, path: str = "kernel") -> str | None:
    """A short text naming the first place where two canonical forms differ, or None."""
    if a == b:
        return None
    if isinstance(a, tuple) and isinstance(b, tuple):
        left, right = cast("tuple[object, ...]", a), cast("tuple[object, ...]", b)
        for position, (x, y) in enumerate(zip(left, right, strict=False)):
            found = first_difference(x, y, f"{path}.{position}")
            if found:
                return found
        return f"{path}: {len(left)} parts against {len(right)}"
    return f"{path}: {a!r:.160} against {b!r:.160}"


def _function(node: ast.FunctionDef) -> object:
    form = _Canon()
    params = [form.define(arg.arg) for arg in node.args.args if arg.arg != "self"]
    return tuple(params), form.block(node.body)


class _Canon:
    def __init__(self) -> None:
        self.ids: dict[str, str] = {}

    def define(self, name: str) -> str:
        return self.ids.setdefault(name, f"v{len(self.ids)}")

    def target(self, node: ast.expr) -> object:
        if isinstance(node, ast.Name):
            return self.define(node.id)
        if isinstance(node, ast.Tuple):
            return ("tuple", *map(self.target, node.elts))
        return self.expr(node)

    def expr(self, node: ast.expr | None) -> object:
        if node is None:
            return None
        if isinstance(node, ast.Name):
            return self.ids.get(node.id, node.id)
        if isinstance(node, ast.Constant):
            return (type(node.value).__name__, node.value)
        if isinstance(node, ast.UnaryOp):
            return self.unary(node)
        if isinstance(node, ast.BoolOp):
            return (type(node.op).__name__, *map(self.expr, node.values))
        if isinstance(node, ast.Subscript):
            return ("item", self.expr(node.value), self.expr(node.slice))
        if isinstance(node, ast.Slice):
            return ("slice", self.expr(node.lower), self.expr(node.upper), self.expr(node.step))
        if isinstance(node, ast.Attribute):
            return ast.unparse(node).split(".")[-1]
        if isinstance(node, (ast.List, ast.Tuple)):
            return ("list", *map(self.expr, node.elts))
        if isinstance(node, ast.BinOp):
            return (type(node.op).__name__, self.expr(node.left), self.expr(node.right))
        if isinstance(node, ast.Compare):
            names = (type(op).__name__ for op in node.ops)
            return ("cmp", self.expr(node.left), *names, *map(self.expr, node.comparators))
        return self.call(node) if isinstance(node, ast.Call) else ast.dump(node)

    def unary(self, node: ast.UnaryOp) -> object:
        value = node.operand.value if isinstance(node.operand, ast.Constant) else None
        if isinstance(node.op, ast.USub) and isinstance(value, (int, float)):
            return (type(value).__name__, -value)
        return (type(node.op).__name__, self.expr(node.operand))

    def call(self, node: ast.Call) -> object:
        name = ast.unparse(node.func).split(".")[-1]
        args = [self.expr(arg) for arg in node.args]
        if name == "const":
            return args[0]
        keywords = {str(key.arg): self.expr(key.value) for key in node.keywords}
        for position, key in enumerate(_POSITIONS.get(name, ())):
            if key in keywords and position == len(args):
                args.append(keywords.pop(key))
        if name == "load" and len(args) == 4 and args[3] == args[2]:
            args.pop()
        if name in _LOOPS:
            args = _full_range(args)
        kept = {key: value for key, value in keywords.items() if key != "attrs" and value not in (None, _NONE)}
        return (name, *args, *sorted(kept.items(), key=str))

    def block(self, body: Iterable[ast.stmt]) -> object:
        return tuple(self.statement(node) for node in body if not _says_nothing(node))

    def statement(self, node: ast.stmt) -> object:
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            value = self.expr(node.value)
            return ("=", self.target(node.targets[0] if isinstance(node, ast.Assign) else node.target), value)
        if isinstance(node, ast.Expr):
            return ("eval", self.expr(node.value))
        if isinstance(node, ast.Return):
            return ("return", self.expr(node.value))
        if isinstance(node, ast.For):
            iterable = self.expr(node.iter)
            return ("for", self.target(node.target), iterable, self.block(node.body))
        if isinstance(node, ast.While):
            return ("while", self.expr(node.test), self.block(node.body))
        if isinstance(node, ast.If):
            return ("if", self.expr(node.test), self.block(node.body), self.block(node.orelse))
        if isinstance(node, ast.With):
            return ("with", *(self.expr(item.context_expr) for item in node.items), self.block(node.body))
        return ast.dump(node)


def _says_nothing(node: ast.stmt) -> bool:
    return isinstance(node, ast.Pass) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))


def _full_range(args: list[object]) -> list[object]:
    if len(args) == 1:
        return [("int", 0), args[0], ("int", 1)]
    return [*args, ("int", 1)] if len(args) == 2 else args
