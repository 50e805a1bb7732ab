"""Tensors of the Python code around kernels: torch and numpy calls read for extents and dtypes, never run."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pto_analysis.frozen import evolve
from pto_analysis.source.values import External, HostTensor, Method, Unknown, Value

DTYPES = {
    "float": "float32", "half": "float16", "double": "float64", "short": "int16", "int": "int32", "long": "int64",
    "bool_": "bool",
} | {
    name: name
    for name in (
        "float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2", "int8", "int16", "int32", "int64",
        "uint8", "uint16", "uint32", "uint64", "bool",
    )
}  # fmt: skip
"""The names of dtypes in torch and numpy, by the one of torch."""

_CASTS = frozenset({"half", "float", "double", "bfloat16", "short", "int", "long", "bool"})
_SAME = frozenset(
    {
        "contiguous", "clone", "copy", "cpu", "cuda", "npu", "detach", "pin_memory", "abs", "neg", "exp", "log", "sqrt",
        "rsqrt", "relu", "sigmoid", "tanh", "round", "floor", "ceil", "clamp", "clip", "softmax",
    }
)  # fmt: skip
"""Methods whose result has the extents and dtype of the tensor; so has every one that works in place (`fill_`)."""


def is_host_call(path: str) -> bool:
    """Whether a name from outside of the workspace makes tensors."""
    module, _, name = path.rpartition(".")
    return module in ("torch", "numpy") and name in _MAKERS


def make(path: str, args: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    """`torch.zeros(2, 3, dtype=…)` and the like."""
    module, _, name = path.rpartition(".")
    shape, element = _MAKERS[name](args, keywords)
    if shape is None:
        return Unknown(f"the extents that {path} gets")
    default = {"float": "float32" if module == "torch" else "float64", "int": "int64"}.get(element, element)
    dtype = default if keywords.get("dtype") is None else dtype_of(keywords["dtype"])
    return Unknown(f"the dtype that {path} gets") if dtype is None else HostTensor(shape, dtype)


def dtype_of(value: Value) -> str | None:
    """The torch name of a dtype given as `torch.float16`, `np.int8` or a string."""
    name = value.path.rpartition(".")[2] if isinstance(value, External) else value
    return DTYPES.get(name) if isinstance(name, str) else None


def attribute(tensor: HostTensor, name: str) -> Value:
    if name == "shape":
        return tensor.shape
    if name == "dtype":
        return External(f"torch.{tensor.dtype}")
    if name == "T":
        return evolve(tensor, shape=tensor.shape[::-1])
    return Method(tensor, name)


def call_method(tensor: HostTensor, name: str, args: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    if name in _CASTS:
        return evolve(tensor, dtype=DTYPES[name])
    if name in ("to", "type", "astype"):
        dtypes = [dtype for dtype in map(dtype_of, (*args, keywords.get("dtype"))) if dtype is not None]
        return evolve(tensor, dtype=dtypes[0]) if dtypes else tensor
    if name in _SAME or (name.endswith("_") and not name.endswith("__")):
        return tensor
    rule = _METHODS.get(name)
    return Unknown(f"method {name} of a tensor") if rule is None else rule(tensor, args)


def binary(op: str, left: Value, right: Value) -> Value:
    """An operator with a tensor on one side at least. Another operand that is not known counts as a number."""
    if not isinstance(left, HostTensor) or not isinstance(right, HostTensor):
        tensor, other = (left, right) if isinstance(left, HostTensor) else (right, left)
        assert isinstance(tensor, HostTensor)
        grows = "int" in tensor.dtype and (isinstance(other, float) or op == "/")
        return evolve(tensor, dtype="float32") if grows else tensor
    if left.dtype != right.dtype:
        return Unknown("an operator on tensors of different dtypes")
    rank = max(len(left.shape), len(right.shape))
    sides = [(1,) * (rank - len(side.shape)) + side.shape for side in (left, right)]
    if any(a != b and 1 not in (a, b) for a, b in zip(*sides, strict=True)) or op == "@":
        return Unknown("an operator on tensors of different extents")
    return HostTensor(tuple(max(pair) for pair in zip(*sides, strict=True)), left.dtype)


def _extents(values: Sequence[Value]) -> tuple[int, ...] | None:
    """Extents from `(2, 3)`, `[2, 3]` or `2, 3`."""
    if len(values) == 1 and isinstance(values[0], (list, tuple)):
        values = values[0]
    found = [value for value in values if isinstance(value, int) and not isinstance(value, bool)]
    return tuple(found) if found and len(found) == len(values) and min(found) > 0 else None


_Made = tuple["tuple[int, ...] | None", str]
"""Extents, and the dtype unless the call names one: "float", "int", or a torch name."""


def _sizes(args: Sequence[Value], keywords: Mapping[str, Value]) -> _Made:
    given = keywords.get("size", keywords.get("shape"))
    return _extents([given] if given is not None else args), "float"


def _first_is_size(args: Sequence[Value], keywords: Mapping[str, Value]) -> _Made:
    return _sizes(args[:1], keywords)


def _last_is_size(args: Sequence[Value], keywords: Mapping[str, Value]) -> _Made:
    return _sizes(args[-1:], keywords)[0], "int"


def _like(args: Sequence[Value], keywords: Mapping[str, Value]) -> _Made:
    del keywords
    tensor = args[0] if args else None
    return (tensor.shape, tensor.dtype) if isinstance(tensor, HostTensor) else (None, "float")


def _counted(args: Sequence[Value], keywords: Mapping[str, Value]) -> _Made:
    """arange: end, or start and end, or start, end and step."""
    del keywords
    numbers = [each for each in args if isinstance(each, (int, float)) and not isinstance(each, bool)]
    if not numbers or len(numbers) != len(args) or len(numbers) > 3:
        return None, "int"
    start, end = (0, numbers[0]) if len(numbers) == 1 else numbers[:2]
    step = numbers[2] if len(numbers) == 3 else 1
    count = math.ceil((end - start) / step) if step else 0
    element = "int" if all(isinstance(each, int) for each in numbers) else "float"
    return (count,) if count > 0 else None, element


def _permutation(args: Sequence[Value], keywords: Mapping[str, Value]) -> _Made:
    del keywords
    return _extents(args[:1]), "int"


def _square(args: Sequence[Value], keywords: Mapping[str, Value]) -> _Made:
    del keywords
    return _extents([*args, *args] if len(args) == 1 else args[:2]), "float"


def _steps(args: Sequence[Value], keywords: Mapping[str, Value]) -> _Made:
    return _extents([keywords.get("steps", args[2] if len(args) > 2 else None)]), "float"


def _written_out(args: Sequence[Value], keywords: Mapping[str, Value]) -> _Made:
    """tensor: the extents of nested lists."""
    if args and isinstance(args[0], HostTensor):
        return _like(args, keywords)
    value: Value = args[0] if args else None
    shape: list[int] = []
    while isinstance(value, (list, tuple)):
        if not value:
            return None, "float"
        shape.append(len(value))
        value = value[0]
    return tuple(shape) if shape else None, _element(value)


def _element(value: Value) -> str:
    if isinstance(value, bool):
        return "bool"
    return "int" if isinstance(value, int) else "float"


_MAKERS: dict[str, Callable[[Sequence[Value], Mapping[str, Value]], _Made]] = {
    **dict.fromkeys(("zeros", "ones", "empty", "rand", "randn"), _sizes),
    **dict.fromkeys(("zeros_like", "ones_like", "empty_like", "rand_like", "randn_like", "full_like"), _like),
    **dict.fromkeys(("tensor", "as_tensor", "array", "asarray"), _written_out),
    "full": _first_is_size,
    "randint": _last_is_size,
    "arange": _counted,
    "randperm": _permutation,
    "eye": _square,
    "linspace": _steps,
}


def _reshaped(tensor: HostTensor, args: Sequence[Value]) -> Value:
    wanted = list(args[0]) if len(args) == 1 and isinstance(args[0], (list, tuple)) else list(args)
    sizes = [each for each in wanted if isinstance(each, int)]
    total = math.prod(tensor.shape)
    if len(sizes) != len(wanted) or sizes.count(-1) > 1:
        return Unknown("the extents of a reshape")
    known = math.prod(each for each in sizes if each != -1)
    if known <= 0 or total % known:
        return Unknown("the extents of a reshape")
    return evolve(tensor, shape=tuple(total // known if each == -1 else each for each in sizes))


def _unsqueezed(tensor: HostTensor, args: Sequence[Value]) -> Value:
    axis = args[0] if args else None
    rank = len(tensor.shape) + 1
    if not isinstance(axis, int) or not -rank <= axis < rank:
        return Unknown("the axis of unsqueeze")
    shape = list(tensor.shape)
    shape.insert(axis % rank, 1)
    return evolve(tensor, shape=tuple(shape))


def _transposed(tensor: HostTensor, args: Sequence[Value]) -> Value:
    axes = [axis for axis in args if isinstance(axis, int)] or [0, 1]
    rank = len(tensor.shape)
    if len(axes) != 2 or any(not -rank <= axis < rank for axis in axes):
        return Unknown("the axes of transpose")
    shape = list(tensor.shape)
    one, other = axes
    shape[one], shape[other] = shape[other], shape[one]
    return evolve(tensor, shape=tuple(shape))


def _size(tensor: HostTensor, args: Sequence[Value]) -> Value:
    axis = args[0] if args else None
    if axis is None:
        return tensor.shape
    fits = isinstance(axis, int) and -len(tensor.shape) <= axis < len(tensor.shape)
    return tensor.shape[axis] if fits and isinstance(axis, int) else Unknown("the axis of size")


_METHODS: dict[str, Callable[[HostTensor, Sequence[Any]], Value]] = {
    "reshape": _reshaped,
    "view": _reshaped,
    "unsqueeze": _unsqueezed,
    "transpose": _transposed,
    "t": _transposed,
    "size": _size,
    "dim": lambda tensor, _args: len(tensor.shape),
    "numel": lambda tensor, _args: math.prod(tensor.shape),
}
