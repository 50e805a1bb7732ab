"""The output formats by name."""

from __future__ import annotations

from importlib import import_module

from pto_lsp.output.report import Report
from pto_lsp.output.style import Style

_MODULES = {"json": "as_json", "sarif": "sarif", "github": "github", "gitlab": "gitlab", "junit": "junit"}


def render(report: Report, output_format: str, style: Style, *, quiet: bool = False) -> str:
    """The report in a format of the contract; `quiet` leaves out the closing lines of those made for people."""
    if output_format in _MODULES:
        return import_module(f"pto_lsp.output.{_MODULES[output_format]}").render(report)
    from pto_lsp.output import concise, full, statistics

    text = (full if output_format == "full" else concise).findings(report, style)
    if report.statistics is not None:
        text += statistics.render(report.statistics, style)
    return text if quiet else text + concise.closing(report, style)
