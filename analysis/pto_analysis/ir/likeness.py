"""Whether two functions are the same but for the names of their variables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest

from pto_analysis.ir import walk
from pto_analysis.ir.expr import Const, Var
from pto_analysis.ir.function import Function
from pto_analysis.ir.printer import print_function
from pto_analysis.ir.stmt import Assign

_TOKEN = re.compile(r"[A-Za-z_]\w*|\d[\w.]*|\"[^\"]*\"|\S")
_COPY = re.compile(r"\s*(?P<name>\w+): (?P<value>.* = pl\.tile\.extract\(.*\))")
_ALIAS = re.compile(r"\s*(?P<name>\w+): [^=]* = (?P<value>[A-Za-z_]\w*)")
_NUMBERED = re.compile(r"_\d+\Z")


def are_alike(one: Function, other: Function) -> bool:
    """Same statements in the same order; each name of one stands for one name of the other. Both in SSA form.

    A name that holds a literal may stand where the other has the literal, a second name for the same value, or for the
    same copy right behind it, where the other uses the first.
    """
    left, right = _Words(one), _Words(other)
    forth: dict[str, str] = {}
    back: dict[str, str] = {}
    for a, b in zip_longest(left.tokens(), right.tokens()):
        if a is None or b is None:
            return False
        if left.is_name(a) and right.is_name(b):
            if forth.setdefault(a, b) != b or back.setdefault(b, a) != a:
                return False
        elif left.value(a) != right.value(b):
            return False
    return True


class _Words:
    """The printed function as words, in which every value has one name."""

    def __init__(self, function: Function) -> None:
        self._function = function
        variables = [param.var for param in function.params]
        self._literals: dict[str, str] = {}
        self._first_names: dict[str, str] = {}
        for stmt in walk.statements(function.body):
            variables += stmt.definitions
            if isinstance(stmt, Assign) and isinstance(stmt.value, Const):
                self._literals[stmt.var.name] = str(stmt.value.value)
            elif isinstance(stmt, Assign) and isinstance(stmt.value, Var) and stmt.value.name in self._literals:
                self._literals[stmt.var.name] = self._literals[stmt.value.name]
        self._names = {var.name for var in variables}

    def is_name(self, word: str) -> bool:
        """The printer numbers names that several variables have."""
        return word in self._names or _NUMBERED.sub("", word) in self._names

    def tokens(self) -> Iterator[str]:
        copies: dict[str, str] = {}
        for line in print_function(self._function).splitlines():
            alias, copy = _ALIAS.fullmatch(line), _COPY.fullmatch(line)
            if copy is None:
                copies = {}
            first = copies.get(copy["value"]) if copy is not None else None
            if alias is not None and self.is_name(alias["value"]) and alias["value"] not in self._literals:
                self._first_names[alias["name"]] = self._name(alias["value"])
            elif copy is not None and first is not None:
                self._first_names[copy["name"]] = first
            else:
                copies |= {copy["value"]: copy["name"]} if copy is not None else {}
                yield from (self._name(match.group()) for match in _TOKEN.finditer(line))

    def _name(self, word: str) -> str:
        return self._first_names.get(word, word)

    def value(self, token: str) -> str:
        return self._literals.get(token, token)
