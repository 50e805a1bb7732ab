"""The copy that the compiler inserts for a window, written out where it happens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pto_analysis.findings import Applicability, Edit, Fix
from pto_analysis.fixes.places import Places, places_of
from pto_analysis.fixes.written import (
    Written,
    argument,
    comments_in,
    dsl_of,
    free_name,
    insertion,
    items_of,
    line_end,
    names_in,
    plain,
    replace,
    words_of,
    written_at,
)
from pto_analysis.frozen import frozen
from pto_analysis.ir.expr import Call, Var
from pto_analysis.ir.function import Function
from pto_analysis.ir.spelling import dim_text, expression_text
from pto_analysis.ir.stmt import Assign, Stmt
from pto_analysis.ir.types import Space
from pto_analysis.passes.canonicalize import Rewrite
from pto_analysis.passes.ssa.names import base_name, is_unnamed
from pto_analysis.source import syntax
from pto_analysis.source.span import Span
from pto_analysis.source.unit import Unit


def explicit_extract(unit: Unit, function: Function, rewrites: Sequence[Rewrite]) -> Fix | None:
    """The `pl.tile.extract` of each consumer of one slice, before it or in the slice's place.

    `function` is the kernel in SSA form. None where a name that the extract reads means something else at a consumer,
    or a consumer is no statement of its own.
    """
    first = rewrites[0]
    slicing = places_of(function).defined.get(first.slice)
    found = written_at(unit, first.slice_origin)
    if found is None or slicing is None or any(rewrite.action == "fold-extract" for rewrite in rewrites):
        return None
    at, node = found
    text = extract_call(unit, function, first)
    if text is None:
        return None
    edits = _Copies(unit, places_of(function), slicing, at, node, text).of(rewrites)
    if not edits:
        return None
    name = base_name(first.slice.name)
    title = (
        "Copy the window with `pl.tile.extract`" if _is_nested(at, node) else f"Copy `{name}` with `pl.tile.extract`"
    )
    shown_only = any(rewrite.rule == "PTO101" for rewrite in rewrites)
    return Fix(title, Applicability.DISPLAY if shown_only else Applicability.SAFE, tuple(edits))


@frozen(eq=False)
class ExtractCall:
    """The call's text, the names that it reads, and the statement that read them first."""

    text: str
    names: frozenset[str]
    anchor: Stmt


def _outermost(slicing: Assign, slices: Mapping[Var, Assign]) -> Assign:
    """The first of a row of slices of slices."""
    while True:
        value = slicing.value
        source = value.args[0] if isinstance(value, Call) else None
        outer = slices.get(source) if isinstance(source, Var) else None
        if outer is None or not isinstance(outer.value, Call) or outer.value.op != "tile.slice":
            return slicing
        slicing = outer


def extract_call(unit: Unit, function: Function, rewrite: Rewrite) -> ExtractCall | None:
    """The extract that a rewrite makes, in the slice's own words where it can be."""
    slicing = places_of(function).defined.get(rewrite.slice)
    found = written_at(unit, rewrite.slice_origin)
    module = dsl_of(unit)
    if slicing is None or found is None or module is None:
        return None
    written, anchor = _as_written(rewrite, slicing, *found), slicing
    if written is None:
        written, anchor = _as_computed(rewrite), _outermost(slicing, places_of(function).defined)
    if written is None:
        return None
    source, row, col, shape, names = written
    memory = f"target_memory={module}.Mem.{rewrite.target.value}"
    return ExtractCall(f"{module}.tile.extract({source}, {row}, {col}, shape={shape}, {memory})", names, anchor)


_Parts = tuple[str, str, str, str, frozenset[str]]
"""Source, row, column and shape as texts, and the names in them."""


def _as_written(rewrite: Rewrite, slicing: Assign, at: Written, node: syntax.Expression) -> _Parts | None:
    """The slice's own words, where it is a call that names its source and is no slice of a slice."""
    value = slicing.value
    if not isinstance(node, syntax.Call) or not isinstance(value, Call) or value.args[0] is not rewrite.base:
        return None
    source, shape, offset = argument(node, 0, "tile"), argument(node, 1, "shape"), argument(node, 2, "offset")
    offsets = items_of(offset)
    if not isinstance(source, syntax.Name) or shape is None or offset is None or len(offsets) != 2:
        return None
    texts = [plain(at.text_of(each)) for each in (source, *offsets, shape)]
    if any("#" in text or "\n" in text for text in texts):
        return None
    return texts[0], texts[1], texts[2], texts[3], names_in(source) | names_in(offset) | names_in(shape)


def _as_computed(rewrite: Rewrite) -> _Parts | None:
    """The window in the compiler's words; None where its source has no name."""
    exprs = (rewrite.base, rewrite.row, rewrite.col)
    read = [base_name(var.name) for expr in exprs for var in expr.variables]
    if any(map(is_unnamed, read)):
        return None
    shape = ", ".join(dim_text(dim, _source) for dim in rewrite.shape)
    source, row, col = (expression_text(expr, _source) for expr in exprs)
    return source, row, col, f"[{shape}]", frozenset(read)


def _source(var: Var) -> str:
    return base_name(var.name)


def _is_nested(at: Written, node: syntax.Expression) -> bool:
    return not (isinstance(at.parsed, syntax.Assign) and at.parsed.value is node)


@frozen(eq=False)
class _Copies:
    """Writes the extracts of one slice, which is `node` of the statement `at`."""

    unit: Unit
    places: Places
    slicing: Assign
    at: Written
    node: syntax.Expression
    extract: ExtractCall

    def of(self, rewrites: Sequence[Rewrite]) -> list[Edit] | None:
        if _is_nested(self.at, self.node):
            return self.in_place(rewrites)
        groups: dict[int, list[Rewrite]] = {}
        for rewrite in rewrites:
            if rewrite.consumer_origin is None:
                return None
            groups.setdefault(rewrite.consumer_origin.statement, []).append(rewrite)
        moved = self.moved(groups, dropped=rewrites[0].dropped)
        if moved is not None:
            return moved
        shared = rewrites[0].dropped or any(rewrite.action == "loop-init" for rewrite in rewrites)
        if shared and not self.places.readers(self.slicing.var) <= set(groups):
            return None  # a loop's body reads the copy that its initial value got
        taken = words_of(self.unit)
        edits: list[Edit] = []
        for statement, group in groups.items():
            made = self.before(statement, group, taken)
            if made is None:
                return None
            edits += made
        name = base_name(self.slicing.var.name)
        goes = rewrites[0].dropped and not self.places.overlooks(self.unit, {name})
        unused = removed_statement(self.at) if goes else None
        return edits if unused is None else [unused, *edits]

    def in_place(self, rewrites: Sequence[Rewrite]) -> list[Edit] | None:
        """A slice inside its only consumer becomes the extract right there."""
        statements = {rewrite.consumer_origin.statement for rewrite in rewrites if rewrite.consumer_origin is not None}
        if len(rewrites) != 1 or statements != {self.at.statement}:
            return None
        if not self.places.means_the_same(self.extract.names, self.extract.anchor, self.slicing):
            return None
        return self.instead()

    def instead(self) -> list[Edit] | None:
        """The extract in the slice's place; comments inside the slice go above the statement."""
        inside = comments_in(self.at, self.at.span(self.node))
        if inside and not self.at.begins_line:
            return None
        return [*(insertion(self.at, text) for text in inside), replace(self.at, self.node, self.extract.text)]

    def moved(self, groups: dict[int, list[Rewrite]], *, dropped: bool) -> list[Edit] | None:
        """A slice that only the next statement reads becomes the extract, under its own name."""
        if not dropped or list(groups) != [self.at.statement + 1]:
            return None
        targets = {rewrite.target for rewrite in groups[self.at.statement + 1]}
        annotation = self._annotated(targets.pop())
        if targets or annotation is None:
            return None  # one operand on the left and on the right of a product needs two copies
        if self.extract.anchor is not self.slicing and not self.places.means_the_same(
            self.extract.names, self.extract.anchor, self.slicing
        ):
            return None
        following = self.unit.lines[self.at.statement + 1]
        if self.unit.lines[self.at.statement].indent != following.indent:
            return None
        made = self.instead()
        return None if made is None else annotation + made

    def _annotated(self, target: Space) -> list[Edit] | None:
        """The slice's annotation for an extract to `target`; None where it says more than a space of its own."""
        annotation = self.at.parsed.annotation if isinstance(self.at.parsed, syntax.Assign) else None
        if annotation is None:
            return []
        slots = annotation.items if isinstance(annotation, syntax.Subscript) else ()
        space = slots[2] if len(slots) == 3 else None
        if len(slots) == 2:
            return []
        if not isinstance(space, syntax.Attribute) or space.attr not in {each.value for each in Space}:
            return None
        end = self.at.span(space)
        start = end.end_column - len(space.attr)
        return [Edit(Span(end.end_line, start, end.end_line, end.end_column), target.value)]

    def before(self, statement: int, group: Sequence[Rewrite], taken: set[str]) -> list[Edit] | None:
        """The extract on a line of its own before a consumer, which reads the new name; an alias is the new name."""
        at, name = Written(self.unit, statement), base_name(self.slicing.var.name)
        reader = self.places.reader(self.slicing.var, statement)
        reads = [node for node in at.nodes() if isinstance(node, syntax.Name) and node.name == name]
        if isinstance(at.parsed, syntax.Assign):
            reads = [node for node in reads if node not in at.parsed.targets]
        if reader is None or len(reads) != len(group) or not at.begins_line:
            return None
        if len({rewrite.target for rewrite in group}) > 1:
            return None
        if not self.places.means_the_same(self.extract.names, self.extract.anchor, reader):
            return None
        if group[0].action == "alias":
            return [replace(at, reads[0], self.extract.text)]
        fresh = free_name(f"{name}_copy", taken)
        return [insertion(at, f"{fresh} = {self.extract.text}"), *(replace(at, read, fresh) for read in reads)]


def removed_statement(at: Written) -> Edit | None:
    """The statement's lines, where nothing else stands on them and its block keeps another statement."""
    return None if at.unit.lines[at.statement].comments else reduced_to_comments(at)


def reduced_to_comments(at: Written) -> Edit | None:
    """The same for a statement whose comments stay, each on a line of its own."""
    lines, index = at.unit.lines, at.statement
    siblings = (lines[other] for other in (index - 1, index + 1) if 0 <= other < len(lines))
    if not at.is_alone or all(line.indent != lines[index].indent for line in siblings):
        return None
    kept = "".join(f"{at.indent}{comment.text}{line_end(at.unit)}" for comment in lines[index].comments)
    return Edit(Span(at.whole.line, 0, at.whole.end_line + 1, 0), kept)
