"""Statements of kernel code: assignments, loops, branches, scopes, and what is skipped (reference: DSL section c)."""

from __future__ import annotations

import pytest

from pto_analysis.frontend.issues import IssueKind
from pto_analysis.ir.expr import Call, TupleItem
from pto_analysis.ir.spelling import expression_text, type_text, value_text
from pto_analysis.ir.stmt import Assign, Break, Eval, For, If, Return, Scope, Skipped, Stmt, While, Yield
from pto_analysis.ir.types import TileType, UnknownType
from tests.frontend.reader import assigned, issues, read, read_body, type_named

LOAD = "t = pl.load(x, [0, 0], [8, 64])\n"


def only(body: str, kind: type[Stmt]) -> Stmt:
    facts = read_body(body, kind="Orchestration")
    assert [issue.message for issue in facts.issues] == []
    return next(stmt for stmt in facts.function.body if isinstance(stmt, kind))


def test_rebinding_keeps_the_variable() -> None:
    facts = read_body(f"{LOAD}t = pl.exp(t)\nt = pl.add(t, 1.0)")
    variables = [stmt.var for stmt in facts.function.body if isinstance(stmt, Assign)]
    assert len(set(variables)) == 1


def test_rebinding_to_another_shape_is_refused_and_followed() -> None:
    facts = read_body(f"{LOAD}t = pl.reshape(t, [64, 8])\nu = pl.exp(t)")
    assert [issue.kind for issue in facts.issues] == [IssueKind.REBOUND_TYPE]
    assert type_text(type_named(facts, "u")) == "pl.Tile[[64, 8], pl.FP32, pl.Mem.Vec]"


def test_rebinding_in_jit_code_may_change_the_type() -> None:
    facts = read(
        "import pypto.language as pl\n"
        "@pl.jit\n"
        "def k(x: pl.Tensor[[8, 64], pl.FP32], o: pl.Out[pl.Tensor[[8, 64], pl.FP32]]):\n"
        "    with pl.at(level=pl.Level.CORE_GROUP):\n"
        "        y = pl.reshape(x, [64, 8])\n"
        "        y = pl.reshape(y, [8, 64])\n"
        "        o[:, :] = y\n"
        "    with pl.at(level=pl.Level.CORE_GROUP):\n"
        "        y = pl.load(x, [0, 0], [8, 64])\n"
        "    return o\n"
    )
    assert issues(facts) == []


def test_tuple_results_are_unpacked_from_one_temporary() -> None:
    facts = read_body(f"{LOAD}a, b = pl.tile.gather_compare(t, 1.0, t, out_cols=64)")
    bound = [stmt for stmt in facts.function.body if isinstance(stmt, Assign)][1:]
    assert [stmt.var.name for stmt in bound] == ["_tuple_tmp", "a", "b"]
    assert [stmt.value.index for stmt in bound if isinstance(stmt.value, TupleItem)] == [0, 1]


@pytest.mark.parametrize(
    ("header", "bounds"),
    [
        ("pl.range(8)", "0 8 1"), ("pl.range(2, 8)", "2 8 1"), ("pl.range(0, n, 2)", "0 n 2"),
        ("pl.parallel(4)", "0 4 1"), ("pl.unroll(4)", "0 4 1"), ("pl.pipeline(0, 8, 2, stage=2)", "0 8 2"),
        ("pl.spmd(4)", "0 4 1"), ("pl.spmd(core_num=4)", "0 4 1"),
    ],
)  # fmt: skip
def test_loop_bounds(header: str, bounds: str) -> None:
    loop = only(f"for k in {header}:\n    y = k", For)
    assert isinstance(loop, For)
    assert " ".join(map(expression_text, (loop.start, loop.stop, loop.step))) == bounds


def test_carried_loop() -> None:
    facts = read_body(
        f"{LOAD}for k, (a, b) in pl.range(4, init_values=(t, n)):\n"
        "    c = pl.exp(a)\n"
        "    r, s = pl.yield_(c, b + 1)\n"
        "v = pl.add(r, r)"
    )
    assert [issue.message for issue in facts.issues] == []
    loop = next(stmt for stmt in facts.function.body if isinstance(stmt, For))
    assert [arg.var.name for arg in loop.iter_args] == ["a", "b"]
    assert [var.name for var in loop.return_vars] == ["r", "s"]
    assert isinstance(loop.body[-1], Yield)
    call = assigned(facts, "v")
    assert isinstance(call, Call)
    assert call.args[0] is loop.return_vars[0]


def test_names_of_a_carried_loop_stay_inside() -> None:
    facts = read_body(
        f"{LOAD}for k, (a,) in pl.range(4, init_values=(t,)):\n    c = pl.exp(a)\n    r = pl.yield_(c)\nv = pl.exp(c)"
    )
    assert [issue.kind for issue in facts.issues] == [IssueKind.UNDEFINED_NAME]


def test_a_loop_without_a_yield_names_its_result_itself() -> None:
    loop = only("for k, (a,) in pl.range(4, init_values=(n,)):\n    a = a + 1", For)
    assert isinstance(loop, For)
    assert [var.name for var in loop.return_vars] == ["a_out"]


def test_while_with_carries() -> None:
    loop = only("for (a,) in pl.while_(init_values=(n,)):\n    pl.cond(a < 8)\n    r = pl.yield_(a + 1)", While)
    assert isinstance(loop, While)
    assert expression_text(loop.condition) == "a < 8"
    assert [var.name for var in loop.return_vars] == ["r"]


def test_plain_while_leaks() -> None:
    facts = read_body("a = n\nwhile a < 8:\n    a = a + 1\n    b = a\nc = b")
    assert [issue.message for issue in facts.issues] == []


def test_explicit_branch_yields_merge() -> None:
    facts = read_body(
        f"{LOAD}if n < 2:\n    m = pl.yield_(t)\nelse:\n    u = pl.exp(t)\n    m = pl.yield_(u)\nv = pl.exp(m)"
    )
    assert [issue.message for issue in facts.issues] == []
    branch = next(stmt for stmt in facts.function.body if isinstance(stmt, If))
    assert [var.name for var in branch.return_vars] == ["m"]
    assert branch.return_vars[0].type == type_named(facts, "t")


def test_elif_is_an_if_in_the_else_block() -> None:
    facts = read_body("if n < 1:\n    a = n\nelif n < 2:\n    a = n + 1\nelse:\n    a = n + 2\nb = a")
    assert [issue.message for issue in facts.issues] == []
    branch = next(stmt for stmt in facts.function.body if isinstance(stmt, If))
    (inner,) = branch.orelse
    assert isinstance(inner, If)
    arms = (*branch.then, *inner.then, *inner.orelse)
    variables = [stmt.var for stmt in arms if isinstance(stmt, Assign)]
    assert len(set(variables)) == 1


@pytest.mark.parametrize(
    ("header", "kind", "attrs"),
    [
        ("pl.at(level=pl.Level.CORE_GROUP, name_hint='stage')", "at", {"level": "CORE_GROUP", "name_hint": "stage"}),
        ("pl.spmd(4, sync_start=True)", "spmd", {"core_num": 4, "sync_start": True}),
        ("pl.cluster(name_hint='g')", "cluster", {"name_hint": "g"}),
        ("pl.scope(mode=pl.ScopeMode.MANUAL)", "scope", {"mode": "MANUAL"}),
        ("pl.manual_scope()", "manual_scope", {}),
    ],
)
def test_scopes(header: str, kind: str, attrs: dict[str, object]) -> None:
    scope = only(f"with {header}:\n    y = n", Scope)
    assert isinstance(scope, Scope)
    assert scope.kind == kind
    assert {key: getattr(value, "value", value) for key, value in scope.attrs.items()} == attrs


def test_split_of_a_region() -> None:
    split = "pl.split(pl.SplitMode.UP_DOWN)"
    scope = only(f"with pl.at(level=pl.Level.CORE_GROUP, optimizations=[{split}]):\n    y = n", Scope)
    assert isinstance(scope, Scope)
    assert value_text(scope.attrs["optimizations"]) == "[pl.split(mode=pl.SplitMode.UP_DOWN)]"


def test_bare_calls_breaks_and_returns() -> None:
    facts = read_body(f"{LOAD}pl.store(t, [0, 0], out)\nfor k in pl.range(4):\n    break\nreturn out, n")
    kinds = [type(stmt) for stmt in facts.function.body]
    assert kinds == [Assign, Eval, For, Return]
    loop = facts.function.body[2]
    assert isinstance(loop, For)
    assert isinstance(loop.body[0], Break)


@pytest.mark.parametrize(
    "statement",
    [
        "y += 1", "y = z = 1", "y, *z = x", "y.a = 1", "assert n > 0", "del y", "import os", "raise ValueError",
        "y: pl.Scalar[pl.INDEX]", "for y in zip(n):\n    z = y", "with open('f') as y:\n    z = y",
        "try:\n    y = 1\nexcept ValueError:\n    z = 2", "def y():\n    return 1", "global y", "async def y(): pass",
        "match n:\n    case 1:\n        y = 2",
    ],
)  # fmt: skip
def test_what_is_not_dsl_is_skipped_and_the_rest_is_read(statement: str) -> None:
    facts = read_body(f"y = n\n{statement}\nt = pl.load(x, [0, 0], [8, 64])\nw = pl.exp(t)")
    assert {issue.kind for issue in facts.issues} == {IssueKind.OUTSIDE_DSL}
    assert any(isinstance(stmt, Skipped) for stmt in facts.function.body)
    assert isinstance(type_named(facts, "w"), TileType)


def test_names_of_a_skipped_statement_are_unknown_not_undefined() -> None:
    facts = read_body("for y in zip(n):\n    z = y\nw = z + y")
    assert [issue.kind for issue in facts.issues] == [IssueKind.OUTSIDE_DSL]
    skipped = facts.function.body[0]
    assert isinstance(skipped, Skipped)
    assert [var.name for var in skipped.defines] == ["y", "z"]
    assert all(isinstance(var.type, UnknownType) for var in skipped.defines)


def test_a_loop_over_python_range_is_refused_once_and_read_as_the_one_meant() -> None:
    facts = read_body(f"{LOAD}for y in range(4):\n    t = pl.exp(t)\nw = pl.add(t, t)")
    assert [issue.kind for issue in facts.issues] == [IssueKind.OUTSIDE_DSL]
    assert any(isinstance(stmt, For) and stmt.kind == "range" for stmt in facts.function.body)
    assert isinstance(type_named(facts, "w"), TileType)


@pytest.mark.parametrize(
    ("call", "extents"),
    [
        ("pl.tile.slice(t, [4, 64], [6, 0])", (4, 64)),
        ("pl.load(x, [60, 0], [8, 64])", (8, 64)),
        ("pl.tile.extract(t, 4, 0, [8, 64], target_memory=pl.Mem.Vec)", (8, 64)),
    ],
)
def test_a_window_refused_for_its_bounds_has_the_extents_it_is_written_with(
    call: str, extents: tuple[int, int]
) -> None:
    facts = read_body(f"{LOAD}w = {call}\nv = pl.exp(w)")
    assert [issue.kind for issue in facts.issues] == [IssueKind.OUT_OF_BOUNDS]
    found = type_named(facts, "v")
    assert isinstance(found, TileType)
    assert found.shape == extents


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (f"{LOAD}pl.yield_(t)", "stands in none"),
        (f"{LOAD}u = pl.yield_(t)\nv = pl.exp(u)", "stands in none"),
        (f"{LOAD}for k in pl.range(4):\n    u = pl.yield_(pl.exp(t))\nv = pl.exp(u)", "has no init_values"),
        (f"{LOAD}for k in pl.rnage(4):\n    t = pl.exp(t)", "did you mean pl.range?"),
        (f"with pl.manual_scop():\n    {LOAD}", "did you mean pl.manual_scope?"),
        (f"{LOAD}u = pl.cast(t, target_type=pl.FP61)\nv = pl.exp(u)", "`pl.FP61` is not a dtype"),
        (f"{LOAD}u = pl.cast(t, pl.bfloat16)", "did you mean `pl.BF16`?"),
        ("t = pl.load(x, [0, 0], [8, 64], target_memory=pl.Mem.L1)", "pl.Mem has no `L1`"),
        ("t: pl.Tile[[8, 64], pl.FP16, pl.Mem.Vce] = pl.load(x, [0, 0], [8, 64])", "did you mean `pl.Mem.Vec`?"),
        ("t: pl.Tlie[[8, 64], pl.FP16] = pl.load(x, [0, 0], [8, 64])", "did you mean `pl.Tile`?"),
        ("t = pl.load(x, [0, 0], [8, 64], target_memory=pl.Memory.Vec)", "did you mean `pl.MemorySpace.Vec`?"),
        ("with pl.at(level=pl.level.CORE_GROUP):\n    y = n", "did you mean `pl.Level.CORE_GROUP`?"),
        ("c = pl.const(3, pl.INT33)", "did you mean `pl.INT32`?"),
        ("with pl.at(level=pl.Level.COREGROUP):\n    y = n", "did you mean `pl.Level.CORE_GROUP`?"),
    ],
)
def test_each_mistake_is_told_once(body: str, message: str) -> None:
    told = [issue.message for issue in read_body(body).issues]
    assert len(told) == 1
    assert message in told[0]


def test_a_broken_statement_spoils_itself_only() -> None:
    facts = read_body("t = pl.load(x, [0, 0, [8, 64])\nu = pl.load(x, [0, 0], [8, 64])\nv = pl.tile.add(t, u)")
    assert [issue.kind for issue in facts.issues] == [IssueKind.SYNTAX]
    assert isinstance(facts.function.body[0], Skipped)
    assert isinstance(type_named(facts, "u"), TileType)
    assert isinstance(type_named(facts, "v"), UnknownType)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("if n:\n    y = n", "must be a comparison"),
        ("while n:\n    y = n", "must be a comparison"),
        ("for k in pl.pipeline(4):\n    y = k", "needs stage"),
        ("for k in pl.range(4, chunk=2):\n    y = k", "no keyword `chunk`"),
        ("for k, (a, b) in pl.range(4, init_values=(n,)):\n    a = n", "2 names for 1"),
        ("for (a,) in pl.while_(init_values=(n,)):\n    a = a + 1", "must be pl.cond"),
        ("with pl.at(level=pl.Level.CORE_GROUP, hint='a'):\n    y = n", "no keyword `hint`"),
    ],
)
def test_forms_that_the_compiler_refuses(body: str, message: str) -> None:
    assert any(message in issue.message for issue in read_body(body).issues)


AT = "with pl.at(level=pl.Level.CORE_GROUP"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("for k in pl.unroll(n):\n    y = k", "bounds of pl.unroll"),
        ("for k, (a,) in pl.range(4, init_values=(n,)):\n    pl.yield_(a)", "names its results"),
        ("with pl.at():\n    y = n", "needs level="),
        (f"{AT}, role=pl.Role.SubWorker):\n    y = n", "takes no role"),
        ("with pl.at(level=pl.Level.HOST, optimizations=[pl.split(pl.SplitMode.NONE)]):\n    y = n", "CORE_GROUP"),
        (f"{AT}, optimizations=pl.split(pl.SplitMode.NONE)):\n    y = n", "is a list literal"),
        (f"{AT}, optimizations=[pl.exp]):\n    y = n", "an entry of optimizations="),
        (f"{AT}, optimizations=[pl.split(pl.SplitMode.NONE), pl.split(pl.SplitMode.NONE)]):\n    y = n", "twice"),
        (f"{AT}):\n    {AT}):\n        y = n", "stands inside another"),
        ("for b in pl.spmd(0):\n    y = b", "at least 1"),
        ("with pl.spmd(True):\n    y = n", "is an integer"),
        ("for b in pl.split_aiv(3, mode=pl.SplitMode.NONE):\n    y = b", "2 lanes"),
        ("for b in pl.split_aiv(2):\n    y = b", "needs mode="),
        ("pl.static_assert(1 > 2)", "does not hold"),
        ("y = self.nothing(x)", "no kernel `nothing`"),
    ],
)
def test_scopes_that_the_compiler_refuses(body: str, message: str) -> None:
    assert any(message in issue.message for issue in read_body(body, kind="Orchestration").issues)
