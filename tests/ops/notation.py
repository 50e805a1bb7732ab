"""A short notation for operands and results, so that a typing test is one readable row.

`Vec FP32 [8, 16]` is a tile, `GM FP32 [64, n]` a tensor, `INT32` a scalar. Behind the shape may stand, in any order:

* `valid [8, n]`, `stride [32, 1]`;
* `col` (column major without boxes), or one of `nz`, `zn`, `zz`, `nn` (order of the blocks, then inside one);
* `/1024` (box size in bytes when not 512), `compact`, `pad=zero`, and for tensors `DN` or another layout.

`-` is a tile without a space yet. Layouts are always the effective ones. A refusal is `refused: <kind>`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence

from attrs import evolve

from pto_analysis.ir.dtypes import DTYPES, INDEX
from pto_analysis.ir.expr import Expr, Var
from pto_analysis.ir.types import (
    ArrayType,
    Compact,
    Dim,
    Layout,
    Pad,
    ScalarType,
    Shape,
    Space,
    TensorType,
    TensorView,
    TileType,
    TileView,
    TupleType,
    Type,
    UnknownType,
)
from pto_analysis.ops import Refusal
from pto_analysis.ops.dims import format_shape, same_shape
from pto_analysis.ops.views import effective_view, tensor_type, tile_type, valid_shape
from tests.ops.dsl_reader import Found, Reader, Typed

_BOXES = {
    "nz": (Layout.COL_MAJOR, Layout.ROW_MAJOR),
    "zn": (Layout.ROW_MAJOR, Layout.COL_MAJOR),
    "zz": (Layout.ROW_MAJOR, Layout.ROW_MAJOR),
    "nn": (Layout.COL_MAJOR, Layout.COL_MAJOR),
    "col": (Layout.COL_MAJOR, Layout.NONE_BOX),
}
_TYPE = re.compile(r"(?P<space>\S+) (?P<dtype>\S+) (?P<shape>\[[^]]*\])(?P<rest>.*)")
_LIST = re.compile(r"(valid|stride) (\[[^]]*\])")
_TENSOR_LAYOUTS = ("DN", "NZ", "MX_A_ZZ", "MX_B_NN")


def outcome(operands: str, call: str) -> str:
    """What the call gives, in the notation. `operands` is `a: Vec FP32 [8, 16]; n: INDEX`."""
    return shown(found(operands, call))


def found(operands: str, call: str) -> Found:
    """The type of the call, or its refusal."""
    return typed_call(operands, call).found


def typed_call(operands: str, call: str) -> Typed:
    """The call as the ops room sees it. The names n, m and k are INDEX scalars unless declared."""
    return Reader(scope_of(operands)).statements(f"res = {call}")[-1]


def scope_of(operands: str) -> dict[str, Expr]:
    """The declared operands as variables."""
    scope: dict[str, Expr] = {name: Var(name, ScalarType(INDEX)) for name in ("n", "m", "k")}
    for declaration in filter(None, map(str.strip, operands.split(";"))):
        name, _, text = declaration.partition(":")
        scope[name.strip()] = Var(name.strip(), read_type(text.strip(), scope))
    return scope


def read_type(text: str, scope: Mapping[str, Expr] | None = None) -> Type:
    match = _TYPE.fullmatch(text)
    if match is None:
        return ScalarType(DTYPES[text]) if text in DTYPES else UnknownType()
    reader = Reader(dict(scope or {}))
    shape = _shape(reader, match["shape"])
    lists = {word: _shape(reader, text) for word, text in _LIST.findall(match["rest"])}
    words = _LIST.sub("", match["rest"]).split()
    part = lists.get("valid")
    if match["space"] == "GM":
        view = evolve(_tensor_view(part, words), stride=lists.get("stride"))
        return tensor_type(shape, DTYPES[match["dtype"]], view, distributed="distributed" in words)
    space = None if match["space"] == "-" else Space(match["space"])
    tile = TileType(shape, DTYPES[match["dtype"]], space)
    return tile_type(shape, tile.dtype, evolve(_view(effective_view(tile), words), valid_shape=part), space)


def _shape(reader: Reader, text: str) -> Shape:
    return reader.shape(ast.parse(text, mode="eval").body)


def _view(view: TileView, words: Sequence[str]) -> TileView:
    """The implicit view with what the words change."""
    for word in words:
        if word in _BOXES or word == "row":
            blayout, slayout = _BOXES.get(word, (Layout.ROW_MAJOR, Layout.NONE_BOX))
            view = evolve(view, blayout=blayout, slayout=slayout)
        elif word.startswith("/"):
            view = evolve(view, fractal=int(word[1:]))
        elif word.startswith("pad="):
            view = evolve(view, pad=Pad(word[4:]))
        elif word == "compact":
            view = evolve(view, compact=Compact.NORMAL)
    return view


def _tensor_view(part: Shape | None, words: Sequence[str]) -> TensorView:
    layout = next((word for word in words if word in _TENSOR_LAYOUTS), "ND")
    pad = next((Pad(word[4:]) for word in words if word.startswith("pad=")), Pad.NULL)
    return TensorView(layout=layout, valid_shape=part, pad=pad)


def shown(value: Found) -> str:
    """A type or refusal in the notation."""
    match value:
        case Refusal():
            return f"refused: {value.kind}"
        case TileType():
            return _shown_tile(value)
        case TensorType():
            return _shown_tensor(value)
        case ScalarType():
            return value.dtype.name
        case TupleType():
            return " and ".join(map(shown, value.items))
        case ArrayType():
            return f"{value.length} of {value.dtype}"
        case UnknownType():
            return "unknown"


def _shown_tile(tile: TileType) -> str:
    view = effective_view(tile)
    words = [tile.space.value if tile.space else "-", tile.dtype.name, *_extents(tile.shape, valid_shape(tile))]
    order = (view.blayout, view.slayout)
    words += [word for word, pair in _BOXES.items() if pair == order]
    if view.fractal != 512:
        words.append(f"/{view.fractal}")
    if view.pad is not Pad.NULL:
        words.append(f"pad={view.pad.value}")
    if view.compact is not Compact.NULL:
        words.append("compact")
    return " ".join(words)


def _shown_tensor(tensor: TensorType) -> str:
    view = tensor.view or TensorView()
    words = ["GM", tensor.dtype.name, *_extents(tensor.shape, valid_shape(tensor))]
    if view.layout != "ND":
        words.append(view.layout)
    if view.stride:
        words.append("stride " + format_shape(view.stride))
    if view.pad is not Pad.NULL:
        words.append(f"pad={view.pad.value}")
    if tensor.distributed:
        words.append("distributed")
    return " ".join(words)


def _extents(shape: Sequence[Dim], valid: Sequence[Dim]) -> list[str]:
    if same_shape(shape, valid):
        return [format_shape(shape)]
    return [format_shape(shape), f"valid {format_shape(valid)}"]


def rows(text: str) -> list[tuple[str, str, str]]:
    """Test rows: a line with operands, then lines `call -> result` for them."""
    result: list[tuple[str, str, str]] = []
    operands = ""
    for line in filter(None, map(str.strip, text.splitlines())):
        call, arrow, expected = line.partition(" -> ")
        if arrow:
            result.append((operands, call, expected))
        else:
            operands = line
    return result
