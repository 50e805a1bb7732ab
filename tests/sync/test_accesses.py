"""Which bytes a handle may name (sync.md 4 and 7.2), the known gaps of the assembler done right."""

from __future__ import annotations

from pto_analysis.arith.terms import Symbol, node, number
from pto_analysis.sync.accesses import ENDLESS, Reach, resolve_handles
from pto_analysis.sync.builder import ProgramBuilder
from pto_analysis.sync.dependences import PRECISE, find_hazards
from pto_analysis.sync.outline import outline
from pto_analysis.sync.program import HandleCarry, Pipe, Region, SyncProgram, TileShape, Whole
from pto_analysis.sync.scalars import scalars_of

ROW = TileShape(1, 64)


def reaches(build: ProgramBuilder, handle: str) -> tuple[Reach, ...]:
    program = build.build()
    return resolve_handles(program, scalars_of(program))[handle]


def segments(build: ProgramBuilder, handle: str) -> list[tuple[int, int]]:
    return sorted(segment for reach in reaches(build, handle) for segment in reach.segments)


def hazards(program: SyncProgram) -> set[tuple[str, str, str]]:
    """(source, target, kind) within one iteration, by op name."""
    tree = outline(program, scalars_of(program), program.body)
    found = find_hazards(tree, PRECISE)
    return {(one.source.op.name, one.target.op.name, one.kind) for group in found.same.values() for one in group}


def two_ops(build: ProgramBuilder, first: str, second: str) -> set[tuple[str, str, str]]:
    build.op("early", Pipe.V, writes=[first])
    build.op("late", Pipe.MTE3, reads=[second])
    return hazards(build.build())


RAW = {("early", "late", "RAW")}


def test_constant_windows_are_exact() -> None:
    build = ProgramBuilder("k")
    tile = build.tile("t", "vec", TileShape(4, 64), base=1024)
    assert segments(build, build.window(tile, 1, 0, 2, 64)) == [(1280, 1792)]
    assert segments(build, build.window(tile, 1, 8, 2, 16)) == [(1280 + 32, 1280 + 96), (1536 + 32, 1536 + 96)]


def test_column_major_and_padded_windows() -> None:
    build = ProgramBuilder("k")
    tall = build.tile("t", "vec", TileShape(64, 4, major="col_major"), base=0)
    assert segments(build, build.window(tall, 0, 1, 64, 2)) == [(256, 768)]
    padded = build.tile("p", "vec", TileShape(4, 64, row_plus_one=True), base=4096)
    assert segments(build, build.window(padded, 1, 0, 1, 64)) == [(4096 + 260, 4096 + 516)]


def test_unprovable_windows_are_the_whole_parent() -> None:
    build = ProgramBuilder("k")
    i = build.argument("i")
    tile = build.tile("t", "vec", TileShape(3, 64), base=0)
    boxed = build.tile("b", "vec", TileShape(3, 64, boxed=True), base=4096)
    inside = build.scalar("urem", i, 3)
    for handle in (
        build.window(tile, i, 0, 1, 64),
        build.window(tile, inside, i, 1, 64),
        build.window(tile, inside, 0, 1, 32),
        build.window(tile, inside, 0, 2, 64),
        build.window(boxed, inside, 0, 1, 64),
    ):
        (reach,) = reaches(build, handle)
        assert reach.slot is None
        assert reach.segments[0][1] - reach.segments[0][0] == 768


def test_rows_and_slots_are_rings() -> None:
    build = ProgramBuilder("k")
    index = build.scalar("urem", build.argument("i"), 3)
    tile = build.tile("t", "vec", TileShape(3, 64), base=512)
    ring = build.ring("r", "left", ROW, 3, base=0, stride=512)
    (row,), (slot,) = reaches(build, build.window(tile, index, 0, 1, 64)), reaches(build, build.slot(ring, index))
    assert row.slot is not None
    assert slot.slot is not None
    assert (row.slot.ring.origin, row.slot.ring.stride, row.slot.ring.count, row.slot.ring.size) == (512, 256, 3, 256)
    assert (slot.slot.ring.stride, slot.slot.ring.size) == (512, 256)
    assert row.segments == ((512, 512 + 768),)
    assert segments(build, build.slot(ring, 2)) == [(1024, 1280)]


def test_several_rows_are_a_slot_when_aligned() -> None:
    build = ProgramBuilder("k")
    index = build.scalar("urem", build.argument("i"), 3)
    tile = build.tile("t", "vec", TileShape(6, 64), base=0)
    doubled = build.scalar("mul", index, 2)
    (aligned,) = reaches(build, build.window(tile, doubled, 0, 2, 64))
    (shifted,) = reaches(build, build.window(tile, build.scalar("add", doubled, 1), 0, 2, 64))
    assert aligned.slot is not None
    assert aligned.slot.ring.count == 3
    assert shifted.slot is None


def test_windows_of_slots_are_narrowed_once() -> None:
    build = ProgramBuilder("k")
    index = build.scalar("urem", build.argument("i"), 2)
    ring = build.ring("r", "vec", TileShape(2, 64), 2, base=0)
    slot = build.slot(ring, index)
    upper, lower = build.window(slot, 0, 0, 1, 64), build.window(slot, 1, 0, 1, 64)
    left = build.window(slot, 0, 0, 2, 8)
    (one,), (other,), (strided,) = reaches(build, upper), reaches(build, lower), reaches(build, left)
    assert one.slot is not None
    assert other.slot is not None
    assert strided.slot is not None
    assert (one.slot.low, one.slot.high) == (0, 256)
    assert (other.slot.low, other.slot.high) == (256, 512)
    assert (strided.slot.low, strided.slot.high) == (0, 256 + 32)
    (again,) = reaches(build, build.window(left, 1, 0, 1, 8))
    assert again.slot == strided.slot
    assert two_ops(build, upper, lower) == set()


def test_swapped_handles_reach_both_buffers() -> None:
    build = ProgramBuilder("k")
    a, b = build.tile("a", "vec", ROW, base=0), build.tile("b", "vec", ROW, base=256)
    carries = (HandleCarry("p", a, "q", "p_end"), HandleCarry("q", b, "p", "q_end"))
    with build.loop("i", stop=build.argument("n"), handles=carries):
        build.op("early", Pipe.V, writes=["p"])
    assert segments(build, "p") == [(0, 256), (256, 512)]
    assert segments(build, "p_end") == [(0, 256), (256, 512)]
    build.op("late", Pipe.MTE3, reads=["q_end"])
    assert hazards(build.build()) == RAW


def test_a_slot_of_an_earlier_iteration_is_any_slot() -> None:
    build = ProgramBuilder("k")
    ring = build.ring("r", "vec", ROW, 3, base=0)
    first = build.slot(ring, 0)
    with build.loop("i", stop=build.argument("n"), handles=(HandleCarry("old", first, "%next", "last"),)) as i:
        build.slot(ring, build.scalar("urem", i, 3), handle="%next")
    assert all(reach.slot is None or reach.segments == ((0, 256),) for reach in reaches(build, "old"))
    assert segments(build, "old")[-1] == (0, 768)
    assert segments(build, "last")[-1] == (0, 768)


def test_equal_symbolic_addresses_overlap_and_unknown_ones_may() -> None:
    build = ProgramBuilder("k")
    p, q = build.argument("p"), build.argument("q")
    one, two = build.tile("one", "vec", ROW, base=p), build.tile("two", "vec", ROW, base=p)
    other, fixed = build.tile("other", "vec", ROW, base=q), build.tile("fixed", "vec", ROW, base=0)
    assert two_ops(build, one, two) == RAW
    for second in (other, fixed):
        again = ProgramBuilder("k")
        for name, base in (("one", p), ("other", q), ("fixed", 0)):
            again.tile(name, "vec", ROW, base=base)
        assert two_ops(again, "one", second) == RAW


def test_unplaced_buffers_are_distinct_and_spaces_never_meet() -> None:
    build = ProgramBuilder("k")
    one, two = build.tile("one", "vec", ROW), build.tile("two", "vec", ROW)
    assert two_ops(build, one, two) == set()
    build = ProgramBuilder("k")
    one, two = build.tile("one", "vec", ROW, base=0), build.tile("two", "mat", ROW, base=0)
    assert two_ops(build, one, two) == set()


def test_global_arguments() -> None:
    build = ProgramBuilder("k")
    x, y = build.tensor("x"), build.tensor("y")
    low, high = build.bytes(x, 0, 256), build.bytes(x, 256, 256)
    unknown = build.bytes(x, build.argument("i"), 256)
    assert two_ops(build, x, y) == set()
    for first, second, expected in ((low, high, set[tuple[str, str, str]]()), (low, x, RAW), (low, unknown, RAW)):
        again = ProgramBuilder("k")
        again.tensor("x")
        again.bytes("x", 0, 256, handle=low)
        again.bytes("x", 256, 256, handle=high)
        again.bytes("x", Symbol("i"), 256, handle=unknown)
        assert two_ops(again, first, second) == expected


def test_pointers_may_reach_anything_in_their_space() -> None:
    build = ProgramBuilder("k")
    x, wild = build.tensor("x"), build.pointer("wild")
    assert two_ops(build, x, wild) == RAW


def test_different_rings_over_the_same_bytes_are_not_compared_by_slot() -> None:
    build = ProgramBuilder("k")
    index = build.scalar("urem", build.argument("i"), 2)
    next_ = build.scalar("sub", 1, index)
    small = build.ring("small", "vec", ROW, 2, base=0)
    large = build.ring("large", "vec", TileShape(1, 96), 2, base=0)
    again = build.ring("again", "vec", ROW, 2, base=0)
    assert two_ops(build, build.slot(small, index), build.slot(large, next_)) == RAW
    other = ProgramBuilder("k")
    index = other.scalar("urem", other.argument("i"), 2)
    next_ = other.scalar("sub", 1, index)
    other.ring("small", "vec", ROW, 2, base=0)
    other.ring(again, "vec", ROW, 2, base=0)
    assert two_ops(other, other.slot("small", index), other.slot("again", next_)) == set()


def test_select_keeps_every_alternative() -> None:
    build = ProgramBuilder("k")
    condition = build.define(node("eq", build.argument("i"), number(0)))
    a, b, c = (build.tile(name, "vec", ROW, base=base) for name, base in (("a", 0), ("b", 256), ("c", 512)))
    chosen = build.choice(condition, a, b)
    assert segments(build, chosen) == [(0, 256), (256, 512)]
    assert two_ops(build, chosen, c) == set()


def test_an_unknown_size_has_no_end() -> None:
    build = ProgramBuilder("k")
    build.region(Region("x", "gm", "x", 0))
    (reach,) = reaches(build, build.bind(Whole("x")))
    assert reach.segments == ((0, ENDLESS),)
