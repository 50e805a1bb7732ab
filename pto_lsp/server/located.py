"""A position of the client, as the analysis sees it: of Python the text, the unit, its kernels, and lines of the unit;
of `.pto` text the file as a whole."""

from __future__ import annotations

from collections.abc import Sequence

from attrs import frozen
from lsprotocol import types as lsp

from pto_analysis.check import UnitKernels
from pto_analysis.ide.aliases import dsl_aliases
from pto_analysis.ide.pto.document import PtoDocument, pto_document
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.source.span import Span
from pto_analysis.source.unit import ModuleSource, Unit, split_units
from pto_lsp.server.app import PtoServer
from pto_lsp.server.convert import Converter
from pto_lsp.server.documents import Document


@frozen(eq=False)
class Located:
    """`line` and `column` are the unit's own, in code points."""

    document: Document
    converter: Converter
    read: UnitKernels
    line: int
    column: int

    @property
    def unit(self) -> Unit:
        return self.read.unit

    @property
    def kernels(self) -> Sequence[KernelFacts]:
        return self.read.kernels

    def range(self, span: Span) -> lsp.Range:
        """A span of the unit, as a range of the document."""
        return self.converter.range(span.shifted(self.unit.first_line))


@frozen(eq=False)
class LocatedPto:
    """A place in a `.pto` file, in code points."""

    document: Document
    converter: Converter
    ir: PtoDocument
    line: int
    column: int

    def range(self, span: Span) -> lsp.Range:
        return self.converter.range(span)


def locate_pto(server: PtoServer, uri: str, position: lsp.Position | None = None) -> LocatedPto | None:
    """None for other documents. Without a position: the file from its begin."""
    document = server.document(uri)
    if document is None or not document.path.endswith(".pto"):
        return None
    converter = server.converter(document.text)
    line, column = converter.place(position) if position is not None else (0, 0)
    target = server.documents.settings(document.path)[0].toolchain.target
    return LocatedPto(document, converter, pto_document(document.text, target), line, column)


async def locate(server: PtoServer, uri: str, position: lsp.Position) -> Located | None:
    """None for documents that are not there or hold no kernels, and outside of units."""
    document = server.document(uri)
    if document is None or not document.path.endswith(".py"):
        return None
    converter = server.converter(document.text)
    line, column = converter.place(position)
    read = await server.analyses.kernels(document, line)
    if read is None:
        return None
    return Located(document, converter, read, line - read.unit.first_line, column)


async def every_unit(server: PtoServer, uri: str) -> list[Located]:
    """All units of a document that hold kernels, each at its first place."""
    document = server.document(uri)
    if document is None or not document.path.endswith(".py"):
        return []
    converter = server.converter(document.text)
    found: list[Located] = []
    for unit in module_source(document).units:
        read = await server.analyses.kernels(document, unit.first_line)
        if read is not None and read.kernels:
            found.append(Located(document, converter, read, 0, 0))
    return found


def module_source(document: Document) -> ModuleSource:
    return split_units(document.text)


def aliases(document: Document) -> frozenset[str]:
    """The names under which the module imports the DSL."""
    return dsl_aliases(document.text)
