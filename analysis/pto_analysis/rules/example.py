"""Whole modules for examples from the lines that matter."""

from __future__ import annotations

import textwrap

X_Y = "x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]"

_MODULE_OF_WINDOWS = """\
import pypto.language as pl


@pl.program
class K:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self,
        x: pl.Tensor[[32, 128], pl.FP16],
        w: pl.Tensor[[64, 64], pl.FP16],
        y: pl.Out[pl.Tensor[[32, 64], pl.FP32]],
    ) -> pl.Tensor[[32, 64], pl.FP32]:
        xm = pl.load(x, [0, 0], [32, 128], target_memory=pl.Mem.Mat)
        wm = pl.load(w, [0, 0], [64, 64], target_memory=pl.Mem.Mat)
{body}"""

_MODULE_OF_PRODUCTS = """\
import pypto.language as pl


@pl.program
class K:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self,
        a: pl.Tensor[[16, 32], pl.FP16],
        b: pl.Tensor[[32, {columns}], pl.FP16],
        c: pl.Out[pl.Tensor[[16, {columns}], pl.FP32]],
    ) -> pl.Tensor[[16, {columns}], pl.FP32]:
        left = pl.move(pl.load(a, [0, 0], [16, 32], target_memory=pl.Mem.Mat), target_memory=pl.Mem.Left)
        right = pl.move(pl.load(b, [0, 0], [32, {columns}], target_memory=pl.Mem.Mat), target_memory=pl.Mem.Right)
{body}"""

_MODULE_OF_ROWS = """\
import pypto.language as pl


@pl.program
class K:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self,
        x: pl.Tensor[[8, 128], pl.FP32],
        g: pl.Tensor[[1, 128], pl.FP32],
        y: pl.Out[pl.Tensor[[8, 128], pl.FP32]],
    ) -> pl.Tensor[[8, 128], pl.FP32]:
        table = pl.load(x, [0, 0], [8, 128])
        gamma = pl.load(g, [0, 0], [1, 128])
{body}"""

_MODULE = """\
import pypto.language as pl


@pl.program
class K:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, {parameters}):
{body}"""


def incore(body: str, parameters: str = X_Y) -> str:
    """A module with one InCore kernel; `body` is its statements, without their common indentation."""
    return _MODULE.format(parameters=parameters, body=_indented(body))


def on_l1(body: str) -> str:
    """A module whose kernel has `xm` [32, 128] and `wm` [64, 64], FP16, in L1 and returns `y` [32, 64]."""
    return _MODULE_OF_WINDOWS.format(body=_indented(body))


def on_rows(body: str) -> str:
    """A module whose kernel has `table` [8, 128] and `gamma` [1, 128], FP32, in Vec and returns `y` [8, 128]."""
    return _MODULE_OF_ROWS.format(body=_indented(body))


def with_operands(body: str, columns: int) -> str:
    """A module whose kernel has `left` [16, 32] and `right` [32, columns], FP16, and returns `c` [16, columns]."""
    return _MODULE_OF_PRODUCTS.format(columns=columns, body=_indented(body))


def _indented(body: str) -> str:
    return textwrap.indent(textwrap.dedent(body), " " * 8)
