"""Ops to queues, accesses and hidden events, row by row (sync.md 2 and 3)."""

from __future__ import annotations

import pytest

from pto_analysis.sync.lowering import HelperCall, lower_helper, lower_op
from pto_analysis.sync.op_call import Call, Operand
from pto_analysis.sync.program import Pipe, Space, Target, TileShape


def operand(text: str) -> Operand:
    """`name:space`, `name:space:dtype`; a name alone is a scalar."""
    name, _, rest = text.partition(":")
    space, _, dtype = rest.partition(":")
    if not space:
        return Operand()
    return Operand(name, space_of(space), TileShape(1, 64), dtype)


def space_of(text: str) -> Space:
    spaces: dict[str, Space] = {name: name for name in ("gm", "vec", "mat", "left", "right", "acc", "bias", "scaling")}
    return spaces[text]


def call(name: str, ins: str = "", outs: str = "", **groups: str) -> Call:
    named = {key: tuple(map(operand, value.split())) for key, value in groups.items() if key != "coalesce"}
    attributes = {"coalesce": groups["coalesce"]} if "coalesce" in groups else {}
    return Call(
        name, tuple(map(operand, ins.split())), tuple(map(operand, outs.split())), groups=named, attributes=attributes
    )


PIPES: list[tuple[str, str, str, str, str]] = [
    ("tload", "g:gm", "t:vec", "MTE2", "MTE2"),
    ("tstore", "t:vec", "g:gm", "MTE3", "MTE3"),
    ("tstore", "t:mat", "g:gm", "MTE3", "MTE3"),
    ("tstore", "t:acc", "g:gm", "FIX", "FIX"),
    ("tmov", "a:vec", "b:vec", "V", "V"),
    ("tmov", "a:mat", "b:left", "MTE1", "MTE1"),
    ("tmov", "a:mat", "b:bias", "MTE1", "MTE1"),
    ("tmov", "a:mat", "b:scaling:f8E8M0", "MTE1", "MTE1"),
    ("tmov", "a:mat", "b:scaling:ui64", "FIX", "FIX"),
    ("tmov", "a:acc", "b:mat", "FIX", "FIX"),
    ("textract", "a:mat i j", "b:right", "MTE1", "MTE1"),
    ("textract", "a:acc i j", "b:vec", "FIX", "FIX"),
    ("textract", "a:vec i j", "b:vec", "V", "V"),
    ("tinsert", "a:vec i j", "b:mat", "FIX", "MTE3"),
    ("tinsert", "a:acc i j", "b:mat", "FIX", "FIX"),
    ("tfillpad", "a:mat", "b:mat", "MTE1", "MTE1"),
    ("tfillpad", "a:vec", "b:vec", "V", "V"),
    ("tmatmul", "a:left b:right", "c:acc", "M", "M"),
    ("tmatmul.acc", "c:acc a:left b:right", "c:acc", "M", "M"),
    ("tgetval", "t:vec i", "", "S", "S"),
    ("tpop_from_aic", "", "t:vec", "MTE2", "S"),
    ("tpush_to_aiv", "t:acc", "", "FIX", "FIX"),
    ("tpush_to_aic", "t:vec", "", "MTE3", "MTE3"),
    ("tci", "s", "t:vec", "S", "S"),
    ("tci", "s tmp:vec", "t:vec", "V", "S"),
    ("mscatter", "t:vec i:vec", "g:gm", "MTE3", "V"),
]


@pytest.mark.parametrize("row", PIPES, ids=lambda row: f"{row[0]} {row[1]} -> {row[2]}")
def test_queue(row: tuple[str, str, str, str, str]) -> None:
    name, ins, outs, *expected = row
    targets: tuple[Target, Target] = ("a2a3", "a5")
    for target, pipe in zip(targets, expected, strict=True):
        lowered = lower_op(call(name, ins, outs), target)
        assert [phase.pipe.value for phase in lowered.phases] == [pipe]
        assert not lowered.unknown


@pytest.mark.parametrize("name", ["alloc_tile", "subview", "treshape", "set_validshape", "comm.tnotify", "sync.set"])
def test_not_queued(name: str) -> None:
    assert lower_op(call(name, "a:vec", "b:vec"), "a2a3").phases == ()


@pytest.mark.parametrize("name", ["tpush_to_aiv"])
def test_push_of_another_space_has_no_node(name: str) -> None:
    assert lower_op(call(name, "t:mat"), "a2a3").phases == ()


@pytest.mark.parametrize(
    ("name", "ins", "scratch_a2a3", "scratch_a5"),
    [
        ("trowsum", "a:vec tmp:vec", ("tmp",), ()),
        ("tsel", "m:vec a:vec b:vec tmp:vec", ("tmp",), ()),
        ("tsels", "m:vec a:vec tmp:vec s", ("tmp",), ()),
        ("txors", "a:vec s tmp:vec", ("tmp",), ()),
        ("tcvt", "a:vec", (), ()),
        ("tcolsum", "a:vec tmp:vec", ("tmp",), ("tmp",)),
        ("ttrans", "a:vec tmp:vec", ("tmp",), ("tmp",)),
    ],
)
def test_scratch(name: str, ins: str, scratch_a2a3: tuple[str, ...], scratch_a5: tuple[str, ...]) -> None:
    assert lower_op(call(name, ins, "d:vec"), "a2a3").phases[0].scratch == scratch_a2a3
    assert lower_op(call(name, ins, "d:vec"), "a5").phases[0].scratch == scratch_a5
    assert "tmp" not in lower_op(call(name, ins, "d:vec"), "a5").phases[0].reads


def test_accumulating_ops_read_their_output() -> None:
    phase = lower_op(call("taxpy", "a:vec s", "d:vec"), "a2a3").phases[0]
    assert set(phase.reads) == {"a", "d"}
    assert phase.writes == ("d",)


def phases(name: str, target: Target, ins: str = "", outs: str = "", **groups: str) -> list[str]:
    lowered = lower_op(call(name, ins, outs, **groups), target)
    return [
        f"{one.pipe.value}: {','.join((*one.writes, *one.scratch))} <- {','.join(one.reads)}" for one in lowered.phases
    ]


def test_phases_of_macro_ops() -> None:
    assert phases("comm.tput", "a2a3", src="s:gm", dst="d:gm", buf="p:vec q:vec") == [
        "MTE2: p,q <- s",
        "MTE3: d <- p,q",
    ]
    assert phases("tscatter", "a2a3", "s:vec i:vec", "d:vec") == ["V: d <- ", "S: d <- s,i"]
    assert phases("tscatter", "a5", "s:vec i:vec", "d:vec") == ["V: d <- s,i"]
    assert phases("mgather", "a2a3", "m:gm i:vec", "d:vec", coalesce="row") == ["S:  <- i", "MTE2: d <- m"]
    assert phases("mgather", "a2a3", "m:gm i:vec", "d:vec", coalesce="elem") == ["S: d <- i,m"]
    assert phases("mgather", "a5", "m:gm i:vec", "d:vec", coalesce="row") == ["V: d <- m,i"]
    assert phases("mgather", "a2a3", "m:gm i:vec", "d:vec") == ["MTE2: d <- m,i"]
    compare = phases("tgather", "a2a3", "s:vec k tmp:vec", "d:vec c:vec")
    assert [text[0] for text in compare] == ["V", "S", "V", "S"]


def test_hidden_events_count_the_staging_tiles() -> None:
    one = lower_op(call("comm.tput", src="s:gm", dst="d:gm", buf="p:vec"), "a2a3").hidden
    two = lower_op(call("comm.tput", src="s:gm", dst="d:gm", buf="p:vec q:vec"), "a2a3").hidden
    assert {(hidden.source, hidden.target, hidden.count) for hidden in one} == {
        (Pipe.MTE2, Pipe.MTE3, 1),
        (Pipe.MTE3, Pipe.MTE2, 1),
    }
    assert {hidden.count for hidden in two} == {2}


def test_unknown_ops_are_kept_on_the_queue_of_their_spaces() -> None:
    for ins, outs, pipe in (("a:vec", "b:vec", Pipe.V), ("g:gm", "b:vec", Pipe.MTE2), ("a:vec", "g:gm", Pipe.MTE3)):
        lowered = lower_op(call("tfuture", ins, outs), "a2a3")
        assert lowered.unknown
        assert [phase.pipe for phase in lowered.phases] == [pipe]


def test_helper_effects() -> None:
    operands = (Operand("a", "vec"), Operand("b", "vec"))
    declared = lower_helper(HelperCall("vector", operands, {0: "read", 1: "write"})).phases[0]
    assert (declared.pipe, declared.reads, declared.writes) == (Pipe.V, ("a",), ("b",))
    default = lower_helper(HelperCall("cube", operands)).phases[0]
    assert (default.pipe, default.reads, default.writes) == (Pipe.M, ("a", "b"), ("a", "b"))
    assert lower_helper(HelperCall("", operands)).phases == ()
