"""What may be typed next in `.pto` text: values, operations, types and the words inside of types.

Works on the line before the cursor: text that is being typed rarely parses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from pto_analysis.ide.completion import Completion, Completions
from pto_analysis.ide.pto.describe import brief_type
from pto_analysis.ide.pto.document import PtoDocument
from pto_analysis.ide.pto.hover import summaries
from pto_analysis.sync.macros import MACROS
from pto_analysis.sync.op_table import NOT_QUEUED, OPS
from pto_analysis.sync.program import Pipe

_TYPES = ("tile_buf", "multi_tile_buf", "ptr", "tensor_view", "partition_tensor_view", "pipe")

_ATTRIBUTES = ("kernel_kind", "layout", "pipe", "event", "pipe_event_type", "address_space")

_SPACES = ("vec", "mat", "left", "right", "acc", "bias", "scaling")

_VALUES: dict[str, tuple[str, ...]] = {
    "loc": _SPACES,
    "dtype": ("f32", "f16", "bf16", "i8", "i16", "i32", "i64", "ui8", "ui16", "ui32"),
    "blayout": ("row_major", "col_major"),
    "slayout": ("none_box", "row_major", "col_major"),
    "fractal": ("512", "1024", "32"),
    "pad": ("0", "1", "2", "3"),
    "compact": ("0", "1", "2"),
}
"""Fields of a tile type with their values (sync.md 9)."""

_FIELDS = ("loc", "dtype", "rows", "cols", "v_row", "v_col", "valid", "blayout", "slayout", "fractal", "pad", "compact")

_DIALECTS: dict[str, tuple[str, ...]] = {
    "arith": (
        *("constant", "addi", "subi", "muli", "divui", "divsi", "remui", "remsi", "andi", "ori", "xori", "shli"),
        *("shrui", "minui", "minsi", "maxui", "maxsi", "index_cast", "extsi", "extui", "trunci", "cmpi", "select"),
    ),
    "scf": ("for", "if", "while", "yield", "condition"),
    "func": ("func", "call", "return"),
}

_ENUMS: dict[str, tuple[str, ...]] = {
    "kernel_kind": ("cube", "vector"),
    "layout": ("nd", "dn", "nz"),
    "pipe": tuple(f"PIPE_{pipe.value}" for pipe in Pipe),
    "event": tuple(f"EVENT_ID{number}" for number in range(8)),
    "address_space": _SPACES,
}

_MANUAL = ("set_flag", "wait_flag", "set_flag_dyn", "wait_flag_dyn", "barrier", "section.cube", "section.vector")

_WORD = re.compile(r"(?P<sigil>[%@!#]?)(?P<path>(?:\w+\.)*)(?P<word>[\w$]*)\Z")
_FIELD_VALUE = re.compile(r"\b(?P<key>\w+)\s*=\s*\w*\Z")
_TILE = re.compile(r"!pto\.(?:multi_)?tile_buf<(?P<inside>[^<>]*)\Z")
_ENUM = re.compile(r"#pto\.(?P<name>\w+)<\w*\Z")


def completions_at(document: PtoDocument, before: str, line: int, column: int) -> Completions:
    """What may follow `before`, the text of the line up to the cursor at `line` and `column`."""
    match = _WORD.search(before)
    if match is None or "//" in before:
        return Completions((), 0)
    sigil, path, word = match["sigil"], match["path"].rstrip("."), match["word"]
    if sigil in ("%", "@"):
        found = _values(document, line, column) if sigil == "%" else _functions(document)
        return Completions(tuple(found), len(sigil + match["path"] + word))
    if sigil:
        return _sigil(document, sigil, path, word)
    if path:
        return Completions(tuple(_members(path)), len(word))
    return Completions(tuple(_words(before)), len(word))


def _values(document: PtoDocument, line: int, column: int) -> Iterator[Completion]:
    """The nearest first: a name that was defined again means its last definition."""
    seen: set[str] = set()
    for definition in reversed(list(document.names.visible_at(line, column))):
        name = definition.name.text
        if name not in seen:
            seen.add(name)
            yield Completion(name, "variable", name, brief_type(definition.type))


def _functions(document: PtoDocument) -> Iterator[Completion]:
    for function in document.file.functions:
        yield Completion(f"@{function.name}", "function", f"@{function.name}", f"{len(function.arguments)} arguments")


def _sigil(document: PtoDocument, sigil: str, path: str, word: str) -> Completions:
    """Types behind `!`, attributes behind `#`."""
    names = _TYPES if sigil == "!" else _ATTRIBUTES
    if path == "pto":
        return Completions(tuple(Completion(name, "type", name) for name in names), len(word))
    if path:
        return Completions((), 0)
    aliases = document.aliases.types if sigil == "!" else {}
    found = [Completion(alias, "type", alias, text[:80]) for alias, text in aliases.items()]
    found += [Completion(f"{sigil}pto.{name}", "type", f"{sigil}pto.{name}") for name in names]
    return Completions(tuple(found), len(sigil + word))


def _members(path: str) -> Iterator[Completion]:
    if path == "pto":
        yield from _operations()
    for name in _DIALECTS.get(path, ()):
        yield Completion(name, "function", name)


@lru_cache(maxsize=1)
def _operations() -> tuple[Completion, ...]:
    """Every `pto` operation, with its queue."""
    queues = {name: row.pipe.value if isinstance(row.pipe, Pipe) else "by memory" for name, row in OPS.items()}
    queues |= dict.fromkeys(MACROS, "several queues")
    queues |= dict.fromkeys(NOT_QUEUED, "not queued") | dict.fromkeys(_MANUAL, "synchronisation")
    return tuple(
        Completion(name, "function", name, queue, summaries().get(name, "")) for name, queue in sorted(queues.items())
    )


def _words(before: str) -> Iterator[Completion]:
    """Inside a tile type its fields and their values, inside an attribute its cases, else operations in full."""
    tile, enum, value = _TILE.search(before), _ENUM.search(before), _FIELD_VALUE.search(before)
    if enum is not None:
        yield from (Completion(case, "enum-member", case) for case in _ENUMS.get(enum["name"], ()))
    elif tile is not None and value is not None:
        yield from (Completion(each, "enum-member", each) for each in _VALUES.get(value["key"], ()))
    elif tile is not None:
        yield from _fields(tile["inside"])
    elif re.search(r"(?:^|=)\s*\w*\Z", before):
        yield from (Completion(f"pto.{each.label}", "function", f"pto.{each.label}") for each in _operations())
        for dialect, names in _DIALECTS.items():
            yield from (Completion(f"{dialect}.{name}", "function", f"{dialect}.{name}") for name in names)


def _fields(inside: str) -> Iterator[Completion]:
    if "," not in inside and "=" not in inside:
        yield from (Completion(space, "enum-member", space) for space in _SPACES)
    for name in _FIELDS:
        if not re.search(rf"\b{name}\s*=", inside):
            yield Completion(f"{name}=", "keyword", f"{name}=")
