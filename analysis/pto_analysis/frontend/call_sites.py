"""Types for bare `pl.Tensor` parameters, from the calls that Python code of the same file makes (DSL a.2).

`a = torch.full((128, 128), 2.0, dtype=torch.float32)` followed by `kernel(a, …)` tells what `a` is. Only literal
constructors whose extents the constants of the file decide count; the first call that tells anything is taken.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence

from attrs import define, field

from pto_analysis.ir.dtypes import DTYPES, FP32, INT64, DType
from pto_analysis.ir.types import TensorType
from pto_analysis.source import syntax
from pto_analysis.source.from_ast import syntax_of
from pto_analysis.source.modules import parse_ast
from pto_analysis.source.values import Unknown, Value

Evaluate = Callable[[syntax.Expression, Callable[[str], Value]], Value]
CallTypes = Mapping[str, TensorType]
"""Types by parameter position (as text) or keyword."""

_SIZES_FIRST = frozenset({"zeros", "ones", "empty", "rand", "randn", "full"})
_LIKE = frozenset({"zeros_like", "ones_like", "empty_like", "rand_like", "randn_like", "full_like"})
_SAME = frozenset({"contiguous", "clone", "cpu", "detach", "npu", "to", "mul_", "add_", "div_", "fill_", "zero_"})
_CASTS = {"half": "FP16", "float": "FP32", "bfloat16": "BF16", "int": "INT32", "long": "INT64", "bool": "BOOL"}
_TORCH_DTYPES = {
    "float32": "FP32", "float": "FP32", "float16": "FP16", "half": "FP16", "bfloat16": "BF16", "int8": "INT8",
    "uint8": "UINT8", "int16": "INT16", "short": "INT16", "int32": "INT32", "int": "INT32", "int64": "INT64",
    "long": "INT64", "bool": "BOOL", "float8_e4m3fn": "FP8E4M3FN", "float8_e5m2": "FP8E5M2",
    "uint16": "UINT16", "uint32": "UINT32", "uint64": "UINT64",
}  # fmt: skip
_MODULES = frozenset({"torch", "np", "numpy"})


def call_site_types(
    text: str, kernels: frozenset[str], lookup: Callable[[str], Value], evaluate: Evaluate
) -> dict[str, CallTypes]:
    """For each named kernel that Python code of the file calls with known tensors: the types of its arguments."""
    tree = parse_ast(text)
    if tree is None or not any(f"{name}(" in text for name in kernels):
        return {}
    search = _Search(kernels, lookup, evaluate)
    search.block(tree.body, _Names(search))
    return search.found


@define(eq=False)
class _Names:
    """What is known at one point of one function: tensors and plain values by name."""

    search: _Search
    tensors: dict[str, TensorType] = field(factory=dict[str, TensorType])
    values: dict[str, Value] = field(factory=dict[str, Value])

    def lookup(self, name: str) -> Value:
        return self.values[name] if name in self.values else self.search.lookup(name)

    def value(self, node: ast.expr) -> Value:
        return self.search.evaluate(syntax_of(node), self.lookup)

    def inner(self) -> _Names:
        return _Names(self.search, dict(self.tensors), dict(self.values))


@define(eq=False)
class _Search:
    kernels: frozenset[str]
    lookup: Callable[[str], Value]
    evaluate: Evaluate
    found: dict[str, CallTypes] = field(factory=dict[str, CallTypes])

    def block(self, body: Sequence[ast.stmt], names: _Names) -> None:
        for node in body:
            self.statement(node, names)

    def statement(self, node: ast.stmt, names: _Names) -> None:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if not node.decorator_list:
                self.block(node.body, _with_defaults(node, names.inner()))
        elif isinstance(node, ast.ClassDef):
            self.block(node.body, names.inner())
        elif isinstance(node, (ast.If, ast.For, ast.While, ast.With, ast.Try)):
            for inner in (getattr(node, part, []) for part in ("body", "orelse", "finalbody")):
                self.block(inner, names)
        else:
            self.calls(node, names)
            if isinstance(node, ast.Assign) and len(node.targets) == 1:
                _assign(node.targets[0], node.value, names)

    def calls(self, node: ast.stmt, names: _Names) -> None:
        for call in ast.walk(node):
            if not isinstance(call, ast.Call):
                continue
            name = _called_name(call.func)
            if name is None or name not in self.kernels or name in self.found:
                continue
            types = {str(position): tensor_of(arg, names) for position, arg in enumerate(call.args)}
            types |= {word.arg: tensor_of(word.value, names) for word in call.keywords if word.arg is not None}
            known = {key: type_ for key, type_ in types.items() if type_ is not None}
            if known:
                self.found[name] = known


def _called_name(func: ast.expr) -> str | None:
    """`kernel(…)`, `kernel[…](…)`, `kernel.compile(…)`, `kernel.compile_for_test(…)`."""
    if isinstance(func, ast.Name):
        return func.id
    if isinstance(func, (ast.Subscript, ast.Attribute)) and isinstance(func.value, ast.Name):
        return func.value.id
    return None


def _with_defaults(node: ast.FunctionDef | ast.AsyncFunctionDef, names: _Names) -> _Names:
    args = node.args.args
    for arg in args:
        names.values[arg.arg] = Unknown(f"`{arg.arg}` is a parameter")
        names.tensors.pop(arg.arg, None)
    for arg, default in zip(reversed(args), reversed(node.args.defaults), strict=False):
        names.values[arg.arg] = names.value(default)
    return names


def _assign(target: ast.expr, value: ast.expr, names: _Names) -> None:
    if isinstance(target, ast.Tuple):
        values = value.elts if isinstance(value, ast.Tuple) and len(value.elts) == len(target.elts) else None
        for position, item in enumerate(target.elts):
            if values is not None:
                _assign(item, values[position], names)
            elif isinstance(item, ast.Name):
                _forget(item.id, names)
    elif isinstance(target, ast.Name):
        tensor = tensor_of(value, names)
        _forget(target.id, names)
        if tensor is not None:
            names.tensors[target.id] = tensor
        else:
            names.values[target.id] = names.value(value)


def _forget(name: str, names: _Names) -> None:
    names.tensors.pop(name, None)
    names.values[name] = Unknown(f"`{name}` is not followed")


def tensor_of(node: ast.expr, names: _Names) -> TensorType | None:
    """The type of a tensor expression; None when its extents or dtype are not known."""
    if isinstance(node, ast.Name):
        return names.tensors.get(node.id)
    if isinstance(node, ast.BinOp):
        left, right = tensor_of(node.left, names), tensor_of(node.right, names)
        return left or right if left is None or right is None or left == right else None
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    owner, name = node.func.value, node.func.attr
    if isinstance(owner, ast.Name) and owner.id in _MODULES:
        return _constructed(node, name, names)
    below = tensor_of(owner, names)
    return None if below is None else _method(node, name, below)


def _constructed(node: ast.Call, name: str, names: _Names) -> TensorType | None:
    words = {word.arg: word.value for word in node.keywords if word.arg is not None}
    dtype = _torch_dtype(words["dtype"]) if "dtype" in words else None
    if "dtype" in words and dtype is None:
        return None
    if name in _LIKE and node.args:
        like = tensor_of(node.args[0], names)
        return None if like is None else TensorType(like.shape, dtype or like.dtype)
    if name in _SIZES_FIRST:
        sizes = [words["size"]] if "size" in words else node.args[:1] if name == "full" else node.args
        shape = _shape(sizes, names)
        return None if shape is None else TensorType(shape, dtype or FP32)
    if name == "randint":
        size = words.get("size") or (node.args[-1] if node.args else None)
        shape = None if size is None else _shape([size], names)
        return None if shape is None else TensorType(shape, dtype or INT64)
    return None


def _method(node: ast.Call, name: str, below: TensorType) -> TensorType | None:
    if name in _CASTS:
        return TensorType(below.shape, DTYPES[_CASTS[name]])
    if name not in _SAME:
        return None
    words = [*node.args, *(word.value for word in node.keywords if word.arg == "dtype")]
    dtypes = [dtype for dtype in map(_torch_dtype, words) if dtype is not None] if name == "to" else []
    return TensorType(below.shape, dtypes[0]) if dtypes else below


def _shape(sizes: Sequence[ast.expr], names: _Names) -> tuple[int, ...] | None:
    """Extents from `(2, 3)`, `[2, 3]` or `2, 3`."""
    values = [names.value(size) for size in sizes]
    if len(values) == 1 and isinstance(values[0], (list, tuple)):
        values = list(values[0])
    found = [value for value in values if isinstance(value, int) and not isinstance(value, bool) and value > 0]
    return tuple(found) if found and len(found) == len(values) else None


def _torch_dtype(node: ast.expr) -> DType | None:
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in _MODULES:
        name = _TORCH_DTYPES.get(node.attr)
        return None if name is None else DTYPES[name]
    return None
