"""What is remembered grows with the files that are open, not with the edits made to them."""

from __future__ import annotations

from random import Random

from pto_analysis.report import CheckOptions
from pto_analysis.source import statements
from pto_analysis.source.modules import index_module, parse_ast
from pto_analysis.source.pieces import scan_piece
from pto_analysis.source.unit import content_of, items_of, split_units
from pto_lsp.workspace.incremental import KEPT_TEXTS, Engine
from tests.server import kernels
from tests.server.random_edits import typed
from tests.support.checking import PATH, Texts

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
    assert all(items_of.known(piece) is not None for piece in source.pieces)
    assert split_units.known(text.replace("pl.mul(band, 2.0)", "pl.mul(band, 0.5)")) is None
