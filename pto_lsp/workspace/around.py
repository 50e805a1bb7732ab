"""What the results of a unit may depend on besides its own statements, as digests.

That is more than is read, so that equal digests always mean equal results. Of a kernel that a unit calls only what its
callers see counts, and its statements where they are written out in the caller.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, partial
from hashlib import blake2b

from pto_analysis.frontend.discovery import KernelSite
from pto_analysis.frontend.functions import site_kind
from pto_analysis.frontend.module import ModuleReader
from pto_analysis.ir.fingerprint import fingerprint
from pto_analysis.ir.function import FunctionKind
from pto_analysis.ir.stmt import Scope
from pto_analysis.ir.walk import statements
from pto_analysis.passes.lowering.regions import is_core_group
from pto_analysis.source.scanner import LogicalLine, shifted_line
from pto_analysis.source.unit import ModuleSource, Unit
from pto_analysis.source.values import FunctionRef
from pto_analysis.source.words import words_of
from pto_lsp.workspace.bound_names import bound_names

_SCRIPT = ('if __name__ == "__main__":', "if __name__ == '__main__':")
"""What runs when a file is no module, and so defines nothing in the module."""

_GLOBAL = re.compile(r"^[ \t]+global[ \t][^#\n]+", re.MULTILINE)


Remember = Callable[[Unit, bytes, Callable[[], bytes]], bytes]
"""Gives what was made for a unit from the same before, else makes it."""


class Around:
    """The surroundings of the units of one file, in one state of the files."""

    def __init__(self, reader: ModuleReader, imported: Callable[[], Iterable[str]], remember: Remember) -> None:
        """`imported` gives what the module's names may come from."""
        self._reader = reader
        self._imported = imported
        self._remember = remember
        self._known_mentions: dict[Unit, tuple[list[Unit], list[Unit]]] = {}
        self._declaring: dict[Unit, bytes] = {}
        self._reading: dict[Unit, bytes] = {}
        self._lowering: dict[Unit, bytes] = {}
        self._seen: dict[Unit, bytes] = {}

    @cached_property
    def host(self) -> bytes:
        """All that Python code of the file may tell of its kernels."""
        units = self._reader.source.units
        parts = [f"kernel {unit.name}" if self._is_known_kernel(unit) else unit.text for unit in units]
        return _digest([self._reader.path, *self._module, *parts])

    @cached_property
    def module(self) -> bytes:
        """All that may count for what is said about the statements and decorators around the units' code."""
        lines = outer_lines(self._reader.source)
        words = frozenset[str]().union(*(words_of(line.text).names for line in lines))
        plain, kernels = self._reached(words)
        texts = _digest(f"{line.column} {line.error} {line.text}" for line in lines)
        return _joined([self._top, texts, *(unit.content.digest for unit in (*plain, *kernels))])

    def declaring(self, unit: Unit) -> bytes:
        """All that may count when the parameters of kernels of a unit are read: what is Python around them."""
        if unit not in self._declaring:
            plain, _ = self._mentioned(unit)
            self._declaring[unit] = _joined([self._top, *(other.content.digest for other in plain)])
        return self._declaring[unit]

    def reading(self, unit: Unit) -> bytes:
        """All that may count when the kernels of a unit are read."""
        if unit not in self._reading:
            _, kernels = self._mentioned(unit)
            seen = [self._seen_from_outside(other) for other in kernels if other is not unit]
            self._reading[unit] = _joined([self.declaring(unit), *seen])
        return self._reading[unit]

    def lowering(self, unit: Unit) -> bytes:
        """All that may count for what the kernels of a unit become: also the helpers that are written out in them."""
        if unit not in self._lowering:
            self._lowering[unit] = _joined([self.reading(unit), *map(self._written_out, self._helpers(unit))])
        return self._lowering[unit]

    def given(self, unit: Unit) -> bytes:
        """What callers tell of the kernels of a unit."""
        given = [self._reader.callers.given(site) for site in self._reader.sites(unit)]
        return fingerprint(given) if any(given) else b""

    @cached_property
    def _module(self) -> list[str]:
        """Module-level statements, and everything that the module's names may come from."""
        source = self._reader.source
        statements = [line.text for line in source.statements]
        rebound = [match[0] for unit in source.units if "global" in unit.text for match in _GLOBAL.finditer(unit.text)]
        return [*statements, *rebound, *self._imported()]

    @cached_property
    def _top(self) -> bytes:
        return _digest([*self._module, self._reader.callers.summary()])

    @cached_property
    def _by_name(self) -> Mapping[str, list[Unit]]:
        found: dict[str, list[Unit]] = {}
        for unit in self._reader.source.units:
            for name in _names(self._reader.path, unit):
                found.setdefault(name, []).append(unit)
        return found

    def _mentioned(self, unit: Unit) -> tuple[list[Unit], list[Unit]]:
        """The units whose names a unit mentions, directly or through Python code: Python code, and kernels."""
        if unit not in self._known_mentions:
            self._known_mentions[unit] = self._reached(unit.content.words, unit)
        return self._known_mentions[unit]

    def _reached(self, words: frozenset[str], unit: Unit | None = None) -> tuple[list[Unit], list[Unit]]:
        """The units that some words mean, directly or through Python code: Python code but for `unit`, and kernels."""
        plain: dict[Unit, None] = {}
        kernels: dict[Unit, None] = {}
        waiting = [words]
        while waiting:
            for name in sorted(waiting.pop() & self._by_name.keys()):
                for other in self._by_name[name]:
                    if self._kernel(other) is not None:
                        kernels[other] = None
                    elif other not in plain and other is not unit:
                        plain[other] = None
                        waiting.append(other.content.words)
        return list(plain), list(kernels)

    def _kernel(self, unit: Unit) -> KernelSite | None:
        """The kernel that a unit is, if it is one and nothing else."""
        sites = self._reader.sites(unit)
        return sites[0] if len(sites) == 1 and sites[0].qualname == unit.name else None

    def _is_known_kernel(self, unit: Unit) -> bool:
        """Whether a unit is a kernel under its own name, whose body no Python code can look into."""
        ref = FunctionRef(self._reader.path, unit.name or "")
        return self._kernel(unit) is not None and self._reader.lookup(ref.name) == ref

    def _seen_from_outside(self, unit: Unit) -> bytes:
        """What the callers of a kernel see of it."""
        if unit not in self._seen:
            self._seen[unit] = unit.content.digest  # for one that calls itself
            made_from = unit.content.digest + self.reading(unit)
            self._seen[unit] = self._remember(unit, made_from, partial(self._interface, unit))
        return self._seen[unit]

    def _interface(self, unit: Unit) -> bytes:
        site = self._kernel(unit)
        assert site is not None
        callee = self._reader.callee(unit, site)
        return fingerprint(callee.name, callee.params, callee.kind, callee.returns(), callee.returned)

    def _helpers(self, unit: Unit) -> Iterator[Unit]:
        """The kernels whose code takes the place of calls in those of a unit."""
        seen = {unit}
        waiting = [unit]
        while waiting:
            for other in self._mentioned(waiting.pop())[1]:
                if other not in seen and self._is_written_out(other):
                    seen.add(other)
                    waiting.append(other)
                    yield other

    def _is_written_out(self, unit: Unit) -> bool:
        """Whether the code of a kernel may take the place of its calls: not if it has regions of its own.

        Those count that are regions whatever the types of its parameters, as every call has its own.
        """
        site = self._kernel(unit)
        if site is None or site_kind(site) is not FunctionKind.INLINE:
            return False
        body = self._reader.function_facts(unit, site).function.body
        return not any(isinstance(stmt, Scope) and is_core_group(stmt) for stmt in statements(body))

    def _written_out(self, unit: Unit) -> bytes:
        return unit.content.digest + self.reading(unit)


def outer_lines(source: ModuleSource) -> tuple[LogicalLine, ...]:
    """The statements of a module around its units, and all decorators, where they stand in the file."""
    decorators = [
        shifted_line(line, unit.first_line)
        for unit in source.units
        if "@" in unit.text
        for line in unit.lines
        if line.text.startswith("@")
    ]
    return tuple(sorted((*source.statements, *decorators), key=lambda line: (line.line, line.column)))


def _names(path: str, unit: Unit) -> Iterator[str]:
    """What a unit defines; an `if` or `try` at module level defines what its statements bind."""
    if unit.name is not None:
        yield unit.name
    elif not (unit.text.startswith(_SCRIPT) and not path.endswith("__main__.py")):
        yield from bound_names(unit.text)


def _digest(parts: Iterable[str]) -> bytes:
    return _joined(part.encode("utf-8", "surrogatepass") for part in parts)


def _joined(parts: Iterable[bytes]) -> bytes:
    state = blake2b(digest_size=16)
    for part in parts:
        state.update(len(part).to_bytes(4, "little"))
        state.update(part)
    return state.digest()
