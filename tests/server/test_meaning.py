"""Loops, scopes and decorators in completion, signature help and hover; what names from outside of a kernel mean."""

from __future__ import annotations

import pytest
from lsprotocol import types as lsp

from tests.server import kernels
from tests.server.editor import CURSOR, Buffer, Editor
from tests.server.test_features import CALLER, LIBRARY, half_typed, hover, labels

VALUES = [
    ("with pl.at(level=", {"pl.Level.CORE_GROUP"}, "level= and nothing"),
    ("with pl.at(level=pl.", {"Level.CORE_GROUP"}, "level=pl."),
    ("with pl.at(level=pl.Level.", {"CORE_GROUP", "HOST", "CLUSTER_0"}, "level=pl.Level."),
    ("@pl.function(type=pl.", {"FunctionType.InCore"}, "type of a function"),
    ("for i in pl.split_aiv(2, mode=", {"pl.SplitMode.UP_DOWN"}, "mode of lanes"),
    ("for i in pl.pipeline(4, ", {"stage="}, "keywords of a loop"),
    ("with pl.at(level=pl.Level.CORE_GROUP, ", {"name_hint=", "optimizations="}, "keywords of a scope"),
    ("u = pl.cast(t, target_type=pl.", {"BF16"}, "dtype of an operation"),
]


@pytest.mark.parametrize(("typed", "expected"), [row[:2] for row in VALUES], ids=[row[2] for row in VALUES])
async def test_what_loops_and_scopes_take_is_offered_first(editor: Editor, typed: str, expected: set[str]) -> None:
    found = await labels(editor.open(half_typed(f"{typed}{CURSOR}")))
    assert expected <= set(found)


async def test_the_bounds_of_a_loop_have_no_keywords(editor: Editor) -> None:
    found = await labels(editor.open(half_typed(f"for i in pl.range({CURSOR}")))
    assert not {"start=", "stop=", "step="} & set(found)


async def test_signature_help_of_a_scope(editor: Editor) -> None:
    buffer = editor.open(half_typed(f"with pl.at(level=pl.Level.CORE_GROUP, name_hint={CURSOR}"))
    found = await editor.client.text_document_signature_help_async(
        lsp.SignatureHelpParams(buffer.identifier, buffer.position)
    )
    assert found is not None
    shown = found.signatures[0]
    assert shown.label.startswith("pl.at(level: pl.Level, *")
    assert shown.parameters is not None
    assert shown.active_parameter is not None
    assert str(shown.parameters[shown.active_parameter].label).startswith("name_hint")


async def test_hover_of_a_scope_and_a_loop(editor: Editor) -> None:
    buffer = editor.open(kernels.MODEL)
    assert "pl.at(level: pl.Level" in await hover(buffer.at("at(level"))
    assert "rounds follow one another" in await hover(buffer.at("range(3)"))


async def test_hover_of_a_constant_shows_its_value(editor: Editor) -> None:
    module = f"told_constants_{'pull' if editor.pulls else 'push'}"
    (editor.folder / f"{module}.py").write_text(kernels.CONFIG)
    assert "OFFSET = 6" in await hover(editor.open(kernels.USES_CONFIG.replace("{module}", module)).at("OFFSET])"))
    assert "HALF = 48" in await hover(editor.open(kernels.MODEL).at("HALF : 2"))


async def test_hover_of_a_called_kernel_shows_its_header(editor: Editor) -> None:
    module = f"told_headers_{'pull' if editor.pulls else 'push'}"
    (editor.folder / f"{module}.py").write_text(LIBRARY)
    text = await hover(editor.open(CALLER.replace("{module}", module)).at("scale(x"))
    assert "@pl.jit.incore\ndef scale(x: pl.Tensor[[64, 64], pl.FP32]" in text
    assert f"{module}.py:5" in text


SHADOWED = """\
import pypto.language as pl

n = 3


@pl.jit.incore
def f(x: pl.Tensor[[64, 64], pl.FP32], n: pl.Scalar[pl.INDEX], out: pl.Out[pl.Tensor[[64, 64], pl.FP32]]):
    out = pl.store(pl.load(x, [n, 0], [32, 64]), [n, 0], out)
    return out
"""


async def test_a_parameter_is_not_the_constant_of_its_name(editor: Editor) -> None:
    buffer: Buffer = editor.open(SHADOWED).at("n, 0], out")
    assert "n = 3" not in await hover(buffer)
