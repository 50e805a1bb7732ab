"""Whole modules for examples from the lines that matter."""

from __future__ import annotations

import textwrap

X_Y = "x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]"

_MODULE = """\
import pypto.language as pl


@pl.program
class K:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, {parameters}):
{body}"""


def incore(body: str, parameters: str = X_Y) -> str:
    """A module with one InCore kernel; `body` is its statements, without their common indentation."""
    return _MODULE.format(parameters=parameters, body=textwrap.indent(textwrap.dedent(body), " " * 8))
