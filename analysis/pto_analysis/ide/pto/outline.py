"""The functions of a `.pto` file with their tiles, and what can be folded."""

from __future__ import annotations

from pto_analysis.ide.outline import Symbol
from pto_analysis.ide.pto.describe import brief_type
from pto_analysis.ide.pto.document import PtoDocument
from pto_analysis.pto.syntax import FunctionSyntax, walk
from pto_analysis.pto.types import MultiTileType, TileType


def symbols(document: PtoDocument) -> tuple[Symbol, ...]:
    return tuple(_function(document, function) for function in document.file.functions)


def _function(document: PtoDocument, function: FunctionSyntax) -> Symbol:
    cores = [program.core for program in document.programs if program.where.span == function.name_span]
    return Symbol(
        f"@{function.name}",
        " and ".join(cores),
        is_kernel=True,
        whole=function.span,
        name_span=function.name_span,
        children=_tiles(function),
    )


def _tiles(function: FunctionSyntax) -> tuple[Symbol, ...]:
    """Every allocation."""
    found: list[Symbol] = []
    for operation in walk(function.body) if function.body is not None else ():
        for result in operation.results:
            if operation.name.startswith("pto.alloc") and isinstance(result.type, (TileType, MultiTileType)):
                detail = brief_type(result.type)
                found.append(Symbol(result.text, detail, is_kernel=False, whole=operation.span, name_span=result.span))
    return tuple(found)


def folds(document: PtoDocument) -> tuple[tuple[int, int], ...]:
    """First and last line of every function, and of every region in one."""
    found = {(function.span.line, function.span.end_line) for function in document.file.functions}
    for operation in document.operations:
        found |= {(region.span.line, region.span.end_line) for region in operation.regions}
    return tuple(sorted((first, last) for first, last in found if last > first))
