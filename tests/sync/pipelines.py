"""Rotating pipelines as `.pto` text: S slots, loads S-1 ahead, spelled as slots of a ring or as rows of one tile."""

from __future__ import annotations

from typing import Literal

from attrs import frozen

Spelling = Literal["slots", "rows"]


@frozen
class Pipeline:
    """What varies: `stages` slots; `guarded` future loads; `chain` vector ops in place on the current slot; `stored`
    or not; `modulus` normalises the round before it selects slots; `alias` reshapes the current slot."""

    stages: int
    spelling: Spelling = "slots"
    guarded: bool = True
    chain: int = 1
    stored: bool = True
    modulus: int | None = None
    alias: bool = False

    def text(self) -> str:
        body = [*self._preloads(), *self._round()]
        lines = "\n".join(f"    {line}" for line in body)
        head = _HEAD.format(
            ring=self._ring(),
            constants=self._constants(),
            alloc="alloc_multi_tile" if self.spelling == "slots" else "alloc_tile",
        )
        return head + lines + _FOOT

    def _ring(self) -> str:
        if self.spelling == "slots":
            return f"!pto.multi_tile_buf<vec, 1x64xf32, count={self.stages}>"
        return f"!pto.tile_buf<vec, {self.stages}x64xf32>"

    def _constants(self) -> str:
        values = sorted({0, 1, 64, self.stages - 1, self.stages, self.modulus or 0, *range(self.stages)})
        return "\n".join(f"    %c{value} = arith.constant {value} : index" for value in values)

    def _view(self, name: str, index: str) -> str:
        if self.spelling == "slots":
            return f"{name} = pto.multi_tile_get %ring[{index}] : {self._ring()} -> !t"
        return f"{name} = pto.subview %ring[{index}, %c0] sizes [1, 64] : {self._ring()} -> !t"

    def _preloads(self) -> list[str]:
        lines: list[str] = []
        for slot in range(self.stages - 1):
            lines += [self._view(f"%s{slot}", f"%c{slot}"), f"pto.tload ins(%x : !g) outs(%s{slot} : !t)"]
        return lines

    def _round(self) -> list[str]:
        ordinal = "%i"
        lines = ["scf.for %i = %c0 to %n step %c1 {"]
        if self.modulus is not None:
            lines.append(f"  %o = arith.remui %i, %c{self.modulus} : index")
            ordinal = "%o"
        lines += [
            f"  %k = arith.remui {ordinal}, %c{self.stages} : index",
            f"  %a = arith.addi {ordinal}, %c{self.stages - 1} : index",
            f"  %ka = arith.remui %a, %c{self.stages} : index",
            f"  {self._view('%cur', '%k')}",
            f"  {self._view('%nxt', '%ka')}",
        ]
        lines += self._load()
        current = "%cur"
        if self.alias:
            lines.append("  %flat = pto.treshape %cur : !t -> !flat")
            current = "%flat"
        kind = "!flat" if self.alias else "!t"
        lines += [f"  pto.tadds ins({current}, %one : {kind}, f32) outs({current} : {kind})"] * self.chain
        if self.stored:
            lines.append("  pto.tstore ins(%cur : !t) outs(%y : !g)")
        return [*lines, "}"]

    def _load(self) -> list[str]:
        load = "pto.tload ins(%x : !g) outs(%nxt : !t)"
        if not self.guarded:
            return [f"  {load}"]
        return [
            "  %i2 = arith.addi %i, %c" + str(self.stages - 1) + " : index",
            "  %more = arith.cmpi ult, %i2, %n : index",
            "  scf.if %more {",
            f"    {load}",
            "  }",
        ]


_HEAD = """\
!t = !pto.tile_buf<vec, 1x64xf32>
!flat = !pto.tile_buf<vec, 2x32xf32>
!g = !pto.partition_tensor_view<1x64xf32>
module attributes {{pto.target_arch = "a3"}} {{
  func.func @pipeline(%x: !g, %y: !g, %n: index) attributes {{pto.kernel_kind = #pto.kernel_kind<vector>}} {{
{constants}
    %one = arith.constant 1.0 : f32
    %base = arith.constant 0 : i64
    %ring = pto.{alloc} addr = %base : {ring}
"""
_FOOT = "\n    return\n  }\n}\n"
