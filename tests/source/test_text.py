"""Offsets, lines, columns and the units of editors."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pto_analysis.source.encoding import (
    DecodeError,
    PositionEncoding,
    column_from_units,
    decode_source,
    units_from_column,
)
from pto_analysis.source.span import Span
from pto_analysis.source.text import SourceText, split_lines

MIXED = "a\r\né = '漢𝄞'\rx\x0cy\u2028z\n"

CODECS: dict[PositionEncoding, tuple[str, int]] = {
    "utf-8": ("utf-8", 1),
    "utf-16": ("utf-16-le", 2),
    "utf-32": ("utf-32-le", 4),
}


def test_lines_end_as_python_has_it() -> None:
    source = SourceText(MIXED)
    assert [source.line(i) for i in range(source.line_count)] == ["a", "é = '漢𝄞'", "x\x0cy\u2028z", ""]


def test_slice_takes_what_the_span_covers() -> None:
    source = SourceText(MIXED)
    assert source.slice(Span(1, 4, 1, 8)) == "'漢𝄞'"
    assert source.slice(Span(0, 0, 2, 1)) == "a\r\né = '漢𝄞'\rx"


@pytest.mark.parametrize(("line", "column", "offset"), [(-1, 5, 0), (0, -3, 0), (0, 99, 1), (9, 0, len(MIXED))])
def test_positions_out_of_range_are_clamped(line: int, column: int, offset: int) -> None:
    assert SourceText(MIXED).offset(line, column) == offset


@given(st.text(st.sampled_from("a\r\n é𝄞"), max_size=40), st.integers(0, 40))
def test_offset_and_position_are_inverse(text: str, offset: int) -> None:
    source = SourceText(text)
    bounded = min(offset, len(text))
    inside_line_end = text[bounded - 1 : bounded + 1] == "\r\n"
    assert source.offset(*source.position(offset)) == (bounded - 1 if inside_line_end else bounded)


@given(st.text(st.sampled_from("a\r\n é"), max_size=40))
def test_split_lines_agrees_with_the_line_index(text: str) -> None:
    source = SourceText(text)
    assert split_lines(text) == [source.line(i) for i in range(source.line_count)]
    assert split_lines(text) == re.split(r"\r\n|\r|\n", text)


@given(st.text(max_size=20), st.integers(0, 20), st.sampled_from(sorted(CODECS)))
def test_columns_count_the_units_of_each_encoding(line: str, column: int, encoding: PositionEncoding) -> None:
    codec, width = CODECS[encoding]
    column = min(column, len(line))
    units = len(line[:column].encode(codec, "surrogatepass")) // width
    assert units_from_column(line, column, encoding) == units
    assert column_from_units(line, units, encoding) == column


def test_a_place_inside_a_character_is_its_start() -> None:
    assert column_from_units("a𝄞b", 2, "utf-16") == 1
    assert column_from_units("a𝄞b", 3, "utf-8") == 1
    assert column_from_units("a𝄞b", 99, "utf-16") == 3


def test_a_byte_order_mark_is_dropped() -> None:
    assert decode_source(b"\xef\xbb\xbfx = 1\n") == "x = 1\n"


def test_a_file_that_is_not_utf8_says_where() -> None:
    result = decode_source(b"\xef\xbb\xbfx = 1\ny = '\xff'\n")
    assert isinstance(result, DecodeError)
    assert (result.line, result.offset) == (1, 14)
