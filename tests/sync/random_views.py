"""What random kernels are written with: names in scope, buffers and views of them, and what decides.

Every kernel is legal: slot and row indices stay inside their buffer.
"""

from __future__ import annotations

from collections.abc import Callable

from attrs import define, field
from hypothesis import strategies as st


@define
class Writer:
    """The text so far, and what may be named at this point. Tiles are of type !t; `indices` are index values."""

    draw: st.DrawFn
    lines: list[str] = field(factory=list[str])
    tiles: list[str] = field(factory=list[str])
    rings: list[tuple[str, int]] = field(factory=list["tuple[str, int]"])
    parents: list[tuple[str, int]] = field(factory=list["tuple[str, int]"])
    indices: list[str] = field(factory=lambda: ["%i"])
    conditions: list[str] = field(factory=list[str])
    bounds: list[str] = field(factory=list[str])
    fresh: int = 0
    depth: int = 0
    budget: int = 14
    static: bool = False
    cube: bool = False
    free: bool = False
    """Branches, loops and choices are decided by arguments alone, some by the same one; bounds and conditions have
    nothing else to do with each other. Left out is what is taken for more than a run can show: handles that change
    places (sync.md 7.2), indices that wrap at 2^64 (R2 of 7.3), rings that fall out of step after many rounds (the trap
    of 7.5), loops that do not count, and choices inside loops, which would come out the same in every round."""
    plain: bool = False
    """Without what is taken for more than small runs can show: handles that change places (sync.md 7.2), rings that
    fall out of step after many rounds (the trap of 7.5), and slots that a counter would come to only in more rounds
    than conditions on its bound allow. Conditions and bounds may have as much to do with each other as in any kernel.
    """
    arguments: list[str] = field(factory=list[str])
    tile: str = "!t"
    ring: str = "vec, 1x64xf32"

    def name(self) -> str:
        self.fresh += 1
        return f"%v{self.fresh}"

    def add(self, line: str) -> None:
        self.lines.append("    " + "  " * self.depth + line)

    def pick(self, options: list[str]) -> str:
        return self.draw(st.sampled_from(options))

    def argument(self, kind: str) -> str:
        name = f"%x{len(self.arguments)}"
        self.arguments.append(f"{name}: {kind}")
        return name

    @property
    def must_not_choose(self) -> bool:
        return self.static or (self.free and len(self.indices) > 1)

    def constant(self, value: int, kind: str = "index") -> str:
        name = self.name()
        self.add(f"{name} = arith.constant {value} : {kind}")
        return name


def buffers(out: Writer) -> None:
    for _ in range(out.draw(st.integers(1, 3))):
        address = out.constant(128 * out.draw(st.integers(0, 6)), "i64")
        tile = out.name()
        out.add(f"{tile} = pto.alloc_tile addr = {address} : {out.tile}")
        out.tiles.append(tile)
    _rings(out)
    if not out.cube:
        _parents(out)


def _rings(out: Writer) -> None:
    for count in out.draw(st.lists(st.integers(2, 4), max_size=2)):
        ring = out.name()
        out.add(f"{ring} = pto.alloc_multi_tile : !pto.multi_tile_buf<{out.ring}, count={count}>")
        out.rings.append((ring, count))


def _parents(out: Writer) -> None:
    for rows in out.draw(st.lists(st.integers(2, 4), max_size=1)):
        parent = out.name()
        address = out.constant(4096, "i64")
        out.add(f"{parent} = pto.alloc_tile addr = {address} : !pto.tile_buf<vec, {rows}x64xf32>")
        out.parents.append((parent, rows))


def _index(out: Writer, count: int) -> str:
    """An index below `count`: a constant, or a value of this scope plus a constant, reduced."""
    if out.static or out.draw(st.booleans()):
        return out.constant(out.draw(st.integers(0, count - 1)))
    value = "%i" if out.plain else out.pick(out.indices)
    if out.draw(st.integers(0, 3)) == 0 or (out.free and value == "%i"):
        moduli = [count * 2] if out.free or out.plain else [count * 2, 64]
        reduced, modulus = out.name(), out.constant(out.draw(st.sampled_from(moduli)))
        out.add(f"{reduced} = arith.remui {value}, {modulus} : index")
        value = reduced
    offset, total, modulus, result = (
        out.constant(out.draw(st.integers(0, 3))),
        out.name(),
        out.constant(count),
        out.name(),
    )
    out.add(f"{total} = arith.addi {value}, {offset} : index")
    out.add(f"{result} = arith.remui {total}, {modulus} : index")
    return result


def _ring_slot(out: Writer) -> str | None:
    if not out.rings:
        return None
    ring, count = out.draw(st.sampled_from(out.rings))
    index, slot = _index(out, count), out.name()
    kind = f"!pto.multi_tile_buf<{out.ring}, count={count}>"
    out.add(f"{slot} = pto.multi_tile_get {ring}[{index}] : {kind} -> {out.tile}")
    return slot


def _row(out: Writer) -> str | None:
    if not out.parents:
        return None
    parent, rows = out.draw(st.sampled_from(out.parents))
    index, zero, view = _index(out, rows), out.constant(0), out.name()
    out.add(f"{view} = pto.subview {parent}[{index}, {zero}] sizes [1, 64] : !pto.tile_buf<vec, {rows}x64xf32> -> !t")
    return view


def _repeated(out: Writer, known: list[str], kind: str) -> str:
    """An argument that has decided something before, or a new one."""
    if known and out.draw(st.integers(0, 2)) == 0:
        return out.pick(known)
    known.append(out.argument(kind))
    return known[-1]


def condition_of(out: Writer) -> str:
    """What branches and choices ask: an argument, something asked before, or how an index or a bound compares."""
    if out.free:
        return _repeated(out, out.conditions, "i1")
    kind = out.draw(st.sampled_from(["argument", "known", "compare", "compare"]))
    if kind == "known" and out.conditions:
        return out.pick(out.conditions)
    if kind != "compare":
        return "%c"
    value, limit, condition = (
        out.pick([*out.indices, "%n", "%m"]),
        out.constant(out.draw(st.integers(0, 3))),
        out.name(),
    )
    relation = out.pick(["ult", "ult", "slt", "sge", "eq"])
    out.add(f"{condition} = arith.cmpi {relation}, {value}, {limit} : index")
    out.conditions.append(condition)
    return condition


def bound_of(out: Writer) -> str:
    """How far a loop counts: to an argument, a constant, or the counter of a loop around."""
    if out.free:
        return _repeated(out, out.bounds, "index")
    bounds = ["%n", "%n", "%m", "%m", *out.indices[1:]]
    return out.pick(bounds) if out.draw(st.integers(0, 7)) else out.constant(out.draw(st.integers(0, 3)))


def _alias(out: Writer) -> str:
    view = out.name()
    out.add(f"{view} = pto.treshape {out.pick(out.tiles)} : {out.tile} -> {out.tile}")
    return view


def _select(out: Writer) -> str | None:
    if out.must_not_choose:
        return None
    condition, view = condition_of(out), out.name()
    out.add(f"{view} = arith.select {condition}, {out.pick(out.tiles)}, {out.pick(out.tiles)} : {out.tile}")
    return view


def tile_of(out: Writer) -> str:
    """A tile to work on: one in scope, or a new view, which stays in scope."""
    maker: Callable[[Writer], str | None] = out.draw(
        st.sampled_from([_ring_slot, _row, _ring_slot, _row, _alias, _select, lambda _out: None])
    )
    made = maker(out)
    if made is None:
        return out.pick(out.tiles)
    out.tiles.append(made)
    return made
