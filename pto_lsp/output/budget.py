"""What `pto-lint budget` shows: the buffers of each kernel at its worst point, as a table and as JSON."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen

from pto_analysis.passes.budget import Buffer
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.usage import Budget, budgets, buffer_name, is_known_in_full, is_split
from pto_lsp.output.as_json import Json, dump
from pto_lsp.output.style import Style

_BAR = 24
_SHOWN = 4
_UNNAMED = "unnamed"
"""A tile that an operation hands straight to another one."""


@frozen(eq=False)
class KernelBudget:
    """One kernel of a file; `first_line` is where its unit begins."""

    path: str
    facts: KernelFacts
    first_line: int

    def line(self, buffer: Buffer) -> int:
        """1-based."""
        return self.facts.span(buffer.origin).line + self.first_line + 1


def render(kernels: Sequence[KernelBudget], output_format: str, style: Style) -> str:
    if output_format != "json":
        return "\n".join(_table(item, style) for item in kernels)
    files: dict[str, list[Json]] = {}
    for item in kernels:
        files.setdefault(item.path, []).append(_kernel_json(item))
    return dump(
        {
            "schema": "pto-budget/1",
            "files": [{"path": path, "functions": functions} for path, functions in files.items()],
        }
    )


def _kernel_json(item: KernelBudget) -> Json:
    facts = item.facts
    return {
        "name": facts.function.name,
        "qualname": facts.qualname,
        "target": facts.toolchain.target,
        "complete": is_known_in_full(facts),
        "split": is_split(facts),
        "buffers": [_budget_json(item, budget) for budget in budgets(facts)],
    }


def _budget_json(item: KernelBudget, budget: Budget) -> Json:
    usage = budget.usage
    return {
        "space": usage.space.value,
        "needed": usage.needed,
        "limit": budget.limit,
        "physical": budget.physical,
        "over": budget.is_over,
        "unsized": usage.unsized,
        "line": item.facts.span(usage.origin).line + item.first_line + 1,
        "live": [
            {"name": buffer_name(buffer) or _UNNAMED, "bytes": buffer.size, "line": item.line(buffer)}
            for buffer in usage.live
        ],
    }


def _table(item: KernelBudget, style: Style) -> str:
    facts = item.facts
    title = style.paint(f"{item.path}: {facts.qualname}", "bold")
    rows = [f"{title} ({facts.function.kind.value}, {facts.toolchain.target})"]
    rows += [_row(item, budget, style) for budget in budgets(facts)]
    if is_split(facts):
        rows.append("  split over two vector cores: each needs less Vec than this")
    if not is_known_in_full(facts):
        rows.append("  not understood in full: more may be needed")
    if len(rows) == 1:
        rows.append("  no tiles")
    return "".join(f"{row}\n" for row in rows)


def _row(item: KernelBudget, budget: Budget, style: Style) -> str:
    usage = budget.usage
    share = usage.needed / budget.limit
    color = "red" if budget.is_over else "yellow" if share > 0.9 else "green"
    filled = min(_BAR, round(share * _BAR))
    bar = style.paint("#" * filled, color) + "." * (_BAR - filled)
    physical = f" (chip {budget.physical:,})" if budget.physical != budget.limit else ""
    live = ", ".join(
        f"{buffer_name(buffer) or _UNNAMED} {_bytes(buffer)} L{item.line(buffer)}" for buffer in usage.live[:_SHOWN]
    )
    more = f", {len(usage.live) - _SHOWN} more" if len(usage.live) > _SHOWN else ""
    unsized = f"; {usage.unsized} of unknown size" if usage.unsized else ""
    return (
        f"  {usage.space.value:<10} [{bar}] {usage.needed:>9,} of {budget.limit:,} bytes, "
        f"{share:.0%}{physical}: {live or 'nothing sized'}{more}{unsized}"
    )


def _bytes(buffer: Buffer) -> str:
    return "?" if buffer.size is None else f"{buffer.size:,}"
