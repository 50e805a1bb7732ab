"""Checking a text without files."""

from __future__ import annotations

from collections.abc import Mapping
from posixpath import dirname

from attrs import field, frozen

from pto_analysis.check import check_file
from pto_analysis.frontend.module import Modules
from pto_analysis.report import CheckOptions, FileReport
from pto_analysis.rules.selection import Enabled, Selection, resolve
from pto_analysis.source.workspace import Workspace

PATH = "/project/example.py"


@frozen
class Texts:
    """A source provider over texts by absolute path."""

    texts: Mapping[str, str] = field(factory=dict[str, str])
    roots: tuple[str, ...] = ("/project",)

    def read(self, path: str) -> str | None:
        return self.texts.get(path)

    def exists(self, path: str) -> bool:
        return path in self.texts or any(name.startswith(f"{path}/") for name in self.texts) or path == dirname(PATH)

    def listing(self, folder: str) -> tuple[str, ...]:
        return tuple(sorted(path for path in self.texts if dirname(path) == folder))


def check_text(
    text: str,
    options: CheckOptions | None = None,
    enabled: Enabled | None = None,
    others: Mapping[str, str] | None = None,
    path: str = PATH,
) -> FileReport:
    """The report on one module; `others` are modules beside it by their file name."""
    texts = {path: text} | {f"/project/{name}": body for name, body in (others or {}).items()}
    chosen = enabled or resolve(Selection())
    return check_file(path, text, Modules(Workspace(Texts(texts))), options or CheckOptions(), chosen)
