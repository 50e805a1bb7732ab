"""What may be typed next: operations, dtypes, spaces, keyword arguments and the names of the kernel.

Works on the text before the cursor, not on a tree: code that is being completed rarely parses.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Literal

from pto_analysis.frontend.enums import families, members
from pto_analysis.frozen import frozen
from pto_analysis.ide.describe import brief_type
from pto_analysis.ide.forms import values_of
from pto_analysis.ide.variables import kernel_around
from pto_analysis.ir import walk
from pto_analysis.ir.dtypes import DTYPES
from pto_analysis.ops import candidates, spellings
from pto_analysis.ops.docs import parameter_doc, signature_label
from pto_analysis.ops.lookup import signature_of
from pto_analysis.ops.signature import Param, parameters
from pto_analysis.ops.structure import FORMS
from pto_analysis.rules.facts import KernelFacts

Kind = Literal["function", "module", "enum-member", "keyword", "variable", "class", "type"]

_DOTTED = re.compile(r"(?P<path>(?:[A-Za-z_]\w*\.)*)(?P<word>\w*)\Z")
_KEYWORD_VALUE = re.compile(r"[(,]\s*(?P<name>\w+)\s*=\s*(?:(?P<root>\w+)\.)?\w*\Z")

NAMESPACES = ("tile", "tensor", "system", "array", "prefetch")

_TYPES = ("Tensor", "Tile", "Scalar", "Array", "Tuple", "Out", "InOut", "MemRef", "TileView", "TensorView")
_DECORATORS = ("jit", "function", "program", "inline")


@frozen
class Completion:
    """`insert` replaces the word before the cursor, `start` columns back from it."""

    label: str
    kind: Kind
    insert: str
    detail: str = ""
    documentation: str = ""
    sort: int = 5


@frozen
class Completions:
    """`replaced` is how many code points before the cursor the choice replaces."""

    items: tuple[Completion, ...]
    replaced: int


def completions_at(
    before: str, aliases: frozenset[str], kernels: Sequence[KernelFacts], statement: int | None
) -> Completions:
    """What may follow `before`, the text of the logical line up to the cursor.

    `aliases` are the names that the module imports the DSL under.
    """
    match = _DOTTED.search(before)
    path, word = (match["path"], match["word"]) if match else ("", "")
    root, _, inner = path.rstrip(".").partition(".")
    if root in aliases and not inner:
        return Completions((*_keyword_values(before, aliases), *_members("")), len(word))
    if root in aliases or root == "pld":
        return Completions(tuple(_members(inner if root != "pld" else "pld")), len(word))
    if path:
        return Completions((), 0)
    found = [*_keyword_values(before, aliases), *_keywords(before, aliases), *_names(kernels, statement)]
    return Completions(tuple(found), len(word))


@lru_cache(maxsize=32)
def _members(inner: str) -> tuple[Completion, ...]:
    """The members of `pl` (inner ""), of one of its namespaces, or of an enum."""
    if inner in families():
        return tuple(Completion(member, "enum-member", member, f"pl.{inner}") for member in members(inner))
    if inner:
        return tuple(_operation(f"{inner}.{name}", name) for name in _inside(inner))
    return (
        *(_operation(name, name) for name in spellings() if "." not in name),
        *(Completion(name, "module", name, "namespace", sort=4) for name in NAMESPACES),
        *(Completion(name, "enum-member", name, f"{dtype.bits} bits") for name, dtype in DTYPES.items()),
        *(Completion(name, "type", name, "enum") for name in families()),
        *(Completion(name, "class", name, "type") for name in _TYPES),
        *(Completion(name, "function", name, form.usage) for name, form in FORMS.items() if form.usage),
        *(Completion(name, "function", name, "decorator") for name in _DECORATORS),
    )


def _inside(namespace: str) -> list[str]:
    prefix = f"{namespace}."
    return [name.removeprefix(prefix) for name in spellings() if name.startswith(prefix) and name.count(".") == 1]


def _operation(spelling: str, name: str) -> Completion:
    specs = candidates(spelling)
    if not specs:
        return Completion(name, "function", name)
    return Completion(name, "function", name, signature_label(specs[0]), specs[0].doc)


def open_call(before: str, aliases: frozenset[str]) -> tuple[str, int, frozenset[str]] | None:
    """The DSL call whose parentheses the cursor is in: its spelling, the index of the argument the cursor is at,
    and the keywords that were already given."""
    depth = 0
    commas = 0
    for index in range(len(before) - 1, -1, -1):
        char = before[index]
        if char in ")]}":
            depth += 1
        elif char in "[{" and depth == 0:
            commas = 0
        elif char in "([{":
            depth -= 1
        elif char == "," and depth == 0:
            commas += 1
        if depth < 0 or (char == "(" and depth == -1):
            name = re.search(r"([A-Za-z_][\w.]*)\s*\Z", before[:index])
            root, _, spelling = name[1].partition(".") if name else ("", "", "")
            if root in aliases and spelling:
                given = frozenset(re.findall(r"[(,]\s*(\w+)\s*=(?!=)", before[index:]))
                return spelling, commas, given
            return None
    return None


def _keywords(before: str, aliases: frozenset[str]) -> Iterator[Completion]:
    """Keyword arguments of the call around the cursor that are not given yet."""
    if not re.search(r"[(,]\s*\w*\Z", before):
        return
    call = open_call(before, aliases)
    if call is None:
        return
    spelling, position, given = call
    for index, param in enumerate(_keyword_parameters(spelling)):
        open_yet = index >= position or param.passing == "keyword"
        if open_yet and param.name not in given and param.passing != "rest":
            name = f"{param.name}="
            yield Completion(name, "keyword", name, _demand(param), parameter_doc(param.name), sort=1)


def _demand(param: Param) -> str:
    if param.default is not None:
        return f"default {param.default}"
    return "optional" if param.omitted_by_default else "required"


def _keyword_parameters(spelling: str) -> tuple[Param, ...]:
    """The parameters of a call that keywords may name."""
    form = FORMS.get(spelling)
    return _parameters(spelling) if form is None else tuple(each for each in form.parameters if each.is_attribute)


def _keyword_values(before: str, aliases: frozenset[str]) -> Iterator[Completion]:
    """Values of the enum that the keyword at the cursor takes, behind `pl.` without it."""
    match = _KEYWORD_VALUE.search(before)
    call = open_call(before, aliases) if match else None
    if match is None or call is None:
        return
    param = next((each for each in _parameters(call[0]) if each.name == match["name"]), None)
    module = "" if match["root"] else f"{min(aliases)}."
    for value in values_of(param) if param is not None else ():
        yield Completion(module + value, "enum-member", module + value, sort=0)


def _parameters(spelling: str) -> tuple[Param, ...]:
    form = FORMS.get(spelling)
    if form is not None:
        return form.parameters
    signature = signature_of(spelling)
    return parameters(signature) if signature else ()


def _names(kernels: Sequence[KernelFacts], statement: int | None) -> Iterator[Completion]:
    """The kernel's own names that are bound before the cursor's statement."""
    kernel = kernel_around(kernels, statement) if statement is not None else None
    if kernel is None or statement is None:
        return
    seen: dict[str, str] = {param.var.name: brief_type(param.var.type) for param in kernel.function.params}
    for stmt in walk.statements(kernel.function.body):
        if stmt.origin is not None and stmt.origin.statement < statement:
            seen.update({var.name: brief_type(var.type) for var in stmt.definitions})
    for name, detail in seen.items():
        yield Completion(name, "variable", name, detail, sort=3)
