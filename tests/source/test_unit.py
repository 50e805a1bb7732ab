"""Units: results that survive moving, and absolute places."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pto_analysis.source.scanner import LogicalLine, scan
from pto_analysis.source.span import Origin
from pto_analysis.source.statements import StatementError
from pto_analysis.source.text import SourceText
from pto_analysis.source.unit import Unit, split_units

MODULE = '''\
"""Docs."""
import pypto.language as pl

@pl.jit
@other(
    1)
def f(x: pl.Tensor, é):
    y = pl.add(x,
               é)  # sum
    return y

# between
N = 3; M = 4
class P:

    @pl.function
    def k(self): return 1

if N:
    A = 1
else:
    A = 2
'''


def test_units_and_statements_of_a_module() -> None:
    module = split_units(MODULE)
    assert [(unit.keyword, unit.name, unit.first_line) for unit in module.units] == [
        ("def", "f", 3), ("class", "P", 13), ("if", None, 18),
    ]  # fmt: skip
    assert [line.text for line in module.statements] == [
        '"""Docs."""', "import pypto.language as pl", "N = 3", "M = 4",
    ]  # fmt: skip
    assert module.units[0].text.endswith("return y")


def test_places_are_relative_to_the_unit() -> None:
    module = split_units(MODULE)
    unit = module.units[0]
    statement = next(line.index for line in unit.lines if line.text.startswith("y ="))
    source = SourceText(MODULE)
    argument = unit.span_of(Origin(statement, 8))
    assert source.slice(argument.shifted(unit.first_line)) == "é"
    whole = unit.span_of(Origin(statement))
    assert source.slice(whole.shifted(unit.first_line)) == "y = pl.add(x,\n               é)"
    assert unit.statement_text(statement) == "y = pl.add(x,\n               é)"


def test_a_node_that_is_not_there_gives_its_statement() -> None:
    unit = split_units("def f():\n    x = (\n").units[0]
    assert unit.span_of(Origin(1, 5)) == unit.statement_span(1)


def test_a_parse_error_has_a_place_inside_its_statement() -> None:
    unit = split_units("\n\ndef f():\n    x = f(a b)\n").units[0]
    error = unit.syntax(1)
    assert isinstance(error, StatementError)
    span = unit.error_span(1, error)
    assert (span.line, span.column) == (1, 10)


def test_moving_a_unit_changes_nothing_but_its_first_line() -> None:
    before = split_units(MODULE).units[0]
    after = split_units("\n\n" + MODULE).units[0]
    assert before.text == after.text
    assert before.lines == after.lines
    assert after.first_line == before.first_line + 2


def test_the_unit_at_a_line() -> None:
    module = split_units(MODULE)
    assert [unit.name if unit else None for unit in map(module.unit_at, (0, 3, 9, 10, 13))] == [
        None, "f", "f", None, "P",
    ]  # fmt: skip


def test_lines_without_their_header_make_a_unit() -> None:
    module = split_units("x = 1\n    y = 2\n    for i in z:\n        w\nv = 3\n")
    assert [(unit.keyword, unit.first_line) for unit in module.units] == [("", 1)]
    assert [line.text for line in module.statements] == ["x = 1", "v = 3"]


LINES = [
    "x = 1",
    "def f():",
    "    y",
    "@a",
    "if x:",
    "else:",
    "",
    "# c",
    "  z = (",
    "class A: b",
    "a; b",
    '"""d"""',
    "\tw)",
]


@given(st.lists(st.sampled_from(LINES), max_size=20), st.sampled_from(["\n", "\r\n"]))
def test_units_hold_every_statement_of_the_module_once(lines: list[str], end: str) -> None:
    text = end.join(lines)
    found: list[tuple[int, str]] = []
    for item in split_units(text).items:
        if isinstance(item, LogicalLine):
            found.append((item.line, item.text))
        else:
            found += [(line.line + item.first_line, line.text) for line in item.lines]
    assert found == [(line.line, line.text) for line in scan(text)]


def test_a_unit_is_cut_into_blocks() -> None:
    unit: Unit = split_units(MODULE).units[1]
    assert [block.line.text for block in unit.blocks[0].body] == ["def k(self):"]
    assert [line.text for line in unit.blocks[0].body[0].decorators] == ["@pl.function"]
