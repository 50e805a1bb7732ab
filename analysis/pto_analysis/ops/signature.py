"""Reads the one-line signatures of the op table.

`"tile: tile, offsets: shape, output_tensor: tensor, shapes: shape = None, *, atomic: @atomic? = None_"`

Every parameter has a name, a kind and perhaps a default.

* A kind without `@` makes an IR operand: `tile`, `tensor`, `shaped` (either), `value` (any expression), `scalar(x)` (a
  literal takes the dtype of parameter `x`), `index`, `int32`, `float32`, `shape` and `indices` (tuples of extents),
  `axes` (a tuple that is left out when empty), `predicate`. It has no default but `None`, which leaves the operand out,
  and `$x`, which copies parameter `x`.
* A kind with `@` makes an IR attribute; with `?` it is left out when it has its default.

After `*` parameters are keyword only; `name...` takes all remaining positional arguments; `name~` gives up its position
when it is passed by keyword.
"""

from __future__ import annotations

from functools import cache
from typing import Literal

from pto_analysis.frozen import frozen
from pto_analysis.ir.remembered import remembered

Passing = Literal["positional", "keyword", "rest", "floating"]


@frozen(slots=False)
class Param:
    """One parameter of the DSL signature. `default` is its text ("False", "Vec", "$shapes"), None when required."""

    name: str
    kind: str
    default: str | None = None
    passing: Passing = "positional"

    @remembered
    def is_attribute(self) -> bool:
        return self.kind.startswith("@")

    @remembered
    def base_kind(self) -> str:
        """The kind without `@`, `?` and arguments: `scalar(lhs)` is "scalar", `@dtype?` is "dtype"."""
        return self.kind.lstrip("@").rstrip("?").partition("(")[0]

    @remembered
    def argument(self) -> str:
        """What stands in the parentheses of the kind."""
        return self.kind.partition("(")[2].partition(")")[0]

    @remembered
    def omitted_by_default(self) -> bool:
        return self.kind.endswith("?") or self.default == "None"


@frozen(eq=False)
class Signature:
    """The parameters of one signature, in order, and those that binding asks for. `names` are those that a keyword may
    give, `required` those without a default; `rest` takes all further positional arguments."""

    params: tuple[Param, ...]
    positional: tuple[Param, ...]
    rest: str | None
    names: frozenset[str]
    required: tuple[str, ...]
    attributes: tuple[Param, ...]
    operands: tuple[Param, ...]


@cache
def read_signature(text: str) -> Signature:
    """The signature that a text describes."""
    params = parameters(text)
    named = [param for param in params if param.passing != "rest"]
    return Signature(
        params=params,
        positional=tuple(param for param in params if param.passing in ("positional", "floating")),
        rest=next((param.name for param in params if param.passing == "rest"), None),
        names=frozenset(param.name for param in named),
        required=tuple(param.name for param in named if param.default is None),
        attributes=tuple(param for param in params if param.is_attribute),
        operands=tuple(param for param in params if not param.is_attribute),
    )


@cache
def parameters(signature: str) -> tuple[Param, ...]:
    """The parameters of a signature text, in order."""
    params: list[Param] = []
    keyword_only = False
    for piece in _split(signature):
        if piece == "*":
            keyword_only = True
            continue
        params.append(_parameter(piece, keyword_only=keyword_only))
    return tuple(params)


def operand_names(signature: str) -> tuple[str, ...]:
    """Names of the parameters that become IR operands, in order."""
    return tuple(p.name for p in parameters(signature) if not p.is_attribute)


def _parameter(text: str, *, keyword_only: bool) -> Param:
    head, _, default = text.partition("=")
    name, _, kind = head.partition(":")
    name = name.strip()
    passing: Passing = "keyword" if keyword_only else "positional"
    if name.endswith("..."):
        name, passing = name[:-3], "rest"
    if name.endswith("~"):
        name, passing = name[:-1], "floating"
    return Param(name, kind.strip() or "value", default.strip() or None, passing)


def _split(signature: str) -> list[str]:
    """Pieces between the commas that are not inside parentheses."""
    pieces: list[str] = []
    depth = 0
    start = 0
    for i, char in enumerate(signature):
        depth += (char == "(") - (char == ")")
        if char == "," and depth == 0:
            pieces.append(signature[start:i].strip())
            start = i + 1
    pieces.append(signature[start:].strip())
    return [piece for piece in pieces if piece]
