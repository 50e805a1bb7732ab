"""What the calls in the Python code of a file tell: types of bare `pl.Tensor` parameters, values of factory parameters.

`a = torch.full((128, 128), 2.0, dtype=torch.float32)` followed by `kernel(a, …)` tells what `a` is. Only literal
constructors whose extents the constants of the file decide count; the first call that tells anything is taken.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence

from attrs import define, field, frozen

from pto_analysis.ir.dtypes import DTYPES, FP32, INT64, DType
from pto_analysis.ir.types import TensorType
from pto_analysis.source import syntax
from pto_analysis.source.from_ast import syntax_of
from pto_analysis.source.mending import without_first_error
from pto_analysis.source.modules import parse_ast
from pto_analysis.source.scanner import LogicalLine
from pto_analysis.source.unit import ModuleSource, Unit
from pto_analysis.source.values import Unknown, Value

Evaluate = Callable[[syntax.Expression, Callable[[str], Value]], Value]
CallTypes = Mapping[str, TensorType]
"""Types by parameter position (as text) or keyword."""

MAX_ITEMS = 64
"""Items of a written-out list that a loop is followed over."""

MAX_BROKEN = 4
"""Statements of one function that may be broken before all of it is passed over."""

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


@frozen
class Calls:
    """What Python code of a file hands over: tensor types to kernels, plain values to factories.

    Both by function name, then by position (as text) or keyword; the first call that tells anything is taken.
    """

    tensors: Mapping[str, CallTypes] = field(factory=dict[str, CallTypes])
    values: Mapping[str, Mapping[str, Value]] = field(factory=dict[str, Mapping[str, Value]])


def find_calls(
    source: ModuleSource,
    kernels: frozenset[str],
    factories: frozenset[str],
    lookup: Callable[[str], Value],
    evaluate: Evaluate,
) -> Calls:
    """The calls of some kernels and factories in a file. What does not parse tells nothing, and hides nothing else."""
    search = _Search(kernels, factories, lookup, evaluate)
    names = _Names(search)
    for item in source.items:
        if isinstance(item, Unit) and item.keyword == "def" and item.name in kernels:
            continue
        search.block(_body(item), names)
    return Calls(search.tensors, search.values)


def _body(item: Unit | LogicalLine) -> Sequence[ast.stmt]:
    """The statements of a part of a module, those excepted that do not parse."""
    text = item.text
    for _ in range(MAX_BROKEN + 1):
        tree = parse_ast(text)
        if tree is not None:
            return tree.body
        mended = without_first_error(text) if isinstance(item, Unit) else None
        if mended is None:
            break
        text = mended
    return ()


@define(eq=False)
class _Names:
    """What is known at one point of one function, by name: tensors, plain values, kernels, list and dict literals."""

    search: _Search
    tensors: dict[str, TensorType] = field(factory=dict[str, TensorType])
    values: dict[str, Value] = field(factory=dict[str, Value])
    kernels: dict[str, str] = field(factory=dict[str, str])
    literals: dict[str, ast.expr] = field(factory=dict[str, ast.expr])

    def lookup(self, name: str) -> Value:
        return self.values[name] if name in self.values else self.search.lookup(name)

    def value(self, node: ast.expr) -> Value:
        return self.search.evaluate(syntax_of(node), self.lookup)

    def inner(self) -> _Names:
        return _Names(self.search, dict(self.tensors), dict(self.values), dict(self.kernels), dict(self.literals))

    def assign(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Tuple):
            parts = value.elts if isinstance(value, (ast.Tuple, ast.List)) else []
            for position, item in enumerate(target.elts):
                if len(parts) == len(target.elts):
                    self.assign(item, parts[position])
                elif isinstance(item, ast.Name):
                    self.forget(item.id)
        elif isinstance(target, ast.Name):
            tensor = tensor_of(value, self)
            plain = Unknown("an alias") if isinstance(value, ast.Name) else self.value(value)
            self.forget(target.id)
            if tensor is not None:
                self.tensors[target.id] = tensor
            elif isinstance(value, ast.Name):
                self._alias(target.id, value.id)
            else:
                self.values[target.id] = plain
            if isinstance(value, (ast.List, ast.Tuple, ast.Dict)):
                self.literals[target.id] = value

    def forget(self, name: str) -> None:
        for table in (self.tensors, self.kernels, self.literals):
            table.pop(name, None)
        self.values[name] = Unknown(f"`{name}` is not followed")

    def function(self, name: str) -> str:
        """The kernel or factory that a name means."""
        return self.kernels.get(name, name)

    def _alias(self, name: str, other: str) -> None:
        meant = self.function(other)
        if meant in self.search.kernels or meant in self.search.factories:
            self.kernels[name] = meant
        else:
            self.values[name] = self.lookup(other)


@define(eq=False)
class _Search:
    kernels: frozenset[str]
    factories: frozenset[str]
    lookup: Callable[[str], Value]
    evaluate: Evaluate
    tensors: dict[str, CallTypes] = field(factory=dict[str, CallTypes])
    values: dict[str, Mapping[str, Value]] = field(factory=dict[str, Mapping[str, Value]])

    def block(self, body: Sequence[ast.stmt], names: _Names) -> None:
        for node in body:
            self.statement(node, names)

    def statement(self, node: ast.stmt, names: _Names) -> None:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if node.name not in self.kernels:
                self.block(node.body, _with_parameters(node, names.inner()))
        elif isinstance(node, ast.ClassDef):
            self.block(node.body, names.inner())
        elif isinstance(node, ast.For):
            self.loop(node, names)
        elif isinstance(node, (ast.If, ast.While, ast.With, ast.Try)):
            for part in ("body", "orelse", "finalbody"):
                self.block(getattr(node, part, []), names)
        else:
            self.calls(node, names)
            if isinstance(node, ast.Assign) and len(node.targets) == 1:
                names.assign(node.targets[0], node.value)

    def loop(self, node: ast.For, names: _Names) -> None:
        """The body once for each item of a literal list; once without knowing the item otherwise."""
        items = _items(node.iter, names)
        for item in items[:MAX_ITEMS]:
            inner = names.inner()
            inner.assign(node.target, item)
            self.block(node.body, inner)
        if not items:
            for target in ast.walk(node.target):
                if isinstance(target, ast.Name):
                    names.forget(target.id)
            self.block(node.body, names)

    def calls(self, node: ast.stmt, names: _Names) -> None:
        for call in ast.walk(node):
            if not isinstance(call, ast.Call):
                continue
            called = _called_name(call.func)
            name = None if called is None else names.function(called)
            if name in self.kernels and name not in self.tensors:
                known = {key: tensor_of(arg, names) for key, arg in _handed(call, names)}
                types = {key: type_ for key, type_ in known.items() if type_ is not None}
                if types:
                    self.tensors[name] = types
            elif name in self.factories and name not in self.values:
                values = {key: names.value(arg) for key, arg in _handed(call, names)}
                plain = {key: value for key, value in values.items() if not isinstance(value, Unknown)}
                if plain:
                    self.values[name] = values


def _items(node: ast.expr, names: _Names) -> list[ast.expr]:
    """The items that a loop goes over, when they are written out."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
        literal = names.literals.get(node.func.value.id)
        if not isinstance(literal, ast.Dict) or node.func.attr not in ("items", "values"):
            return []
        if node.func.attr == "values":
            return literal.values
        pairs = zip(literal.keys, literal.values, strict=True)
        return [ast.Tuple(elts=[key, value], ctx=ast.Load()) for key, value in pairs if key is not None]
    literal = names.literals.get(node.id) if isinstance(node, ast.Name) else node
    return literal.elts if isinstance(literal, (ast.List, ast.Tuple)) else []


def _handed(call: ast.Call, names: _Names) -> Iterator[tuple[str, ast.expr]]:
    """Arguments by position or keyword; a starred literal is spread."""
    position = 0
    for arg in call.args:
        spread = [arg]
        if isinstance(arg, ast.Starred):
            spread = _items(arg.value, names)
        for item in spread:
            yield str(position), item
            position += 1
    for word in call.keywords:
        if word.arg is not None:
            yield word.arg, word.value


def _called_name(func: ast.expr) -> str | None:
    """`kernel(…)`, `kernel[…](…)`, `kernel.compile(…)`, `kernel.lower(…)`."""
    if isinstance(func, ast.Name):
        return func.id
    if isinstance(func, (ast.Subscript, ast.Attribute)) and isinstance(func.value, ast.Name):
        return func.value.id
    return None


def _with_parameters(node: ast.FunctionDef | ast.AsyncFunctionDef, names: _Names) -> _Names:
    """The parameters of a function: their defaults, or the first values that a test is parametrised with."""
    args = [*node.args.args, *node.args.kwonlyargs]
    for arg in args:
        names.forget(arg.arg)
    for arg, default in zip(reversed(node.args.args), reversed(node.args.defaults), strict=False):
        names.values[arg.arg] = names.value(default)
    for arg, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True):
        if default is not None:
            names.values[arg.arg] = names.value(default)
    for decorator in node.decorator_list:
        _parametrise(decorator, names)
    return names


def _parametrise(decorator: ast.expr, names: _Names) -> None:
    """`@pytest.mark.parametrize("m, n", [(16, 64), …])`."""
    if not isinstance(decorator, ast.Call) or not isinstance(decorator.func, ast.Attribute):
        return
    if decorator.func.attr != "parametrize" or len(decorator.args) < 2:
        return
    words = names.value(decorator.args[0])
    items = _items(decorator.args[1], names)
    if isinstance(words, str):
        words = [word.strip() for word in words.split(",")]
    if not isinstance(words, (list, tuple)) or not items:
        return
    first = items[0]
    if isinstance(first, ast.Call) and first.args:
        first = first.args[0] if len(words) == 1 else ast.Tuple(elts=first.args, ctx=ast.Load())
    targets = [ast.Name(id=str(word), ctx=ast.Store()) for word in words]
    names.assign(targets[0] if len(targets) == 1 else ast.Tuple(elts=[*targets], ctx=ast.Store()), first)


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
