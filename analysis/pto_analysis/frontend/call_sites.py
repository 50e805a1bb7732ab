"""What calls in Python code tell: types of bare `pl.Tensor` parameters, values of factory parameters.

`a = torch.full((128, 128), 2.0, dtype=torch.float32)` followed by `kernel(a, …)` tells what `a` is. Only tensors whose
extents the constants of the file decide count; the first call that tells anything is taken.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Protocol, Union, cast

from attrs import define, field

from pto_analysis.frontend.call_reach import CallReach
from pto_analysis.frozen import frozen
from pto_analysis.ir.dtypes import DTYPES
from pto_analysis.ir.types import TensorType
from pto_analysis.source import syntax
from pto_analysis.source.builtin_calls import sequence_of
from pto_analysis.source.constants import unpack
from pto_analysis.source.from_ast import syntax_of
from pto_analysis.source.mending import without_first_error
from pto_analysis.source.modules import parse_ast
from pto_analysis.source.scanner import LogicalLine
from pto_analysis.source.unit import ModuleSource, Unit
from pto_analysis.source.values import ClassRef, FunctionRef, HostTensor, Unknown, Value

Called = Union[FunctionRef, ClassRef]
CallTypes = Mapping[str, TensorType]
"""Types by parameter position (as text) or keyword."""

MAX_ITEMS = 64
"""Items that a loop is followed over."""

MAX_BROKEN = 4
"""Statements of one function that may be broken before all of it is passed over."""

_DTYPES = {
    "float32": "FP32", "float16": "FP16", "bfloat16": "BF16", "int8": "INT8", "uint8": "UINT8", "int16": "INT16",
    "int32": "INT32", "int64": "INT64", "bool": "BOOL", "float8_e4m3fn": "FP8E4M3FN", "float8_e5m2": "FP8E5M2",
    "uint16": "UINT16", "uint32": "UINT32", "uint64": "UINT64",
}  # fmt: skip


@frozen
class Calls:
    """What Python code of a file hands over: tensor types to kernels, plain values to factories and classes.

    Both by the function or class, then by position (as text) or keyword; the first call that tells anything is taken.
    """

    tensors: Mapping[FunctionRef, CallTypes] = field(factory=dict[FunctionRef, CallTypes])
    values: Mapping[Called, Mapping[str, Value]] = field(factory=dict[Called, Mapping[str, Value]])


class Surroundings(Protocol):
    """What the search asks about the file and the workspace around it."""

    def lookup(self, name: str) -> Value:
        """A module-level name."""
        ...

    def evaluate(self, node: syntax.Expression, lookup: Callable[[str], Value]) -> Value: ...

    def imported(self, module: str, name: str | None, level: int) -> Value:
        """What an import inside of a function brings."""
        ...

    def nested_kernel(self, name: str, inside: str) -> FunctionRef | None:
        """A kernel that is not at module level: defined in or around a function or class, or the only one so called."""
        ...

    def is_kernel(self, ref: FunctionRef) -> bool: ...

    def is_factory(self, ref: Called) -> bool:
        """Whether a function or class has kernels inside."""
        ...

    def instance(self, name: str) -> Value:
        """An object of a class of the file, for `self` of its methods."""
        ...


def find_calls(path: str, source: ModuleSource, around: Surroundings) -> Calls:
    """The calls of kernels and factories in a file. What does not parse tells nothing, and hides nothing else."""
    search = _Search(around)
    names = _Names(around)
    reach = CallReach(path, source, names.lookup_finally, lambda module: around.imported(module, None, 0))

    def is_followed(item: Unit | LogicalLine) -> bool:
        if not isinstance(item, Unit) or item.name is None:
            return True
        return not _is_kernel(names.lookup(item.name), around) and reach.may_come_to_a_kernel(item, names.lookup)

    for item in source.items:
        if is_followed(item):
            search.block(_body(item), names)
    return Calls(search.tensors, search.values)


def _is_kernel(value: Value, around: Surroundings) -> bool:
    return isinstance(value, FunctionRef) and around.is_kernel(value)


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
    """What is known at one point of one function, by name."""

    around: Surroundings
    values: dict[str, Value] = field(factory=dict[str, Value])
    inside: str = ""
    """The qualified name of that function; "" at module level."""

    def lookup(self, name: str) -> Value:
        return self.values[name] if name in self.values else self.lookup_finally(name)

    def lookup_finally(self, name: str) -> Value:
        """As functions see it that are called later; for names of the module."""
        found = self.around.lookup(name)
        nested = self.around.nested_kernel(name, self.inside) if isinstance(found, Unknown) else None
        return found if nested is None else nested

    def value(self, node: ast.expr) -> Value:
        return self.around.evaluate(syntax_of(node), self.lookup)

    def inner(self) -> _Names:
        return _Names(self.around, dict(self.values), self.inside)

    def within(self, name: str) -> _Names:
        """Those in the body of a function or class that is defined here."""
        return _Names(self.around, dict(self.values), f"{self.inside}.{name}".removeprefix("."))

    def assign(self, target: ast.expr, value: Value) -> None:
        bound = unpack(syntax_of(target), value)
        if isinstance(bound, Unknown):
            self.forget(target)
        else:
            self.values.update(bound)

    def forget(self, node: ast.AST) -> None:
        """No name that a target or statement may bind is known any more."""
        for each in ast.walk(node):
            if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
                self.values[each.id] = Unknown(f"`{each.id}` is not followed")

    def import_(self, node: ast.Import | ast.ImportFrom) -> None:
        for alias in node.names:
            if isinstance(node, ast.ImportFrom):
                value = self.around.imported(node.module or "", alias.name, node.level)
                self.values[alias.asname or alias.name] = value
            else:
                name = alias.name if alias.asname else alias.name.partition(".")[0]
                self.values[alias.asname or name] = self.around.imported(name, None, 0)


@define(eq=False)
class _Search:
    around: Surroundings
    tensors: dict[FunctionRef, CallTypes] = field(factory=dict[FunctionRef, CallTypes])
    values: dict[Called, Mapping[str, Value]] = field(factory=dict[Called, Mapping[str, Value]])

    def block(self, body: Sequence[ast.stmt], names: _Names) -> None:
        for node in body:
            self.statement(node, names)

    def statement(self, node: ast.stmt, names: _Names) -> None:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            self.function(node, names)
        elif isinstance(node, ast.ClassDef):
            self.body_of_class(node, names.within(node.name))
        elif isinstance(node, ast.For):
            self.loop(node, names)
        elif isinstance(node, (ast.If, ast.While, ast.With, ast.Try)):
            for part in ("body", "orelse", "finalbody"):
                self.block(getattr(node, part, []), names)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names.import_(node)
        else:
            self.calls(node, names)
            if isinstance(node, ast.Assign):
                value = names.value(node.value)
                for target in node.targets:
                    names.assign(target, value)
            else:
                names.forget(node)

    def function(self, node: ast.FunctionDef | ast.AsyncFunctionDef, names: _Names) -> None:
        if not _is_kernel(names.lookup(node.name), self.around):
            inner = names.within(node.name)
            _bind_parameters(node, inner)
            self.block(node.body, inner)

    def body_of_class(self, node: ast.ClassDef, names: _Names) -> None:
        for each in node.body:
            if isinstance(each, ast.FunctionDef) and each.args.args and not each.decorator_list:
                inner = names.within(each.name)
                _bind_parameters(each, inner)
                inner.values[each.args.args[0].arg] = self.around.instance(node.name)
                self.block(each.body, inner)
            else:
                self.statement(each, names.inner())

    def loop(self, node: ast.For, names: _Names) -> None:
        """The body once for each item that is known; once without knowing the item otherwise."""
        items = sequence_of(names.value(node.iter))
        if isinstance(items, Unknown) or not items:
            names.forget(node.target)
            self.block(node.body, names)
            return
        for item in items[:MAX_ITEMS]:
            inner = names.inner()
            inner.assign(node.target, item)
            self.block(node.body, inner)

    def calls(self, node: ast.stmt, names: _Names) -> None:
        for call in _calls_in(node):
            for called in _called(call.func, names):
                self.call(called, call, names)

    def call(self, called: Called, call: ast.Call, names: _Names) -> None:
        if isinstance(called, FunctionRef) and self.around.is_kernel(called):
            if called not in self.tensors:
                known = ((key, _tensor_type(value)) for key, value in _handed(call, names))
                types = {key: type_ for key, type_ in known if type_ is not None}
                if types:
                    self.tensors[called] = types
        elif called not in self.values and self.around.is_factory(called):
            values = dict(_handed(call, names))
            if not all(isinstance(value, Unknown) for value in values.values()):
                self.values[called] = values


def _calls_in(node: ast.stmt) -> tuple[ast.Call, ...]:
    """Kept in the node: bodies of loops are come to again and again, and trees outlive the texts that they stand in."""
    known = node.__dict__.get(_KEPT)
    if known is None:
        known = node.__dict__[_KEPT] = tuple(call for call in ast.walk(node) if isinstance(call, ast.Call))
    return cast("tuple[ast.Call, ...]", known)


_KEPT = "pto calls"


def _called(func: ast.expr, names: _Names) -> Iterable[Called]:
    """What `kernel(…)`, `kernel[…](…)`, `kernel.compile(…)` and `MODES[mode](…)` may call."""
    if isinstance(func, ast.Attribute):
        value = names.value(func)
        found = value if isinstance(value, (FunctionRef, ClassRef)) else names.value(func.value)
    else:
        found = names.value(func)
        if isinstance(found, Unknown) and isinstance(func, ast.Subscript):
            found = names.value(func.value)
    if isinstance(found, dict):
        return [each for each in found.values() if isinstance(each, (FunctionRef, ClassRef))]
    return [found] if isinstance(found, (FunctionRef, ClassRef)) else []


def _handed(call: ast.Call, names: _Names) -> Iterator[tuple[str, Value]]:
    """Arguments by position or keyword; what is starred is spread as far as it is known."""
    position = 0
    for arg in call.args:
        spread = [names.value(arg)] if not isinstance(arg, ast.Starred) else sequence_of(names.value(arg.value))
        if isinstance(spread, Unknown):
            break
        for item in spread:
            yield str(position), item
            position += 1
    for word in call.keywords:
        if word.arg is not None:
            yield word.arg, names.value(word.value)


def _bind_parameters(node: ast.FunctionDef | ast.AsyncFunctionDef, names: _Names) -> None:
    """The parameters of a function: their defaults, or the first values that a test is parametrised with."""
    args = [*node.args.args, *node.args.kwonlyargs]
    for arg in args:
        names.values[arg.arg] = Unknown(f"`{arg.arg}` is decided by the call")
    for arg, default in zip(reversed(node.args.args), reversed(node.args.defaults), strict=False):
        names.values[arg.arg] = names.value(default)
    for arg, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True):
        if default is not None:
            names.values[arg.arg] = names.value(default)
    for decorator in node.decorator_list:
        _parametrise(decorator, names)


def _parametrise(decorator: ast.expr, names: _Names) -> None:
    """`@pytest.mark.parametrize("m, n", [(16, 64), …])`."""
    if not isinstance(decorator, ast.Call) or not isinstance(decorator.func, ast.Attribute):
        return
    if decorator.func.attr != "parametrize" or len(decorator.args) < 2:
        return
    words = names.value(decorator.args[0])
    if isinstance(words, str):
        words = [word.strip() for word in words.split(",")]
    items = sequence_of(names.value(decorator.args[1]))
    if not isinstance(words, (list, tuple)) or isinstance(items, Unknown) or not items:
        return
    first = items[0]
    values = [first] if len(words) == 1 else sequence_of(first)
    if not isinstance(values, Unknown):
        names.values.update((str(word), value) for word, value in zip(words, values, strict=False))


def _tensor_type(value: Value) -> TensorType | None:
    dtype = _DTYPES.get(value.dtype) if isinstance(value, HostTensor) else None
    return None if dtype is None or not isinstance(value, HostTensor) else TensorType(value.shape, DTYPES[dtype])
