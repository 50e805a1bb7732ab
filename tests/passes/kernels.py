"""Small kernels for tests: a signature and a body in, the body after a pass out, without annotations and versions."""

from __future__ import annotations

import re
from textwrap import dedent, indent

from pto_analysis.ir.function import Function
from pto_analysis.ir.printer import print_function
from pto_analysis.passes.canonicalize import Canonicalized, canonicalize
from pto_analysis.passes.ssa import Ssa, to_ssa
from pto_analysis.passes.windows import WindowMap, map_windows
from tests.passes.dsl_reader import read_function

_VERSION = re.compile(r"__(?:ssa|iter|rv|phi|idx)_v\d+")

SCALARS = "n: pl.Scalar[pl.INDEX], m: pl.Scalar[pl.INDEX]"
VEC = f"t: pl.Tile[[16, 128], pl.FP32, pl.Mem.Vec], g: pl.Tile[[1, 64], pl.FP32, pl.Mem.Vec], {SCALARS}"
MAT = (
    "x: pl.Tile[[64, 512], pl.BF16, pl.Mem.Mat], y: pl.Tile[[512, 64], pl.BF16, pl.Mem.Mat], "
    "acc: pl.Tile[[32, 64], pl.FP32, pl.Mem.Acc], bias: pl.Tile[[1, 64], pl.FP32, pl.Mem.Bias], "
    f"{SCALARS}"
)
"""Parameters of kernels on the vector and the cube side."""


def kernel(body: str, params: str = SCALARS, kind: str = "InCore") -> Function:
    """A function as an author writes it. `out` is an Out parameter of [64, 64] FP32 in every kernel."""
    source = "\n".join(
        [
            "class K:",
            f"    @pl.function(type=pl.FunctionType.{kind})",
            f"    def kernel(self, {params}, out: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):",
            indent(dedent(body).strip("\n"), " " * 8),
            "        return out",
        ]
    )
    return read_function(source)


def ssa(body: str, params: str = SCALARS) -> Ssa:
    return to_ssa(kernel(body, params))


def canonical(body: str, params: str = SCALARS, kind: str = "InCore") -> Canonicalized:
    return canonicalize(to_ssa(kernel(body, params, kind)).function)


def windows(body: str, params: str = SCALARS) -> WindowMap:
    return map_windows(to_ssa(kernel(body, params)).function)


def codes(body: str, params: str = SCALARS) -> list[str]:
    return [strided.code for strided in windows(body, params).rejected]


def lines(function: Function) -> list[str]:
    """The body's lines, less the final return: no annotations, no version suffixes, the method's indentation gone."""
    text = print_function(function).splitlines()[2:-1]
    return [_plain(line.removeprefix("    ")) for line in text]


def _plain(line: str) -> str:
    head, separator, value = line.partition(" = ")
    if separator and ": pl." in head:
        line = f"{head.partition(':')[0]} = {value}"
    return _VERSION.sub("", line)


def after(body: str, params: str = SCALARS) -> list[str]:
    """The lines after canonicalization."""
    return lines(canonical(body, params).function)
