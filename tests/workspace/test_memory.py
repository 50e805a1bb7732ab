"""What is remembered grows with the files that are open, not with the edits made to them."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from random import Random

import pytest

from pto_analysis.report import CheckOptions
from pto_analysis.source import statements
from pto_analysis.source.modules import index_module, parse_ast
from pto_analysis.source.pieces import scan_piece
from pto_analysis.source.unit import content_of, items_of, split_units
from pto_lsp.workspace.incremental import KEPT_TEXTS, Engine
from tests.server import kernels
from tests.server.random_edits import edit, typed
from tests.support.checking import PATH, Texts

Edits = Callable[[str, Random], "tuple[int, int, str]"]

STORES = (split_units, index_module, items_of, content_of, parse_ast, scan_piece)


def remembered() -> list[int]:
    return [*map(len, STORES), len(statements._KNOWN)]  # pyright: ignore[reportPrivateUsage]


def test_texts_that_were_edited_away_are_forgotten() -> None:
    for store in STORES:
        store.cache_clear()
    statements._KNOWN.clear()  # pyright: ignore[reportPrivateUsage]
    engine, random, text = Engine(), Random(3), kernels.MODEL
    sizes: list[list[int]] = []
    for _ in range(150):
        begin, end, new = typed(text, random)
        newest = text[:begin] + new + text[end:]
        engine.analyze(PATH, newest, Texts({PATH: newest}), CheckOptions(), lambda: False)
        sizes.append(remembered())
    first = sizes[KEPT_TEXTS]
    assert all(last <= 1.3 * at_first + 12 for at_first, last in zip(first, sizes[-1], strict=True)), (first, sizes[-1])
    assert sizes[-1][0] == KEPT_TEXTS


def test_what_stays_is_what_newer_texts_share() -> None:
    engine, text = Engine(), kernels.MODEL
    newest = text
    for number in range(KEPT_TEXTS + 2):
        newest = text.replace("pl.mul(band, 2.0)", f"pl.mul(band, {number}.5)")
        engine.analyze(PATH, newest, Texts({PATH: newest}), CheckOptions(), lambda: False)
    source = split_units.known(newest)
    assert source is not None
    assert all(items_of.known(piece.text) is not None for piece in source.pieces)
    assert split_units.known(text.replace("pl.mul(band, 2.0)", "pl.mul(band, 0.5)")) is None


def named(text: str, random: Random) -> tuple[int, int, str]:
    """Another name for a kernel or a region: each is a place of its own for what is remembered."""
    at = text.index(random.choice(("def halves", "def scale", 'name_hint="first', 'name_hint="third')))
    end = next(place for place in range(at + 4, len(text)) if text[place] in '("' and text[place - 1] != "=")
    return end, end, random.choice("abcxyz")


def blocks(engine: Engine, edits: Edits, count: int) -> list[int]:
    """Memory in use (in blocks of Python's allocator) after each edit of one text, the collector never asked."""
    text, random, found = kernels.MODEL, Random(5), list[int]()
    gc.collect()
    gc.disable()
    try:
        for _ in range(count):
            begin, end, new = edits(text, random)
            newest = text[:begin] + new + text[end:]
            text = newest if len(newest) < 2 * len(kernels.MODEL) else kernels.MODEL
            engine.analyze(PATH, newest, Texts({PATH: newest}), CheckOptions(), lambda: False)
            found.append(sys.getallocatedblocks())
    finally:
        gc.enable()
    return found


@pytest.mark.parametrize("edits", [typed, edit, named])
def test_memory_in_use_stays_the_same_without_a_collector(edits: Edits) -> None:
    """Nothing that an edit leaves behind waits for the collector, and nothing of it stays in a store."""
    found = blocks(Engine(), edits, 160)
    assert max(found[-40:]) < 1.05 * max(found[40:80]), found[::20]
