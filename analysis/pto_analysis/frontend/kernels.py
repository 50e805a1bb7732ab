"""Which kernel a call means: methods of the program, kernels beside, imported kernels; and what it returns."""

from __future__ import annotations

from pto_analysis.frontend.callee import CalleeParam
from pto_analysis.frontend.discovery import KernelSite
from pto_analysis.frontend.functions import is_external
from pto_analysis.ir.function import Direction
from pto_analysis.ir.types import Type, UnknownType
from pto_analysis.source import syntax
from pto_analysis.source.blocks import Block
from pto_analysis.source.statements import StatementError, parse_statement


def method_of(sites: tuple[KernelSite, ...], program: Block | None, name: str) -> KernelSite | None:
    """The kernel `self.<name>` of a program class."""
    if program is None:
        return None
    return next((site for site in sites if site.program is program and site.header.name == name), None)


def visible_kernel(sites: tuple[KernelSite, ...], caller: KernelSite, name: str) -> KernelSite | None:
    """A kernel of the same unit that its name reaches: defined beside the caller or in a function around it."""
    for site in sites:
        if site.header.name != name or site.program is not None:
            continue
        depth = len(caller.enclosing) - len(site.enclosing)
        if depth >= 0 and all(a is b for a, b in zip(caller.enclosing[depth:], site.enclosing, strict=True)):
            return site
    return None


def results_without_reading(site: KernelSite, params: tuple[CalleeParam, ...]) -> tuple[Type, ...] | None:
    """The results when the header and the last return tell: returned parameters, or the outputs of external code."""
    if is_external(site):
        outputs = tuple(param.type for param in params if param.direction is not Direction.IN)
        return outputs or None
    returned = _last_return(site.block.body)
    if returned is None:
        return None
    types = {param.name: param.type for param in params}
    found = [types.get(node.name) if isinstance(node, syntax.Name) else None for node in returned]
    known = [type_ for type_ in found if type_ is not None and not isinstance(type_, UnknownType)]
    return tuple(known) if len(known) == len(found) else None


def _last_return(body: tuple[Block, ...]) -> tuple[syntax.Expression, ...] | None:
    """The values of the return that ends a function; () when there is none, None when it is broken."""
    if not body or not body[-1].line.text.startswith("return"):
        return None
    parsed = parse_statement(body[-1].line.text)
    if isinstance(parsed, StatementError) or not isinstance(parsed.statement, syntax.Return):
        return None
    value = parsed.statement.value
    if value is None:
        return ()
    return value.items if isinstance(value, syntax.Sequence) and value.kind == "tuple" else (value,)


