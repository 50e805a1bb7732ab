"""Statements to syntax, and the places of their nodes."""

from __future__ import annotations

import ast
import threading
from typing import Any, cast

import pytest
from attrs import fields, has
from hypothesis import given, settings
from hypothesis import strategies as st

from pto_analysis.source import syntax
from pto_analysis.source.from_ast import syntax_of
from pto_analysis.source.statements import (
    StatementError,
    StatementSyntax,
    concrete,
    name_span,
    parse_statement,
    positions,
)
from pto_analysis.source.text import SourceText


def parsed(text: str) -> syntax.Statement:
    result = parse_statement(text)
    assert isinstance(result, StatementSyntax), result
    return result.statement


def expression(text: str) -> syntax.Expression:
    statement = parsed(text)
    assert isinstance(statement, syntax.ExpressionStatement)
    return statement.value


def node_texts(text: str) -> list[str]:
    result = parse_statement(text)
    assert isinstance(result, StatementSyntax), result
    source = SourceText(text)
    return [source.slice(span) for span in positions(result)]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("x = 1", syntax.Assign),
        ("x: T = 1", syntax.Assign),
        ("x: T", syntax.Assign),
        ("x += 1", syntax.AugAssign),
        ("f(x)", syntax.ExpressionStatement),
        ("return x, y", syntax.Return),
        ("for i, (a,) in r(8):", syntax.ForHeader),
        ("while x < 3:", syntax.WhileHeader),
        ("if x:", syntax.IfHeader),
        ("elif x:", syntax.IfHeader),
        ("else:", syntax.ElseHeader),
        ("else :", syntax.ElseHeader),
        ("with pl.at(level=1) as t, b:", syntax.WithHeader),
        ("def f(self, x: T = 1, *a, k, **kw) -> R:", syntax.FunctionHeader),
        ("class A(B, metaclass=C):", syntax.ClassHeader),
        ("@pl.jit(auto_scope=False)", syntax.Decorator),
        ("pass", syntax.Simple),
        ("continue", syntax.Simple),
        ("assert x, 'why'", syntax.OtherStatement),
        ("import a.b as c", syntax.OtherStatement),
        ("try:", syntax.OtherStatement),
        ("except (A, B) as e:", syntax.OtherStatement),
        ("match x:", syntax.OtherStatement),
        ("case [a, *b]:", syntax.OtherStatement),
        ("async with a:", syntax.OtherStatement),
        ("del x", syntax.OtherStatement),
        ("global x", syntax.OtherStatement),
    ],
)
def test_every_kind_of_statement(text: str, kind: type[syntax.Statement]) -> None:
    assert isinstance(parsed(text), kind)


def test_the_words_of_other_statements() -> None:
    words = [parsed(text) for text in ("assert x", "raise E", "del x", "global x", "from a import b", "finally:")]
    assert [each.keyword for each in words if isinstance(each, syntax.OtherStatement)] == [
        "assert", "raise", "del", "global", "import", "finally",
    ]  # fmt: skip


def test_parameters_in_order() -> None:
    header = parsed("def f(a, /, b: T = 1, *c, d, **e) -> R:")
    assert isinstance(header, syntax.FunctionHeader)
    assert [(each.name, each.star) for each in header.params] == [
        ("a", ""), ("b", ""), ("c", "*"), ("d", ""), ("e", "**"),
    ]  # fmt: skip
    assert header.name == "f"
    assert header.returns == syntax.Name(8, "R")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1_000", 1000), ("0xFF", 255), ("0b11", 3), ("1e3", 1000.0), ("2j", 2j), ("True", True), ("None", None),
        ("...", ...), ("'a' \"b\"", "ab"), ("'a\\n'", "a\n"), ("r'\\d'", "\\d"), ("'\\d'", "\\d"), ("b'x'", b"x"),
        ("'''a\nb'''", "a\nb"), ("''", ""), ("u'é𝄞'", "é𝄞"),
    ],
)  # fmt: skip
def test_literals(text: str, value: object) -> None:
    assert expression(text) == syntax.Constant(1, value)


@pytest.mark.parametrize(
    ("text", "what", "children"),
    [
        ("a if b else c", "conditional expression", 3),
        ("lambda x: x + 1", "lambda", 1),
        ("(x := 1)", "walrus", 2),
        ("[i for i in x if i]", "list comprehension", 2),
        ("{i for i in x}", "set comprehension", 2),
        ("{i: j for i in x for j in y}", "dictionary comprehension", 4),
        ("(i for i in x)", "generator expression", 2),
        ("f'a{b}'", "f-string", 2),
        ("await x", "await", 1),
        ("(yield x)", "yield", 1),
        ("{1, 2}", "set", 2),
        ("{**a}", "dictionary unpacking", 1),
        ("9" * 5000, "number of too many digits", 0),
    ],
)
def test_what_the_dsl_does_not_have(text: str, what: str, children: int) -> None:
    node = expression(text)
    assert isinstance(node, syntax.Unsupported)
    assert (node.what, len(node.children)) == (what, children)


def test_a_run_of_one_boolean_operator_is_one_node() -> None:
    node = expression("a and b and (c and d) or e")
    assert isinstance(node, syntax.Boolean)
    inner = node.values[0]
    assert isinstance(inner, syntax.Boolean)
    assert (node.op, inner.op, len(inner.values)) == ("or", "and", 3)


def test_a_tuple_index_is_spread() -> None:
    node = expression("x[0, :, a:b:c]")
    assert isinstance(node, syntax.Subscript)
    assert [type(item) for item in node.items] == [syntax.Constant, syntax.Slice, syntax.Slice]


def test_spans_follow_the_node_numbers() -> None:
    assert node_texts("x = f((a), *b, k=c)[1:(2)]")[1:] == [
        "x", "f((a), *b, k=c)[1:(2)]", "f((a), *b, k=c)", "f", "(a)", "a", "*b", "b", "k=c", "c", "1:(2)", "1", "2",
    ]  # fmt: skip


def test_spans_of_statements_over_several_lines_and_beyond_ascii() -> None:
    text = "é = f(漢,  # why\r\n      k=('𝄞', ß))"
    assert node_texts(text) == [
        text, "é", "f(漢,  # why\r\n      k=('𝄞', ß))", "f", "漢", "漢", "k=('𝄞', ß)", "('𝄞', ß)", "'𝄞'", "ß",
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["elif é == 漢:", "else:", "@pl.f(é)", "def f(é: T):", "try:", "with a as b:"])
def test_spans_of_headers_stay_inside_them(text: str) -> None:
    found = node_texts(text)
    assert found[0] == text
    assert all(each and each in text for each in found)


def test_the_concrete_node_of_a_syntax_node() -> None:
    found = concrete("x = a + b")
    assert not isinstance(found, StatementError)
    assert [type(node).__name__ for node in found.nodes] == ["Assign", "Name", "BinaryOperation", "Name", "Name"]


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("x = f(a b)", 0, 6),
        ("x = (1 +\n  $)", 1, 2),
        ("for i in x", 0, 10),
        ("elif é 3:", 0, 7),
        ("x = ", 0, 4),
        ("", 0, 0),
        ("x = 1\x00", 0, 0),
        ("x = '\ud800'", 0, 0),
    ],
)
def test_what_is_no_statement_says_where(text: str, line: int, column: int) -> None:
    result = parse_statement(text)
    assert isinstance(result, StatementError)
    assert (result.line, result.column) == (line, column)
    assert result.message


@pytest.mark.parametrize(
    "text", ["x = " + "[" * 190 + "]" * 190, "x = " + " + ".join(["a"] * 190), "x = a" + ".b" * 190]
)
def test_what_is_nested_too_deep_for_a_walk_is_an_error(text: str) -> None:
    result = parse_statement(text)
    assert isinstance(result, StatementError)
    assert "nested deeper than 100" in result.message


def test_deep_statements_have_positions_even_near_the_recursion_limit() -> None:
    result = parse_statement("x = " + "[" * 95 + "a" + "]" * 95)
    assert isinstance(result, StatementSyntax)
    assert len(positions(result)) == 98


def test_parsing_works_in_threads() -> None:
    found: list[object] = []

    def parse(number: int) -> None:
        found.append(parse_statement(f"x{number} = {number}"))

    threads = [threading.Thread(target=parse, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(isinstance(each, StatementSyntax) for each in found) == 8


def test_where_a_header_names_what_it_defines() -> None:
    span = name_span("async def\\\n  kernel(x):")
    assert span is not None
    assert (span.line, span.column, span.end_column) == (1, 2, 8)
    assert name_span("x = 1") is None


ATOMS = st.sampled_from(["a", "é", "1", "2.5", "'s'", "None", "...", "x.y", "f()", "[]", "()", "{}"])


def _combined(parts: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    operators = st.sampled_from(
        ["+", "-", "*", "//", "%", "**", "<<", "|", "@", "and", "or", "<", "==", "in", "is not"]
    )
    return st.one_of(
        st.builds("({} {} {})".format, parts, operators, parts),
        st.builds("{} {} {}".format, parts, operators, parts),
        st.builds("(not {})".format, parts),
        st.builds("-({})".format, parts),
        st.builds("f({}, *({}), k={})".format, parts, parts, parts),
        st.builds("x[{}, {}:{}]".format, parts, parts, parts),
        st.builds("[{}, *({})]".format, parts, parts),
        st.builds("({}, {})".format, parts, parts),
        st.builds("({} if {} else {})".format, parts, parts, parts),
        st.builds("{{{}: {}}}".format, parts, parts),
        st.builds("[{} for a in {} if {}]".format, parts, parts, parts),
        st.builds("(lambda: {})".format, parts),
    )


EXPRESSIONS = st.recursive(ATOMS, _combined, max_leaves=8)


def parts_of(node: object) -> dict[str, Any] | None:
    """The fields of a syntax node by name, or the items of a tuple by number; None for other values."""
    if isinstance(node, tuple):
        return {str(index): item for index, item in enumerate(cast("tuple[Any, ...]", node))}
    kind: type[Any] = type(node)
    return {field.name: getattr(node, field.name) for field in fields(kind)} if has(kind) else None


def without_ids(node: object) -> object:
    """A syntax node as nested values that leave its numbers out."""
    parts = parts_of(node)
    if parts is None:
        return node
    return type(node).__name__, {name: without_ids(part) for name, part in parts.items() if name != "id"}


@settings(max_examples=150, deadline=None)
@given(EXPRESSIONS)
def test_ast_and_libcst_give_the_same_tree(text: str) -> None:
    node = ast.parse(text, mode="eval").body
    assert without_ids(syntax_of(node)) == without_ids(expression(text))


@settings(max_examples=100, deadline=None)
@given(EXPRESSIONS)
def test_the_text_of_a_node_is_the_node(text: str) -> None:
    """What a span covers, parsed by itself, is the node that it belongs to."""
    whole = expression(text)
    spans = node_texts(text)
    waiting: list[object] = [whole]
    while waiting:
        node = waiting.pop()
        parts = parts_of(node) or {}
        waiting.extend(parts.values())
        is_clause = isinstance(node, syntax.Unsupported) and node.what == "comprehension clause"
        if "id" in parts and not is_clause and not isinstance(node, (syntax.Argument, syntax.Slice, syntax.Starred)):
            assert without_ids(expression(f"({spans[parts['id']]})")) == without_ids(node)


@given(st.text(max_size=30))
def test_no_text_raises(text: str) -> None:
    assert isinstance(parse_statement(text), (StatementSyntax, StatementError))


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "[" * 3000 + "]" * 3000,
        "x = f'{" + "(" * 3000 + "a" + ")" * 3000 + "}'",
        "x = rF'''{1}{a:{" + "[" * 3000 + "}}'''",
        "x = f'{" + " + ".join(["a"] * 3000) + "}'",
        "x = f'{{{" + "-" * 3000 + "a}}}'",
        "x = " + "f(" * 150 + "-" * 900 + "1" + ")" * 150,
        "x = " + "lambda: " * 3000 + "1",
    ],
)
def test_what_would_crash_the_parser_never_reaches_it(text: str) -> None:
    assert isinstance(parse_statement(text), StatementError)
    assert isinstance(concrete(text), StatementError)


def test_a_long_text_in_an_f_string_is_no_chain() -> None:
    assert isinstance(parse_statement("x = f'" + "many words " * 500 + "{a} {{b}} {c!r:>{w}}'"), StatementSyntax)
