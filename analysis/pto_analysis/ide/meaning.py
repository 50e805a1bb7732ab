"""What a name means that stands for something outside of its kernel: another kernel, or a constant of the workspace."""

from __future__ import annotations

import textwrap
from pathlib import PurePath
from typing import cast

from pto_analysis.frontend.module import KernelPlace, Modules
from pto_analysis.ide.hover import Hover
from pto_analysis.ide.occurrences import is_local, kernel_meant
from pto_analysis.ide.spot import Spot, spot_at
from pto_analysis.source import syntax
from pto_analysis.source.unit import Unit

_LONGEST = 400
"""Characters of a constant's value that are shown."""


def meaning_at(path: str, unit: Unit, modules: Modules, line: int, column: int) -> Hover | None:
    """The header of the kernel, or the value of the constant, that the name at a place means."""
    spot = spot_at(unit, line, column)
    if spot is None or spot.dotted is None:
        return None
    text, node = spot.dotted
    kernel = kernel_meant(path, unit, modules, spot)
    told = _kernel(kernel) if kernel is not None else _constant(path, modules, spot, text)
    return Hover(told, spot.span(node)) if told is not None else None


def _kernel(kernel: KernelPlace) -> str:
    header = kernel.site.block.line
    decorator = kernel.unit.lines[kernel.site.decorator.statement]
    head = textwrap.dedent(" " * decorator.column + decorator.text)
    body = textwrap.dedent(" " * header.column + header.text)
    place = f"{PurePath(kernel.reader.path).name}:{kernel.unit.first_line + header.line + 1}"
    return f"```python\n{head}\n{body}\n```\n\n{place}"


def _constant(path: str, modules: Modules, spot: Spot, text: str) -> str | None:
    """`text = value` for a name that is no local one and has a plain value wherever it is read."""
    names = (node for node in reversed(spot.nodes) if isinstance(node, (syntax.Name, syntax.Attribute)))
    expression = next(names, None)
    if expression is None or is_local(spot.unit, spot.statement, text.partition(".")[0]):
        return None
    value = modules.workspace.evaluate(path, expression)
    if not _is_plain(value):
        return None
    shown = repr(value)
    return f"```python\n{text} = {shown if len(shown) <= _LONGEST else shown[:_LONGEST] + '…'}\n```"


def _is_plain(value: object) -> bool:
    if isinstance(value, (tuple, list)):
        return all(_is_plain(item) for item in cast("tuple[object, ...]", value))
    return isinstance(value, (bool, int, float, str))
