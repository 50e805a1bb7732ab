"""Findings speak of what stands in the source: no message names what a pass of the compiler made up."""

from __future__ import annotations

import re

import pytest

from pto_analysis.passes.ssa.names import source_name
from pto_analysis.report import CheckOptions
from pto_analysis.rules.marks import unmarked
from pto_analysis.rules.registry import all_rules
from pto_analysis.rules.rule import Example, Rule
from pto_analysis.rules.selection import Selection, resolve
from tests.support.cases import load_cases
from tests.support.checking import check_text

MADE_UP = re.compile(r"\w__(?:ssa|iter|rv|phi|idx|tmp|tile)(?:_|\b)|_l0_\w|_slice_\d|__tmp|``")

EXAMPLES = [
    pytest.param(rule, example, id=f"{rule.code}-{example.title}")
    for rule in all_rules().values()
    for example in (*rule.bad, *rule.good)
]

PRODUCTS = """
import pypto.language as pl
@pl.program
class K:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(self, a: pl.Tensor[[2, 64, 512], pl.FP32], b: pl.Tensor[[2, 96, 512], pl.FP32],
               d: pl.Tensor[[2, 96, 512], pl.FP32], c: pl.Out[pl.Tensor[[2, 64, 96], pl.FP32]]):
        both = pl.add(b, d)
        product = pl.matmul(a, both, b_trans=True, out_dtype=pl.FP32)
        c = pl.assemble(c, product, [0, 0, 0])
        return c
"""

NESTED = """
import pypto.language as pl
@pl.function(type=pl.FunctionType.InCore)
def kernel(x: pl.Tensor[[16, 128], pl.FP32], g: pl.Tensor[[1, 48], pl.FP32], y: pl.Out[pl.Tensor[[8, 48], pl.FP32]]):
    wide = pl.load(x, [0, 0], [16, 128])
    gamma = pl.load(g, [0, 0], [1, 48])
    scaled = pl.tile.col_expand_mul(pl.tile.slice(pl.exp(wide), [8, 48], [0, 6]), gamma)
    return pl.store(pl.mul(pl.tile.slice(pl.tile.slice(scaled, [8, 40], [0, 2]), [8, 16], [0, 4]), 2.0), [0, 0], y)
"""


UNNAMED = """
import pypto.language as pl
@pl.jit
def halves(src: pl.Tensor[[12, 96], pl.FP32], g: pl.Tensor[[1, 48], pl.FP32],
           out: pl.Out[pl.Tensor[[12, 48], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP):
        body = pl.add(src[0:12, :], 0.5)
        out[:] = pl.col_expand_mul(body[:, 48:96], g)
        out[:] = pl.mul(pl.mul(body[:, 3:51], 2.0), body[:, 4:52])
        pl.mul(pl.full([256, 256], dtype=pl.FP32, value=1.0), pl.full([256, 256], dtype=pl.FP32, value=2.0))
        left = pl.create_tensor([512, 512], dtype=pl.BF16)
        pl.matmul(left, left)
        pl.col_expand_mul(body[lost], g)
    return out
"""


def words(text: str, options: CheckOptions) -> list[str]:
    found = check_text(text, options, resolve(Selection(select=("ALL",)))).findings
    titles = [finding.fix.title for finding in found if finding.fix is not None]
    return [*(each.message for finding in found for each in (finding, *finding.related)), *titles]


@pytest.mark.parametrize(("rule", "example"), EXAMPLES)
def test_no_example_names_what_the_compiler_made(rule: Rule, example: Example) -> None:
    options = CheckOptions(rule.bites.latest, rule_options={rule.code: example.options})
    assert [text for text in words(unmarked(example.code), options) if MADE_UP.search(text)] == []


@pytest.mark.parametrize("text", [PRODUCTS, NESTED], ids=["products", "nested"])
def test_no_lowered_kernel_names_what_the_compiler_made(text: str) -> None:
    said = words(text, CheckOptions())
    assert said
    assert [each for each in said if MADE_UP.search(each)] == []


def test_only_names_of_the_source_are_named() -> None:
    said = words(UNNAMED, CheckOptions())
    named = {name for text in said for name in re.findall(r"`(\w+)`", text)}
    assert named
    assert [name for name in named if not re.search(rf"\b{name.removesuffix('s')}\b", UNNAMED)] == []


@pytest.mark.parametrize("kind", ["canonicalize", "tensor"])
def test_no_finding_names_what_the_passes_made(kind: str) -> None:
    messages = [
        text
        for case in load_cases(kind)[::4]
        for finding in check_text(case.source, CheckOptions(), resolve(Selection(select=("PTO",)))).findings
        for text in (finding.message, *(related.message for related in finding.related))
    ]
    assert len(messages) > 20
    assert not [message for message in messages if MADE_UP.search(message)]


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("x", "x"),
        ("x__ssa_v0", "x"),
        ("x__rv_v12", "x"),
        ("x__ssa_v0_textract", "x"),
        ("k__ssa_v1_Left", "k"),
        ("x__tile", "x"),
        ("x__ssa_v3__tile_t", "x"),
        ("x_tile", "x_tile"),
        ("t_l0_a", "t_l0_a"),
        ("t__tmp_v7", ""),
        ("acc__ssa_v0_l0_ko", ""),
        ("acc__tile_l0_c_phi", ""),
    ],
)
def test_the_name_behind_a_name(name: str, source: str) -> None:
    assert source_name(name) == source
