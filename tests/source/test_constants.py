"""What expressions outside of the DSL are worth."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pto_analysis.source.constants import NoWorld, evaluate
from pto_analysis.source.statements import StatementSyntax, parse_statement
from pto_analysis.source.syntax import ExpressionStatement
from pto_analysis.source.values import DslName, DynVar, External, Unknown, Value

NAMES: dict[str, Value] = {
    "pl": DslName("pl"),
    "pypto": DslName("pypto"),
    "math": External("math"),
    "os": External("os"),
    "sys": External("sys"),
    "torch": External("torch"),
    "N": DynVar("N"),
    "M": 64,
    "K": 128,
    "SHAPE": [4, 8],
    "TABLE": {"a": 1},
    "mystery": Unknown("not known"),
}


def value(text: str) -> Value:
    parsed = parse_statement(text)
    assert isinstance(parsed, StatementSyntax), parsed
    assert isinstance(parsed.statement, ExpressionStatement)
    return evaluate(parsed.statement.value, lookup, NoWorld())


def lookup(name: str) -> Value:
    return NAMES[name] if name in NAMES else Unknown(f"{name} is not defined", defined=False)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("M * 2 + 1", 129),
        ("(K + M - 1) // M", 2),
        ("-M % 48", -64 % 48),
        ("K / M", 2.0),
        ("M ** 0.5", 8.0),
        ("1 << 4 | 3 & ~1 ^ 8", 1 << 4 | 3 & ~1 ^ 8),
        ("M == 64 != K", True),
        ("0 < M < 64", False),
        ("M in SHAPE or 4 in SHAPE", True),
        ("not M", False),
        ("M and K", 128),
        ("0 or SHAPE", [4, 8]),
        ("1 if M > K else 2", 2),
        ("max(M, K, 3)", 128),
        ("min([M, K])", 64),
        ("sum(SHAPE)", 12),
        ("abs(-M)", 64),
        ("int(M / 3)", 21),
        ("float('2.5')", 2.5),
        ("bool(0)", False),
        ("round(2.6)", 3),
        ("len(SHAPE)", 2),
        ("list(range(1, 8, 3))", [1, 4, 7]),
        ("tuple(SHAPE)", (4, 8)),
        ("sorted([3, 1, 2])", [1, 2, 3]),
        ("[*SHAPE, 1]", [4, 8, 1]),
        ("(M, 'x')[0]", 64),
        ("SHAPE[-1]", 8),
        ("SHAPE[0:1]", [4]),
        ("TABLE['a']", 1),
        ("TABLE.get('b', 7)", 7),
        ("{'k': M}['k']", 64),
        ("{1, 1}", frozenset({1})),
        ("[i * M for i in SHAPE if i > 4]", [512]),
        ("{k: v for k, v in zip('ab', SHAPE)}", {"a": 4, "b": 8}),
        ("sum(i * j for i in SHAPE for j in SHAPE)", 144),
        ("max(*SHAPE)", 8),
        ("f'k{M}_{SHAPE[0]}'", "k64_4"),
        ("'A-B'.lower().split('-')", ["a", "b"]),
        ("(1, 1, 2).count(1)", 2),
        ("math.ceil(M / 3)", 22),
        ("math.log2(M)", 6.0),
        ("os.environ.get('X', '3')", "3"),
        ("os.getenv('X')", None),
        ("len(sys.argv)", 1),
        ("enumerate(SHAPE)", [(0, 4), (1, 8)]),
        ("True", True),
        ("...", ...),
        ("pl.const(3, pl.INT32)", 3),
        ("pl.min(M, K)", 64),
    ],
)
def test_values(text: str, expected: Value) -> None:
    found = value(text)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("pl.FP32", DslName("pl.FP32")),
        ("pl.Mem.Vec", DslName("pl.Mem.Vec")),
        ("pypto.language.tile.load", DslName("pl.tile.load")),
        ("pypto.language.distributed.window", DslName("pld.window")),
        ("pypto.DataType.BF16", DslName("pl.BF16")),
        ("pl.dynamic('B')", DynVar("B")),
        ("torch.float32", External("torch.float32")),
        ("pl.FP32 if M == 64 else pl.BF16", DslName("pl.FP32")),
        ("pl.FP32 == pl.FP32", True),
        ("pl.FP32 == pl.BF16", False),
    ],
)
def test_symbols(text: str, expected: Value) -> None:
    assert value(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "mystery", "mystery + 1", "[mystery][0]", "max(1, mystery)", "nothing", "N + 1", "N == 4", "torch.load(3)",
        "lambda: 1", "M / 0", "SHAPE[9]", "'a' + 1", "TABLE['zz']", "M.imag", "open('x')", "__import__('os')",
        "eval('1')", "1 if mystery else 2", "mystery and 1", "f'{M!r}'", "f'{M:>5}'", "M @ K", "{[]: 1}",
        "pl.add(1, 2)", "[mystery] == [1]", "sorted(SHAPE, key=len)", "SHAPE.append(3)", "'%d' % M", "M()",
        "[i for i in mystery]", "int('x')",
    ],
)  # fmt: skip
def test_what_is_not_known(text: str) -> None:
    assert isinstance(value(text), Unknown)


def test_a_name_that_nothing_defines_is_told_apart() -> None:
    found = value("nothing")
    assert isinstance(found, Unknown)
    assert not found.defined
    known = value("mystery")
    assert isinstance(known, Unknown)
    assert known.defined


def test_both_arms_alike_make_a_condition_unimportant() -> None:
    assert value("M if mystery else 64") == 64


@pytest.mark.parametrize(
    "text",
    [
        "10 ** 10 ** 10",
        "1 << 10 ** 9",
        "2 ** 5000",
        "'a' * 10 ** 9",
        "[0] * 10 ** 9",
        "list(range(10 ** 12))",
        "sum(range(10 ** 12))",
        "tuple(range(10 ** 12))",
        "[0 for i in range(9999) for j in range(9999) if False]",
        "[[0] * 9999] * 9999",
        "'%999999999d' % 1",
        "max(range(10 ** 12))",
        "int('9' * 9000)",
    ],
)
def test_constants_that_would_take_a_machine_are_refused(text: str) -> None:
    assert isinstance(value(text), Unknown)


def test_len_of_a_huge_range_is_not_its_items() -> None:
    assert value("range(10 ** 12)") == range(10**12)
    assert isinstance(value("list(enumerate(range(10 ** 12)))"), Unknown)


NUMBERS = st.sampled_from(["0", "1", "2", "3", "7", "M", "K", "1.5", "True"])
BINARY = st.sampled_from(["+", "-", "*", "//", "/", "%", "<", "==", "and", "or", ">>", "&", "if 1 else"])
ARITHMETIC = st.recursive(
    NUMBERS,
    lambda inner: (
        st.builds("({} {} {})".format, inner, BINARY, inner)
        | st.builds("(-{})".format, inner)
        | st.builds("(not {})".format, inner)
        | st.builds("max({}, {})".format, inner, inner)
    ),
    max_leaves=10,
)


@settings(max_examples=200, deadline=None)
@given(ARITHMETIC)
def test_arithmetic_is_that_of_python(text: str) -> None:
    try:
        expected = eval(text, {"M": 64, "K": 128, "max": max})
    except (ArithmeticError, TypeError, ValueError):
        assert isinstance(value(text), Unknown)
        return
    assert value(text) == expected
