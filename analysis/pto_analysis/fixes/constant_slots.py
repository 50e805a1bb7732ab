"""A loop over rotating slots, written so that every slot is a number once `pl.unroll` is written out.

The stock assembler tells slots apart that it knows when compiling. A short loop is unrolled as a whole; of a longer
one, whose slots are `(i + c) % N`, N turns at a time. The operations and their order stay the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from attrs import frozen

from pto_analysis.findings import Applicability, Edit, Fix
from pto_analysis.fixes.written import Written, free_name, line_end, replace, words_of
from pto_analysis.frontend.typed import constant_int
from pto_analysis.ir import walk
from pto_analysis.ir.expr import Binary, Call, Expr, Tuple, Var
from pto_analysis.ir.function import Function
from pto_analysis.ir.stmt import Assign, Break, Continue, Eval, For, Scope, While
from pto_analysis.ir.types import TileType
from pto_analysis.source import syntax
from pto_analysis.source.span import Span
from pto_analysis.source.text import split_lines
from pto_analysis.source.unit import Unit

MAX_TURNS = 16
"""A loop of more turns is not unrolled as a whole."""

MAX_STATEMENTS = 400
"""Statements that an unrolled loop may come to."""

_WINDOW_OFFSETS = {"tile.slice": 2, "tile.assemble": 2}
"""Operand that says where a window begins."""

Multiple = Callable[[Expr, int], bool]
"""Whether a scalar is provably a multiple of a number."""


def constant_slots(unit: Unit, function: Function, lines: Sequence[int], is_multiple: Multiple) -> Fix | None:
    """The innermost loop around the statements at some lines of the unit, with slots that are numbers.

    `function` is the kernel in SSA form. Unsafe: it means the same, at the price of longer code.
    """
    loop = _loop_around(function, [_statement_at(unit, line) for line in lines])
    if loop is None or loop.origin is None or not _can_be_unrolled(loop):
        return None
    slots = _Slots.of(loop)
    header = _Header.of(unit, loop)
    if header is None or not slots.exprs or not slots.rest_on(loop.var):
        return None
    edits = _unrolled(header, loop) or _in_groups(header, loop, slots, is_multiple)
    if not edits:
        return None
    title = "Unroll the loop, so that its slots are numbers" if len(edits) == 1 else "Unroll one round of the slots"
    return Fix(title, Applicability.UNSAFE, tuple(edits))


def _statement_at(unit: Unit, line: int) -> int:
    return max((index for index, each in enumerate(unit.lines) if each.line <= line), default=-1)


def _loop_around(function: Function, wanted: Sequence[int]) -> For | None:
    """The innermost one; the last found, as outer loops come first."""
    found = None
    for stmt in walk.statements(function.body):
        if isinstance(stmt, For) and set(wanted) <= {
            inner.origin.statement for inner in walk.statements(stmt.body) if inner.origin is not None
        }:
            found = stmt
    return found


def _can_be_unrolled(loop: For) -> bool:
    inner = list(walk.statements(loop.body))
    leaves = any(isinstance(stmt, (Break, Continue, Scope, While)) for stmt in inner)
    return loop.kind == "range" and not leaves


@frozen(eq=False)
class _Slots:
    """The expressions that choose slots and windows in a loop, and the scalars that the loop computes."""

    exprs: tuple[Expr, ...]
    scalars: dict[Var, Expr]

    @classmethod
    def of(cls, loop: For) -> _Slots:
        exprs: list[Expr] = []
        scalars: dict[Var, Expr] = {}
        for stmt in walk.statements(loop.body):
            exprs += _chosen_by(stmt)
            if isinstance(stmt, Assign) and isinstance(stmt.value, (Binary, Var)):
                scalars[stmt.var] = stmt.value
        return cls(tuple(expr for expr in exprs if constant_int(expr) is None), scalars)

    def rest_on(self, index: Var) -> bool:
        """Whether the loop's variable decides every slot."""
        return all(var is index for expr in self.exprs for var in self._leaves(expr))

    def rotate(self, index: Var, count: int) -> bool:
        """Whether the variable counts only modulo the number of slots, plus a constant."""
        return all(_is_modular(node, index, count) for expr in self.exprs for node in self._written(expr))

    def _leaves(self, expr: Expr) -> Iterator[Var]:
        for written in self._written(expr):
            yield from (var for var in walk.variables(written) if var not in self.scalars)

    def _written(self, expr: Expr) -> Iterator[Expr]:
        """The expression with those of the scalars that it reads."""
        waiting, seen = [expr], set[int]()
        while waiting:
            current = waiting.pop()
            if id(current) in seen:
                continue
            seen.add(id(current))
            read = [var for var in walk.variables(current) if var in self.scalars]
            waiting += [self.scalars[var] for var in read]
            yield current

    def counts(self) -> set[int]:
        """The numbers of slots by which the expressions wrap around."""
        found: set[int] = set()
        for expr in self.exprs:
            for written in self._written(expr):
                found |= {count for node in _nodes(written) if (count := _modulus(node)) is not None}
        return found


def _chosen_by(stmt: object) -> Iterator[Expr]:
    if isinstance(stmt, Assign) and isinstance(stmt.var.type, TileType) and stmt.var.type.memref is not None:
        slot = stmt.var.type.memref.slot
        if slot is not None and not isinstance(slot, int):
            yield slot
    call = stmt.value if isinstance(stmt, (Assign, Eval)) else None
    for each in _calls(call) if isinstance(call, Call) else ():
        at = _WINDOW_OFFSETS.get(each.op)
        offset = each.args[at] if at is not None and at < len(each.args) else None
        if isinstance(offset, Tuple):
            yield from offset.items


def _calls(expr: Expr) -> Iterator[Call]:
    return (node for node in _nodes(expr) if isinstance(node, Call))


def _nodes(expr: Expr) -> Iterator[Expr]:
    waiting = [expr]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(walk.children(node))


def _modulus(node: Expr) -> int | None:
    return constant_int(node.right) if isinstance(node, Binary) and node.op == "%" else None


def _is_modular(expr: Expr, index: Var, count: int) -> bool:
    """Whether `index` stands only in `index % count` and `(index + c) % count`."""
    waiting = [expr]
    while waiting:
        node = waiting.pop()
        if node is index:
            return False
        if _modulus(node) == count and isinstance(node, Binary) and _is_shifted(node.left, index):
            continue
        waiting.extend(walk.children(node))
    return True


def _is_shifted(expr: Expr, index: Var) -> bool:
    if expr is index:
        return True
    return isinstance(expr, Binary) and expr.op == "+" and expr.left is index and constant_int(expr.right) is not None


@frozen(eq=False)
class _Header:
    """`for i in pl.range(stop):` and its variations without keywords."""

    at: Written
    name: syntax.Name
    call: syntax.Call
    range_: syntax.Attribute

    @classmethod
    def of(cls, unit: Unit, loop: For) -> _Header | None:
        assert loop.origin is not None
        at = Written(unit, loop.origin.statement)
        parsed = at.parsed
        if not isinstance(parsed, syntax.ForHeader) or not isinstance(parsed.target, syntax.Name):
            return None
        call = parsed.iterable
        if not isinstance(call, syntax.Call) or not isinstance(call.func, syntax.Attribute) or not at.begins_line:
            return None
        plain = all(each.keyword is None and not each.star for each in call.args)
        return cls(at, parsed.target, call, call.func) if plain and call.args and call.func.attr == "range" else None

    @property
    def bounds(self) -> tuple[syntax.Expression, ...]:
        return tuple(each.value for each in self.call.args)

    @property
    def bounds_span(self) -> Span:
        """From the first bound to the last; a loop has one at least."""
        first, last = (self.at.span(bound) for bound in (self.bounds[0], self.bounds[-1]))
        return Span(first.line, first.column, last.end_line, last.end_column)

    def body(self) -> range:
        """The statements of the loop's body, by number."""
        lines, first = self.at.unit.lines, self.at.statement + 1
        end = first
        while end < len(lines) and lines[end].indent > lines[self.at.statement].indent:
            end += 1
        return range(first, end)


def _unrolled(header: _Header, loop: For) -> list[Edit] | None:
    """`pl.unroll` in place of `pl.range`."""
    bounds = [constant_int(bound) for bound in (loop.start, loop.stop, loop.step)]
    if None in bounds or not bounds[2]:
        return None
    start, stop, step = (bound or 0 for bound in bounds)
    turns, size = len(range(start, stop, step)), sum(1 for _ in walk.statements(loop.body))
    if not 1 < turns <= MAX_TURNS or turns * size > MAX_STATEMENTS:
        return None
    end = header.at.span(header.range_)
    return [Edit(Span(end.end_line, end.end_column - len("range"), end.end_line, end.end_column), "unroll")]


def _in_groups(header: _Header, loop: For, slots: _Slots, is_multiple: Multiple) -> list[Edit] | None:
    """An outer loop over rounds of the slots and an unrolled one over the slots of a round."""
    counts = slots.counts()
    count = counts.pop() if len(counts) == 1 else 0
    start, step = constant_int(loop.start), constant_int(loop.step)
    if not 1 < count <= MAX_TURNS or start is None or start < 0 or start % count or step != 1:
        return None
    if not slots.rotate(loop.var, count) or not is_multiple(loop.stop, count):
        return None
    at, unit = header.at, header.at.unit
    body = [Written(unit, number) for number in header.body()]
    if not body or not body[0].begins_line or any(_spans_lines_in_string(each) for each in body):
        return None
    taken = words_of(unit)
    first, slot = free_name(f"{header.name.name}_first", taken), free_name("slot", taken)
    module = at.text_of(header.range_.value)
    inner = "\t" if "\t" in body[0].indent else "    "
    opening = [
        f"for {slot} in {module}.unroll({count}):",
        f"{inner}{header.name.name} = {first} + {slot}",
    ]
    bounds = ["0", *map(at.text_of, header.bounds)][-2:] if len(header.bounds) < 3 else map(at.text_of, header.bounds)
    start_text, stop_text, *_ = bounds
    return [
        replace(at, header.name, first),
        Edit(header.bounds_span, f"{start_text}, {stop_text}, {count}"),
        *_indented(unit, body, inner, opening),
        *(edit for each in body for edit in _slot_names(each, header.name.name, slot, count)),
    ]


def _spans_lines_in_string(at: Written) -> bool:
    text = at.text
    return '"""' in text or "'''" in text


def _indented(unit: Unit, body: Sequence[Written], inner: str, opening: Iterable[str]) -> Iterator[Edit]:
    """Every line of the body one step deeper, behind the opening lines."""
    texts = split_lines(unit.text)
    first, last = body[0].whole.line, body[-1].whole.end_line
    above = "".join(f"{body[0].indent}{line}{line_end(unit)}" for line in opening)
    for line in range(first, last + 1):
        if texts[line].strip():
            yield Edit(Span(line, 0, line, 0), f"{above if line == first else ''}{inner}")


def _slot_names(at: Written, index: str, slot: str, count: int) -> Iterator[Edit]:
    """`i % N` as the slot's own number, `(i + c) % N` with it in the place of `i`."""
    for node in at.nodes():
        modulus = node.right if isinstance(node, syntax.Binary) and node.op == "%" else None
        if not isinstance(node, syntax.Binary) or not isinstance(modulus, syntax.Constant) or modulus.value != count:
            continue
        left = node.left
        if _names(left, index):
            yield replace(at, node, slot)
        elif isinstance(left, syntax.Binary) and left.op == "+" and _names(left.left, index):
            yield replace(at, left.left, slot)


def _names(node: syntax.Expression, name: str) -> bool:
    return isinstance(node, syntax.Name) and node.name == name
