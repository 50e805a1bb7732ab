"""Flags of the author: balanced on every path, or told where not (sync.md 6.6)."""

from __future__ import annotations

import pytest

from pto_analysis.sync.builder import ProgramBuilder
from pto_analysis.sync.manual import check_manual_flags
from pto_analysis.sync.program import Pipe, SyncProgram, TileShape


def flags(script: str) -> SyncProgram:
    """`s0 w0` set and wait of id 0 on MTE2→V, `L` op of MTE2, `( … )` a loop, `? … : … ;` a branch."""
    build = ProgramBuilder("k")
    x, a, n = build.tensor("x"), build.tile("a", "vec", TileShape(1, 64)), build.argument("n")
    words = script.split()

    def run(end: str) -> None:
        while words:
            word = words.pop(0)
            if word in end.split():
                words.insert(0, word)
                return
            if word == "L":
                build.op("tload", Pipe.MTE2, [x], [a])
            elif word == "(":
                with build.loop(build.fresh("i"), stop=n):
                    run(")")
                words.pop(0)
            elif word == "?":
                with build.branch(build.argument(build.fresh("c"), bits=1)):
                    run(": ;")
                if words.pop(0) == ":":
                    with build.otherwise():
                        run(";")
                    words.pop(0)
            else:
                build.manual("set" if word[0] == "s" else "wait", Pipe.MTE2, Pipe.V, int(word[1:]))

    run("")
    return build.build()


@pytest.mark.parametrize(
    ("script", "kinds"),
    [
        ("L s0 w0", []),
        ("L s0 s1 w0 w1", []),
        ("L s0 ( w0 L s0 ) w0", []),
        ("L ( s0 w0 )", []),
        ("L s0 ? w0 s0 ; w0", []),
        ("L ? s0 : s0 ; w0", []),
        ("L s0 s0 w0", ["double-set"]),
        ("L w0", ["hang"]),
        ("L s0", ["leftover"]),
        ("L ? s0 ; w0", ["unbalanced-branch", "hang"]),
        ("L s0 ? w0 ;", ["unbalanced-branch"]),
        ("L ( s0 )", ["unbalanced-loop"]),
        ("L s0 ( w0 ) w0", ["unbalanced-loop"]),
        ("L s8 w8", ["pool"]),
        ("s0 w0 L", ["idle"]),
    ],
)
def test_balance(script: str, kinds: list[str]) -> None:
    assert [fault.kind for fault in check_manual_flags(flags(script))] == kinds


def test_run_time_ids_are_left_alone() -> None:
    build = ProgramBuilder("k")
    build.manual("set", Pipe.MTE2, Pipe.V, build.argument("e"))
    assert check_manual_flags(build.build()) == ()
