"""What `pto-lint canonicalize` shows of kernels: as DSL source, as a diff, as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import unified_diff
from typing import Literal

from attrs import frozen

from pto_analysis.findings import Finding
from pto_analysis.frontend.issues import FrontendIssue
from pto_analysis.frontend.typed import constant_int
from pto_analysis.ir.expr import Expr
from pto_analysis.ir.function import Function
from pto_analysis.ir.printer import print_module, printed_name
from pto_analysis.ir.spelling import dim_text, expression_text
from pto_analysis.ir.types import Dim
from pto_analysis.passes.canonicalize import Rewrite
from pto_analysis.rules.facts import KernelFacts
from pto_lsp.output.as_json import Json, diagnostic_json, dump
from pto_lsp.output.report import Diagnostic
from pto_lsp.output.style import Style

Status = Literal["unchanged", "rewritten", "rejected", "unsupported"]


@frozen(eq=False)
class CanonicalKernel:
    """One kernel with its findings; lines of `findings` are those of the file, `first_line` is its unit's."""

    path: str
    facts: KernelFacts
    first_line: int
    findings: tuple[Finding, ...]

    @property
    def written(self) -> KernelFacts:
        return self.facts.written or self.facts

    @property
    def status(self) -> Status:
        analysis = self.facts.analysis
        if any(_is_type_error(issue) for issue in self.written.issues) or (
            self.facts.is_core and (analysis.is_rejected_by(self.facts.toolchain) or self._is_refused_by_lowering)
        ):
            return "rejected"
        if self.written.issues or self.written.not_understood or self._is_beyond_lowering:
            return "unsupported"
        return "unchanged" if analysis.canonical.function is analysis.function else "rewritten"

    @property
    def _is_refused_by_lowering(self) -> bool:
        return self.facts.lowered is not None and any(note.kind == "refused" for note in self.facts.lowered.notes)

    @property
    def _is_beyond_lowering(self) -> bool:
        return self.facts.lowered is not None and any(note.kind == "unknown" for note in self.facts.lowered.notes)

    @property
    def before(self) -> str:
        return _source(self.facts.analysis.function if self.facts.is_core else self.facts.function)

    @property
    def after(self) -> str | None:
        """None when the compiler stops."""
        if self.status == "rejected":
            return None
        return _source(self.facts.analysis.canonical.function) if self.facts.is_core else self.before


def _is_type_error(issue: FrontendIssue) -> bool:
    return issue.code_hint == "PTO3xx"


def _source(function: Function) -> str:
    return print_module([function])


def render(kernels: Sequence[CanonicalKernel], output_format: str, style: Style) -> str:
    if output_format == "json":
        return dump(as_json(kernels))
    if output_format == "diff":
        return "".join(_diff(kernel, style) for kernel in kernels)
    return "\n\n".join(_python(kernel, style) for kernel in kernels)


def as_json(kernels: Iterable[CanonicalKernel]) -> Json:
    """The contract's `pto-canonicalize/1`."""
    files: dict[str, list[Json]] = {}
    for kernel in kernels:
        files.setdefault(kernel.path, []).append(_kernel_json(kernel))
    return {
        "schema": "pto-canonicalize/1",
        "files": [{"path": path, "functions": functions} for path, functions in files.items()],
    }


def _kernel_json(kernel: CanonicalKernel) -> Json:
    facts = kernel.facts
    body: Json = {
        "name": facts.function.name,
        "qualname": facts.qualname,
        "line": facts.span(kernel.written.function.origin).line + kernel.first_line + 1,
        "kind": facts.function.kind.value,
        "status": kernel.status,
        "before": kernel.before,
        "after": kernel.after,
    }
    if facts.lowered is not None:
        body["lowered"] = _source(facts.lowered.lowered)
        body["placed"] = _source(facts.lowered.placed)
    rewrites = facts.analysis.canonical.rewrites if facts.is_core else ()
    body["rewrites"] = [_rewrite_json(rewrite, kernel) for rewrite in rewrites]
    body["diagnostics"] = [diagnostic_json(Diagnostic(kernel.path, finding)) for finding in kernel.findings]
    return body


def _rewrite_json(rewrite: Rewrite, kernel: CanonicalKernel) -> Json:
    span = kernel.facts.span(rewrite.slice_origin)
    return {
        "rule": rewrite.rule,
        "action": rewrite.action,
        "slice": printed_name(rewrite.slice),
        "base": printed_name(rewrite.base),
        "row_offset": _index(rewrite.row),
        "col_offset": _index(rewrite.col),
        "shape": [_extent(dim) for dim in rewrite.shape],
        "target_memory": rewrite.target.value,
        "dropped": rewrite.dropped,
        "line": span.line + kernel.first_line + 1,
        "column": span.column + 1,
    }


def _index(expr: Expr) -> int | str:
    value = constant_int(expr)
    return expression_text(expr) if value is None else value


def _extent(dim: Dim) -> int | str:
    value = constant_int(dim)
    return dim_text(dim) if value is None else value


def _python(kernel: CanonicalKernel, style: Style) -> str:
    return style.paint(f"# {_title(kernel)}", "dim") + "\n" + (kernel.after or _why_rejected(kernel))


def _diff(kernel: CanonicalKernel, style: Style) -> str:
    name = f"{kernel.path}:{kernel.facts.qualname}"
    if kernel.after is None:
        return style.paint(f"# {_title(kernel)}", "dim") + "\n" + _why_rejected(kernel)
    rows = unified_diff(
        kernel.before.splitlines(), kernel.after.splitlines(), f"{name} before", f"{name} after", lineterm=""
    )
    return "".join(f"{_colored(row, style)}\n" for row in rows)


def _colored(row: str, style: Style) -> str:
    colors = {"+": "green", "-": "red", "@": "cyan"}
    return style.paint(row, colors[row[0]]) if row[:1] in colors else row


def _title(kernel: CanonicalKernel) -> str:
    return f"{kernel.path}: {kernel.facts.qualname} ({kernel.facts.function.kind.value}): {kernel.status}"


def _why_rejected(kernel: CanonicalKernel) -> str:
    errors = [finding for finding in kernel.findings if finding.severity.value == "error"]
    rows = [f"#   line {finding.span.line + 1}: {finding.code} {finding.message}" for finding in errors]
    return "\n".join(" ".join(row.split("\n")) for row in rows) + "\n"
