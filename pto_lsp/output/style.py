"""Colour for terminals, and nothing at all elsewhere."""

from __future__ import annotations

from attrs import frozen

from pto_analysis.findings import Severity

_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "blue": "34", "cyan": "36"}

SEVERITY_COLORS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "blue", Severity.HINT: "cyan"}


@frozen
class Style:
    """Paints words by SGR codes when `enabled`."""

    enabled: bool

    def paint(self, text: str, *names: str) -> str:
        if not self.enabled or not text:
            return text
        return f"\x1b[{';'.join(_CODES[name] for name in names)}m{text}\x1b[0m"

    def severity(self, text: str, severity: Severity) -> str:
        return self.paint(text, "bold", SEVERITY_COLORS[severity])


PLAIN = Style(enabled=False)
