"""A machine of its own that runs small cube kernels as Python: L0C in boxes, and a MAD that knows no stride.

Kernels are executed, not read: `pl` is this module's stand-in for the DSL, so nothing is shared with the analysis.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from types import SimpleNamespace
from typing import Any

import numpy as np
from attrs import define

Array = np.ndarray[Any, np.dtype[np.float64]]
BOX = 16


def place(rows: int, row: int, col: int) -> int:
    """Where a tile of so many rows keeps an element, in elements from its first: box column after box column."""
    boxes = -(-rows // BOX)
    return (col // BOX * boxes + row // BOX) * BOX * BOX + row % BOX * BOX + col % BOX


@define(eq=False)
class Acc:
    """A window of L0C. `memory` belongs to a tile of `parent` rows."""

    memory: Array
    parent: int
    row: int
    col: int
    shape: tuple[int, int]

    def window(self, shape: tuple[int, int], offset: tuple[int, int]) -> Acc:
        assert all(o >= 0 and o + s <= whole for o, s, whole in zip(offset, shape, self.shape, strict=True)), "outside"
        return Acc(self.memory, self.parent, self.row + offset[0], self.col + offset[1], shape)

    def at(self, row: int, col: int) -> int:
        return place(self.parent, self.row + row, self.col + col)

    def values(self) -> Array:
        rows, cols = self.shape
        return np.array([[self.memory[self.at(r, c)] for c in range(cols)] for r in range(rows)])

    def __getitem__(self, items: slice | tuple[slice, slice]) -> Acc:
        both = items if isinstance(items, tuple) else (items, slice(None))
        (top, bottom, _), (left, right, _) = both[0].indices(self.shape[0]), both[1].indices(self.shape[1])
        return self.window((bottom - top, right - left), (top, left))


class Machine:
    """`is_ideal`: the MAD writes every element where the window has it, as the author means it. Otherwise it writes
    its result as if the destination were a tile of the result's own height, from the window's first element on."""

    def __init__(self, *, is_ideal: bool) -> None:
        self.is_ideal = is_ideal
        self.yielded: list[tuple[Any, ...]] = []

    def run(self, text: str, *arguments: Array) -> Array:
        """The last tensor after running `K.kernel`, or the function `kernel`; the others are read only."""
        lines = [line for line in text.splitlines() if not line.startswith(("import pypto", "from pypto"))]
        space: dict[str, Any] = {"pl": self.language()}
        exec(compile("\n".join(lines), "kernel", "exec"), space)
        tensors = [np.array(argument) for argument in arguments]
        if "K" in space:
            space["K"].kernel(None, *tensors)
        else:
            space["kernel"](*tensors)
        return tensors[-1]

    def language(self) -> SimpleNamespace:
        tile = SimpleNamespace(
            create=self.create, slice=self.slice, matmul_acc=self.matmul_acc, store=self.store, load=self.load,
            move=self.move, extract=self.extract, add=_add, mul=_mul, reshape=self.reshape,
        )  # fmt: skip
        anything = _Anything()
        return SimpleNamespace(
            **vars(tile), tile=tile, create_tile=self.create, range=self.range, yield_=self.yield_, at=_region,
            program=_unchanged, jit=_unchanged, function=_decorator, Level=anything, FunctionType=anything,
            Mem=anything, Tensor=anything, Tile=anything, Out=anything, FP16=16, FP32=32, INDEX=64, Scalar=anything,
        )  # fmt: skip

    def load(self, tensor: Array, offsets: list[int], shapes: list[int], **_: object) -> Array:
        (top, left), (rows, cols) = offsets, shapes
        assert top + rows <= tensor.shape[0]
        assert left + cols <= tensor.shape[1]
        return tensor[top : top + rows, left : left + cols]

    def move(self, tile: Array, **_: object) -> Array:
        return tile

    def create(self, shape: list[int], _dtype: object = None, **_: object) -> Acc:
        rows, cols = shape
        padded = [-(-side // BOX) * BOX for side in shape]
        return Acc(np.zeros(padded[0] * padded[1]), rows, 0, 0, (rows, cols))

    def slice(self, tile: Acc | Array, shape: list[int], offset: list[int]) -> Acc | Array:
        if isinstance(tile, Acc):
            return tile.window((shape[0], shape[1]), (offset[0], offset[1]))
        return self.load(tile, offset, shape)

    def reshape(self, tile: Acc, shape: list[int]) -> Acc:
        """The same shape again."""
        assert tuple(shape) == tile.shape
        return tile

    def extract(self, tile: Array, row: int, col: int, shape: list[int], **_: object) -> Array:
        return np.array(self.load(tile, [row, col], shape))

    def matmul_acc(self, acc: Acc, lhs: Array, rhs: Array, *, init_cond: bool = False) -> Acc:
        product = lhs @ rhs
        assert product.shape == acc.shape
        start, rows = acc.at(0, 0), acc.shape[0]
        for row, col in itertools.product(range(rows), range(acc.shape[1])):
            value = float(product[row, col])
            where = acc.at(row, col) if self.is_ideal else start + place(rows, row, col)
            acc.memory[where] = value + (0 if init_cond else acc.memory[where])
        return acc

    def store(self, tile: Acc | Array, offsets: list[int], output_tensor: Array) -> Array:
        (top, left), values = offsets, tile.values() if isinstance(tile, Acc) else tile
        rows, cols = values.shape
        assert top + rows <= output_tensor.shape[0]
        assert left + cols <= output_tensor.shape[1]
        output_tensor[top : top + rows, left : left + cols] = values
        return output_tensor

    def range(self, *bounds: int, init_values: tuple[Any, ...] | None = None) -> Iterator[Any]:
        if init_values is None:
            yield from range(*bounds)
            return
        carried = init_values
        for index in range(*bounds):
            yield index, carried
            carried = self.yielded.pop()

    def yield_(self, *values: Any) -> Any:
        self.yielded.append(values)
        return values[0] if len(values) == 1 else values


def _add(left: Array, right: Array | float) -> Array:
    return left + right


def _mul(left: Array, right: Array | float) -> Array:
    return left * right


def _unchanged(value: Any) -> Any:
    return value


def _region(**_: object) -> AbstractContextManager[None]:
    return nullcontext()


def _decorator(**_: object) -> Callable[[Any], Any]:
    return _unchanged


class _Anything:
    """What annotations and keyword values may be made of."""

    def __getattr__(self, name: str) -> _Anything:
        return self

    def __getitem__(self, item: object) -> _Anything:
        return self
