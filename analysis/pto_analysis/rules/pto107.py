"""PTO107: a window that is aligned, though the compiler cannot see it, so that it is copied for nothing."""

from __future__ import annotations

from collections.abc import Iterable

from pto_analysis.findings import Finding, Severity
from pto_analysis.rules.facts import KernelFacts
from pto_analysis.rules.hidden_alignment import hidden_proof, respelled
from pto_analysis.rules.rule import Example, Reference, Rule
from pto_analysis.rules.slice_text import offset_text, rewritten_slices, source_text


def check(kernel: KernelFacts) -> Iterable[Finding]:
    for item in rewritten_slices(kernel, "PTO104"):
        parts = hidden_proof(kernel, item)
        if not parts:
            continue
        facts = " and ".join(
            f"{part.axis} `{source_text(part.index)}` is always a multiple of {part.multiple}" for part in parts
        )
        spellings = " and ".join(f"`{part.spelling}`" for part in parts)
        message = (
            f"{item.subject} is copied for nothing: {facts}, so the window at "
            f"{offset_text(item.first.row, item.first.col)} starts at a multiple of 32 bytes, but the compiler sees "
            f"that only from literals, sums and products; written as {spellings} it stays a view"
        )
        data = {
            **item.data(),
            "respell": [
                {
                    "axis": part.axis,
                    "index": source_text(part.index),
                    "multiple": part.multiple,
                    "spelling": part.spelling,
                }
                for part in parts
            ],
        }
        yield kernel.finding(
            RULE,
            item.first.slice_origin,
            message,
            related=item.related(kernel),
            fix=respelled(kernel, item, parts),
            data=data,
        )


_HEAD = """\
import pypto.language as pl


@pl.program
class K:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        self,
        x: pl.Tensor[[16, 64], pl.FP32],
        y: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
    ) -> pl.Tensor[[16, 64], pl.FP32]:
        t = pl.load(x, [0, 0], [16, 64])
"""

RULE = Rule(
    code="PTO107",
    name="hidden-alignment",
    severity=Severity.WARNING,
    summary="A window is aligned, but in a spelling that the compiler cannot see through: it is copied",
    what="""\
Reports a `tile.slice` that the compiler copies because it cannot prove the start to be a multiple of 32 bytes, while
the start always is. The compiler follows literals, aliases, sums, differences and products. It does not look at the
step of a loop, at `//`, `%`, shifts, `pl.min`, `pl.max` and casts.""",
    why="""\
The copy costs a buffer and a transfer for every use. Dividing by the multiple and multiplying again changes no value
and lets the compiler see it; counting the loop in blocks and multiplying reads better still.""",
    check=check,
    fix="sometimes",
    fix_note="Writes the offset in a spelling of the same value whose multiple the compiler sees.",
    references=(Reference("hw-native-sys/pypto", 1789),),
    bad=(
        Example(
            "a loop variable that counts in steps of 32 bytes",
            _HEAD
            + """\
        for i in pl.range(0, 64, 8):
            w = pl.tile.slice(t, [16, 8], [0, i])  #! PTO104 PTO107 `pl.tile.slice(t, [16, 8], [0, i])`
            y = pl.store(pl.mul(w, 3.0), [0, i], y)
        return y
""",
            fixed=_HEAD
            + """\
        for i in pl.range(0, 64, 8):
            w = pl.tile.slice(t, [16, 8], [0, i // 8 * 8])
            y = pl.store(pl.mul(w, 3.0), [0, i], y)
        return y
""",
        ),
    ),
    good=(
        Example(
            "a loop that counts blocks",
            _HEAD
            + """\
        for b in pl.range(8):
            w = pl.tile.slice(t, [16, 8], [0, b * 8])
            y = pl.store(pl.mul(w, 3.0), [0, b * 8], y)
        return y
""",
        ),
    ),
)
