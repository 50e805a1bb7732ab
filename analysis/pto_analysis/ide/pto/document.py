"""A `.pto` file as editors ask about it: tokens, syntax, names and sync programs, each made when first asked for."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property, lru_cache

from pto_analysis.frozen import frozen
from pto_analysis.ide.pto.names import PtoNames, resolve_names
from pto_analysis.pto.aliases import Aliases, read_aliases
from pto_analysis.pto.lower import lower_file
from pto_analysis.pto.reader import read_pto
from pto_analysis.pto.syntax import FunctionSyntax, Operation, PtoFile, walk
from pto_analysis.pto.tokens import TokenStream, tokenize
from pto_analysis.source.span import Span
from pto_analysis.sync.plan import Plan
from pto_analysis.sync.policies import Policies
from pto_analysis.sync.program import SyncProgram, Target


@frozen(eq=False, slots=False)
class PtoDocument:
    """`target` counts where the module does not name its architecture."""

    text: str
    target: Target

    @cached_property
    def stream(self) -> TokenStream:
        return tokenize(self.text)

    @cached_property
    def aliases(self) -> Aliases:
        return read_aliases(self.stream)

    @cached_property
    def file(self) -> PtoFile:
        return read_pto(self.text)

    @cached_property
    def names(self) -> PtoNames:
        return resolve_names(self.file)

    @cached_property
    def programs(self) -> tuple[SyncProgram, ...]:
        return lower_file(self.file, self.target).programs

    @cached_property
    def policies(self) -> tuple[Policies, ...]:
        """The plans of every program."""
        return tuple(map(Policies, self.programs))

    @cached_property
    def plans(self) -> tuple[tuple[SyncProgram, Plan], ...]:
        """The waits that are provably needed, which takes a plan of the whole file."""
        return tuple((one.program, one.precise) for one in self.policies)

    @cached_property
    def operations(self) -> tuple[Operation, ...]:
        bodies = (function.body for function in self.file.functions)
        return tuple(operation for body in bodies if body is not None for operation in walk(body))

    def token_at(self, line: int, column: int) -> int | None:
        """The index of the token at a place, its end included; None between tokens."""
        if not 0 <= line < len(self.stream.lines.starts):
            return None
        offset = self.stream.lines.starts[line] + column
        for index in (bisect_right(self.stream.starts, offset) - 1, bisect_right(self.stream.starts, offset - 1) - 1):
            if 0 <= index < len(self.stream) and self.stream.starts[index] <= offset <= self.stream.end(index):
                return index
        return None

    def token_span(self, index: int) -> Span:
        return self.stream.span(index, index)

    def operation_at(self, line: int, column: int) -> Operation | None:
        """The operation whose name stands at a place."""
        return next((each for each in self.operations if each.name_span.contains(line, column)), None)

    def function_named(self, symbol: str) -> FunctionSyntax | None:
        """The function that `@symbol` means."""
        name = symbol.lstrip("@").strip('"')
        return next((function for function in self.file.functions if function.name == name), None)


@lru_cache(maxsize=8)
def pto_document(text: str, target: Target) -> PtoDocument:
    """One document for equal texts: several requests about a text share what was worked out."""
    return PtoDocument(text, target)
