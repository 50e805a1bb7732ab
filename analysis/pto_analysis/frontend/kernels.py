"""Which kernel a call means: methods of the program, kernels beside, imported kernels; and what it returns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from pto_analysis.frontend.callee import CalleeParam
from pto_analysis.frontend.discovery import KernelSite
from pto_analysis.frontend.functions import is_external, site_parameters
from pto_analysis.frontend.names import last_name
from pto_analysis.ir.expr import Invoke, type_of
from pto_analysis.ir.function import Direction, Function
from pto_analysis.ir.types import Type
from pto_analysis.ir.walk import statements
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


def returned_parameters(site: KernelSite) -> tuple[int, ...] | None:
    """The positions of the parameters that the last return gives back; None when it gives anything else."""
    returned = _last_return(site.block.body)
    if returned is None:
        return None
    positions = {param.name: position for position, param in enumerate(site_parameters(site))}
    found = [positions.get(node.name) if isinstance(node, syntax.Name) else None for node in returned]
    known = tuple(position for position in found if position is not None)
    return known if len(known) == len(found) else None


def results_without_reading(site: KernelSite, params: tuple[CalleeParam, ...]) -> tuple[Type, ...] | None:
    """The results when the header and the last return tell: returned parameters, or the outputs of external code."""
    if is_external(site):
        outputs = tuple(param.type for param in params if param.direction is not Direction.IN)
        return outputs or None
    returned = returned_parameters(site)
    return None if returned is None else tuple(params[position].type for position in returned)


def returned_kernel(factory: Sequence[Block], sites: Sequence[KernelSite]) -> KernelSite | None:
    """The kernel that a factory function returns by name."""
    if not factory:
        return None
    returned = _last_return(factory[-1].body) or ()
    names = [node.name for node in returned if isinstance(node, syntax.Name)]
    return next((site for site in sites if names == [site.header.name] and site.program is None), None)


def is_bare(param: syntax.Parameter) -> bool:
    """Whether a parameter's shape and dtype come from the call: `pl.Tensor`, `pl.Out[pl.Tensor]`."""
    annotation = param.annotation
    if isinstance(annotation, syntax.Subscript) and last_name(annotation.value) in ("Out", "InOut"):
        annotation = annotation.items[0]
    return annotation is not None and last_name(annotation) in ("Tensor", "DistributedTensor")


def argument_types(callers: Iterable[Function], name: str) -> tuple[Type, ...] | None:
    """The types of the arguments with which one of some functions calls a kernel; None when none does."""
    for caller in callers:
        for call in invokes(caller):
            if call.callee in (name, f"self.{name}"):
                return tuple(map(type_of, call.args))
    return None


def invokes(caller: Function) -> Iterator[Invoke]:
    """The calls of other kernels in a function."""
    for stmt in statements(caller.body):
        yield from (expr for expr in stmt.operands if isinstance(expr, Invoke))


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
