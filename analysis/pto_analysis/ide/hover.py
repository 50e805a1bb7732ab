"""What a hover tells: the type and window of a tile, the documentation of an operation, the width of a dtype."""

from __future__ import annotations

from collections.abc import Sequence

from pto_analysis.frozen import frozen
from pto_analysis.ide import describe
from pto_analysis.ide.capacity import capacity_facts
from pto_analysis.ide.forms import form_label
from pto_analysis.ide.spot import Spot, spot_at
from pto_analysis.ide.variables import KernelNames, kernel_around, lowered_variables, made_of
from pto_analysis.ir.dtypes import DTYPES
from pto_analysis.ir.expr import Var
from pto_analysis.ir.spelling import expression_text
from pto_analysis.ir.stmt import Assign
from pto_analysis.ir.types import TileType
from pto_analysis.ops import candidates
from pto_analysis.ops.docs import parameter_doc, signature_label
from pto_analysis.ops.signature import parameters
from pto_analysis.ops.spec import OpSpec
from pto_analysis.ops.structure import FORMS
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.registry import all_rules
from pto_analysis.source.span import Span
from pto_analysis.source.unit import Unit

MAX_PRODUCED = 12
"""Operations shown of those that the compiler makes of one statement."""


@frozen
class Hover:
    """`span` is in the unit's lines."""

    markdown: str
    span: Span


def hover_at(unit: Unit, kernels: Sequence[KernelFacts], line: int, column: int) -> Hover | None:
    """What is known about the place; None when that is nothing."""
    in_comment = _rule_hover(unit, line, column)
    if in_comment is not None:
        return in_comment
    spot = spot_at(unit, line, column)
    named = spot.dotted if spot is not None else None
    if spot is None or named is None:
        return None
    text, node = named
    markdown = _operation(text) or _dtype(text) or _variable(spot, kernels, text)
    return None if markdown is None else Hover(markdown, spot.span(node))


def _operation(text: str) -> str | None:
    """`text` is dotted: the module's alias, then the spelling of an operation, loop, scope or decorator."""
    alias, _, spelling = text.partition(".")
    if spelling in FORMS and alias != "pld":
        return f"```python\n{form_label(spelling)}\n```\n\n{FORMS[spelling].doc}"
    specs = candidates(spelling if alias != "pld" else text) if spelling else ()
    if not specs:
        return None
    params = [(param.name, parameter_doc(param.name)) for param in parameters(specs[0].signature)]
    lines = [f"* `{name}`: {sentence}" for name, sentence in params if sentence]
    facts = [fact for spec in specs for fact in _operation_facts(spec)]
    return "\n\n".join([f"```python\n{signature_label(specs[0])}\n```", specs[0].doc, "\n".join(lines), *facts])


def _operation_facts(spec: OpSpec) -> list[str]:
    if spec.namespace != "tile":
        return []
    facts = [f"`{spec.name}`"]
    if spec.unit not in ("none", "by-space"):
        facts.append(f"runs on {spec.unit}")
    if spec.reused_operand is not None:
        facts.append(f"writes into operand {spec.reused_operand}")
    elif spec.viewed_operand is not None:
        facts.append(f"a view of operand {spec.viewed_operand}, no data moves")
    if spec.targets:
        facts.append("only on " + ", ".join(spec.targets))
    return [", ".join(facts)] if len(facts) > 1 else []


def _dtype(text: str) -> str | None:
    head, _, name = text.rpartition(".")
    return describe.dtype_facts(DTYPES[name]) if head and name in DTYPES else None


def _variable(spot: Spot, kernels: Sequence[KernelFacts], name: str) -> str | None:
    kernel = kernel_around(kernels, spot.statement)
    if kernel is None or "." in name:
        return None
    names = KernelNames.of(kernel)
    var = names.written.at(spot.statement, name)
    if var is None:
        return None
    target = kernel.toolchain.target
    facts = [*describe.type_facts(var.type, target)]
    in_ssa = names.ssa.at(spot.statement, name) if not _is_tensor_level(kernels, kernel) else None
    if in_ssa is not None:
        facts += describe.window_facts(in_ssa, kernel.analysis)
    lowered = lowered_variables(kernels, kernel).at(spot.statement, name)
    if lowered is not None:
        made_in, tile = lowered
        facts.append(f"on the chip: `{describe.brief_type(tile.type)}`, in `{made_in.function.name}`")
        facts += describe.type_facts(tile.type, target)[1:] + describe.window_facts(tile, made_in.analysis)
    tile_type = lowered[1].type if lowered is not None else var.type
    if isinstance(tile_type, TileType):
        facts += capacity_facts(kernels, kernel, spot.statement, name, tile_type.space)
    head = f"```python\n{describe.declaration(name, var.type)}\n```"
    made = _made(kernels, kernel, spot.statement)
    return "\n\n".join([head, "  \n".join(facts), *made]).strip()


def _is_tensor_level(kernels: Sequence[KernelFacts], kernel: KernelFacts) -> bool:
    return made_of(kernels, kernel)[0] is not kernel


def _made(kernels: Sequence[KernelFacts], kernel: KernelFacts, statement: int) -> list[str]:
    """The tile operations that the compiler makes of a tensor-level statement, each with its reason."""
    if not _is_tensor_level(kernels, kernel):
        return []
    lines: list[str] = []
    for made in made_of(kernels, kernel):
        for stmt in KernelNames.of(made).ssa.by_statement.get(statement, []):
            if isinstance(stmt, Assign):
                reason = stmt.origin.reason if stmt.origin is not None else None
                lines.append(
                    f"{_short(stmt.var)} = {expression_text(stmt.value)}" + (f"  # {reason}" if reason else "")
                )
    if not lines:
        return []
    shown = lines[:MAX_PRODUCED] + (["…"] if len(lines) > MAX_PRODUCED else [])
    return ["The compiler makes of this statement:", "```python\n" + "\n".join(shown) + "\n```"]


def _short(var: Var) -> str:
    kind = describe.brief_type(var.type)
    return f"{var.name}: {kind}" if kind else var.name


def _rule_hover(unit: Unit, line: int, column: int) -> Hover | None:
    """The summary of a rule whose code stands in a comment."""
    for comment in unit.comments:
        if comment.line != line or not comment.column <= column <= comment.column + len(comment.text):
            continue
        for code, rule in all_rules().items():
            start = comment.text.find(code)
            if start >= 0 and comment.column + start <= column <= comment.column + start + len(code):
                at = comment.column + start
                text = f"**{code}** {rule.name}: {rule.summary}\n\n{rule.what}\n\n[more]({rule.url})"
                return Hover(text, Span(line, at, line, at + len(code)))
    return None
