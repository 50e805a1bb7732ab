"""How single statements of a kernel become operations: carries, predicates, windows, copies, scalars."""

from __future__ import annotations

import pytest

from pto_analysis.sync.policies import plan_precise
from pto_analysis.sync.program import Branch, Loop, operations, statements
from pto_analysis.sync.verify import verify
from tests.sync.kernel.kernels import kernel, programs, run

VECTOR = "n: pl.Scalar[pl.INDEX], x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]"

CUBE = "a: pl.Tensor[[64, 64], pl.BF16], b: pl.Tensor[[64, 64], pl.BF16], c: pl.Out[pl.Tensor[[64, 64], pl.FP32]]"


def names(body: str, parameters: str = VECTOR) -> list[str]:
    return [op.name for op in operations(kernel(parameters, body))]


def test_a_carry_that_only_the_loop_uses_is_one_buffer() -> None:
    program = kernel(
        VECTOR,
        """
t = pl.load(x, [0, 0], [64, 64])
for i, (acc,) in pl.range(n, init_values=(t,)):
    u = pl.tile.muls(acc, 2.0)
    t2 = pl.yield_(u)
y = pl.store(t2, [0, 0], y)
""",
    )
    assert len([region for region in program.regions.values() if region.space == "vec"]) == 1
    assert verify(program, plan_precise(program)).ok
    assert run(program, n=0).ordered("tload#0", "tstore#0")


def test_a_carry_whose_start_lives_on_is_a_choice_of_buffers() -> None:
    program = kernel(
        VECTOR,
        """
t = pl.load(x, [0, 0], [64, 64])
for i, (acc,) in pl.range(n, init_values=(t,)):
    u = pl.tile.muls(acc, 2.0)
    t2 = pl.yield_(u)
s = pl.tile.add(t2, t)
y = pl.store(s, [0, 0], y)
""",
    )
    (loop,) = [statement for statement in statements(program.body) if isinstance(statement, Loop)]
    assert len(loop.handles) == 1
    assert verify(program, plan_precise(program)).ok


_COLUMN = "y: pl.Out[pl.Tensor[[64, 1], pl.FP32]]"


@pytest.mark.parametrize(
    ("step", "after"),
    [
        ("m = pl.tile.muls(c, 2.0)", ["tmuls", "tmov"]),
        ("m = pl.tile.neg(c)", ["tneg"]),
        ("m = pl.tile.row_max(t, s)", ["trowmax"]),
    ],
)
def test_a_carried_column_made_as_a_row_is_copied_back(step: str, after: list[str]) -> None:
    body = f"""
t = pl.load(x, [0, 0], [64, 64])
s = pl.tile.create([64, 64], dtype=pl.FP32)
w = pl.tile.row_sum(t, s)
for i, (c,) in pl.range(n, init_values=(w,)):
    {step}
    r = pl.yield_(m)
y = pl.store(r, [0, 0], y)
"""
    parameters = f"n: pl.Scalar[pl.INDEX], x: pl.Tensor[[64, 64], pl.FP32], {_COLUMN}"
    assert names(body, parameters) == ["tload", "trowsum", *after, "tstore"]
    program = kernel(parameters, body)
    assert verify(program, plan_precise(program)).ok


@pytest.mark.parametrize(
    ("rest", "copied"),
    [
        ("m = pl.tile.muls(c, 2.0)\n    u = pl.tile.adds(x1, 1.0)", False),
        ("m = pl.tile.muls(x1, 2.0)\n    u = pl.tile.adds(c, 1.0)", True),
        ("u = pl.tile.adds(c, 1.0)\n    m = pl.tile.slice(x1, [64, 64], [0, 0])", True),
        ("u = pl.tile.adds(c, 1.0)\n    m = pl.tile.recip(c)", True),
        ("u = pl.tile.adds(c, 1.0)\n    m = pl.tile.slice(w, [64, 64], [i, 0])", False),
    ],
)
def test_a_carry_that_cannot_be_written_where_it_lives_is_copied_back(rest: str, copied: bool) -> None:
    assert ("tmov" in names(_carrying(rest, "range(n"))) == copied


@pytest.mark.parametrize(("loop", "copied"), [("pipeline(1", False), ("pipeline(2", True)])
def test_no_loop_is_left_of_a_pipeline_with_fewer_rounds_than_stages(loop: str, copied: bool) -> None:
    body = _carrying("m = pl.tile.slice(x1, [64, 64], [0, 0])", f"{loop}, stage=2")
    assert ("tmov" in names(body)) == copied


def _carrying(rest: str, loop: str) -> str:
    return f"""
x1 = pl.load(x, [0, 0], [64, 64])
w = pl.load(x, [0, 0], [64, 64])
for i, (c,) in pl.{loop}, init_values=(w,)):
    {rest}
    r = pl.yield_(m)
y = pl.store(r, [0, 0], y)
"""


@pytest.mark.parametrize(
    ("start", "second", "last", "copies"),
    [
        ("t", "", "x = pl.tile.exp(x)", 0),
        ("t", "if i < n + 2:\n        x = pl.tile.abs(x)", "x = pl.tile.exp(x)", 1),
        ("t", "if i < n + 2:\n        x = pl.tile.abs(x)", "", 0),
        (
            "t",
            "if i < n + 2:\n        x = pl.tile.abs(x)\n    else:\n        x = pl.tile.neg(x)",
            "x = pl.tile.exp(x)",
            1,
        ),
    ],
)
def test_a_value_from_before_a_branch_is_copied_where_the_other_arm_makes_one(
    start: str, second: str, last: str, copies: int
) -> None:
    body = f"""
t = pl.load(x0, [0, 0], [64, 64])
x = {start}
for i in pl.range(0, 64, 16):
    if i < n:
        x = pl.tile.muls(x, 2.0)
    {second or "pass"}
    {last or "pass"}
y = pl.store(x, [0, 0], y)
"""
    parameters = VECTOR.replace("x:", "x0:")
    assert names(body, parameters).count("tmov") == copies
    program = kernel(parameters, body)
    assert verify(program, plan_precise(program)).ok


TALL = "n: pl.Scalar[pl.INDEX], x: pl.Tensor[[64, 64], pl.FP32], y: pl.Out[pl.Tensor[[64, 64], pl.FP32]]"

LARGE = "d = pl.load(x, [0, 0], [32, 64])"


@pytest.mark.parametrize(
    ("before", "then", "otherwise", "behind", "copied"),
    [
        # Both arms' values take the one place that is free for them, or the same new one.
        ("", "r = pl.tile.recip(a)", "r = pl.tile.recip(a)", "", False),
        ("", "r = pl.tile.exp(a)", "r = pl.tile.neg(a)", "a", False),
        # The place of an operand becomes free in the second arm only.
        ("", "r = pl.tile.exp(a)", "r = pl.tile.neg(a)", "", True),
        ("", "r = pl.tile.exp(a)", "r = pl.tile.add(a, b)", "", True),
        ("", "r = pl.tile.recip(a)", "r = pl.tile.neg(b)", "b", True),
        ("", "r = pl.tile.recip(a)", "r = pl.tile.neg(b)", "", True),
        # Any buffer that is large enough will do, whatever its shape and dtype.
        (LARGE, "r = pl.tile.exp(d16)", "r = pl.tile.muls(a, 2.0)", "", False),
        (LARGE, "r = pl.tile.recip(a)", "e = pl.tile.exp(d)\n    r = pl.tile.slice(e, [16, 64], [0, 0])", "", True),
        (LARGE, "r = pl.tile.recip(a)", "z = pl.store(d, [0, 0], z)\n    r = pl.tile.recip(a)", "", True),
        (LARGE, "r = pl.tile.recip(a)", "r = pl.tile.recip(a)\n    z = pl.store(d, [0, 0], z)", "", False),
        # A value from before the branch that ends with the first arm leaves its place to the second's.
        ("", "r = a", "r = pl.tile.exp(b)", "", False),
        ("", "r = a", "r = pl.tile.exp(b)", "a", True),
        ("", "r = pl.tile.exp(b)", "r = a", "", True),
    ],
)
def test_arms_that_end_in_different_memory_cost_a_copy(
    before: str, then: str, otherwise: str, behind: str, copied: bool
) -> None:
    body = f"""
a = pl.load(x, [0, 0], [16, 64])
b = pl.load(x, [16, 0], [16, 64])
{before or "pass"}
if n < 4:
    {then.replace("d16", "pl.tile.slice(d, [16, 64], [0, 0])")}
else:
    {otherwise}
y = pl.store(r, [0, 0], y)
{f"y = pl.store({behind}, [16, 0], y)" if behind else "pass"}
"""
    parameters = f"{TALL}, z: pl.Out[pl.Tensor[[64, 64], pl.FP32]]"
    assert ("tmov" in names(body, parameters)) == copied
    program = kernel(parameters, body)
    assert verify(program, plan_precise(program)).ok


def test_a_tile_that_goes_round_by_assemble_is_not_copied() -> None:
    body = """
t = pl.load(x, [0, 0], [4, 64])
for i in pl.range(8):
    r = pl.tile.slice(t, [1, 64], [i % 4, 0])
    y = pl.store(r, [i, 0], y)
    t = pl.tile.assemble(t, pl.tile.exp(pl.load(x, [i, 0], [1, 64])), [(i + 1) % 4, 0])
y = pl.store(t, [0, 0], y)
"""
    assert names(body, TALL) == ["tload", "tstore", "tload", "texp", "tmov", "tstore"]


def test_a_predicated_step_is_a_branch_of_two_products() -> None:
    program = kernel(
        CUBE,
        """
am = pl.load(a, [0, 0], [64, 64], target_memory=pl.Mem.Mat)
bm = pl.load(b, [0, 0], [64, 64], target_memory=pl.Mem.Mat)
left = pl.move(am, target_memory=pl.Mem.Left)
right = pl.move(bm, target_memory=pl.Mem.Right)
acc = pl.tile.create([64, 64], dtype=pl.FP32, target_memory=pl.Mem.Acc)
for k in pl.range(4):
    acc = pl.tile.matmul_acc(acc, left, right, init_cond=(k == 0))
c = pl.store(acc, [0, 0], c)
""",
    )
    (branch,) = [statement for statement in statements(program.body) if isinstance(statement, Branch)]
    assert branch.condition is not None
    assert [op.name for op in operations(program)][4:6] == ["tmatmul", "tmatmul.acc"]
    assert verify(program, plan_precise(program)).ok


def test_a_column_expansion_copies_a_window_onto_itself() -> None:
    body = """
t = pl.load(x, [0, 0], [64, 64])
w = pl.tile.slice(t, [1, 64], [4, 0])
u = pl.tile.col_expand_mul(t, w)
y = pl.store(u, [0, 0], y)
"""
    assert names(body) == ["tload", "textract", "tcolexpandmul", "tstore"]


def test_a_window_is_copied_onto_itself_once() -> None:
    body = """
t = pl.load(x, [0, 0], [64, 64])
w = pl.tile.slice(t, [1, 64], [4, 0])
u = pl.tile.col_expand_mul(t, w)
v = pl.tile.col_expand_add(u, w)
y = pl.store(v, [0, 0], y)
"""
    assert names(body) == ["tload", "textract", "tcolexpandmul", "tcolexpandadd", "tstore"]


def test_a_loop_of_one_round_is_written_out() -> None:
    body = """
t = pl.load(x, [0, 0], [64, 64])
u = pl.tile.exp(t)
for i in pl.range(1):
    w = pl.tile.slice(t, [8, 64], [0, i])
    v = pl.tile.muls(w, 2.0)
y = pl.store(u, [0, 0], y)
"""
    assert names(body) == ["tload", "texp", "tmuls", "tstore"]
    assert names(body.replace("range(1)", "range(2)")) == ["tload", "texp", "textract", "tmuls", "tstore"]


def test_windows_of_one_tile_that_do_not_overlap_are_free() -> None:
    program = kernel(
        VECTOR,
        """
t = pl.load(x, [0, 0], [64, 64])
u = pl.tile.assemble(t, pl.load(x, [0, 0], [8, 64]), [0, 0])
v = pl.tile.slice(u, [8, 64], [8, 0])
y = pl.store(v, [0, 0], y)
""",
    )
    seen = run(program, n=0)
    assert not seen.ordered("tmov#0", "tstore#0")
    assert seen.ordered("tload#0", "tstore#0")


def test_different_windows_of_a_tensor_do_not_overlap() -> None:
    program = kernel(
        VECTOR,
        """
t = pl.load(x, [0, 0], [8, 64])
y = pl.store(t, [0, 0], y)
y = pl.store(t, [8, 0], y)
u = pl.load(x, [0, 0], [8, 64])
y = pl.store(u, [8, 0], y)
""",
    )
    seen = run(program, n=0)
    assert not seen.ordered("tstore#0", "tstore#1")
    assert seen.ordered("tstore#1", "tstore#2")


def test_a_branch_that_never_runs_is_left_out() -> None:
    body = """
t = pl.load(x, [0, 0], [64, 64])
for i in pl.range(2, 8, 2):
    if i == 1:
        t = pl.tile.exp(t)
    else:
        t = pl.tile.abs(t)
y = pl.store(t, [0, 0], y)
"""
    assert names(body) == ["tload", "tabs", "tstore"]


def test_scalar_reads_run_on_the_scalar_queue() -> None:
    body = """
t = pl.load(x, [0, 0], [64, 64])
s = pl.tile.read(t, [0, 0])
u = pl.tile.muls(t, s)
y = pl.store(u, [0, 0], y)
"""
    program = kernel(VECTOR, body)
    assert [(op.name, op.pipe.value) for op in operations(program)][1] == ("tgetval", "S")
    assert run(program, n=0).ordered("tload#0", "tgetval#0")


def test_while_loops_carry_scalars_and_tiles() -> None:
    program = kernel(
        VECTOR,
        """
t = pl.load(x, [0, 0], [64, 64])
k: pl.Scalar[pl.INDEX] = 0
for j, a in pl.while_(init_values=(k, t)):
    pl.cond(j < n)
    b = pl.tile.muls(a, 2.0)
    m: pl.Scalar[pl.INDEX] = j + 1
    last, result = pl.yield_(m, b)
y = pl.store(result, [0, 0], y)
""",
    )
    assert verify(program, plan_precise(program)).ok
    assert sum(item.verdict.faults == () for item in (run(program, n=0), run(program, n=3))) == 2


def test_an_accumulation_that_nobody_uses_is_left_out_of_a_mixed_kernel() -> None:
    text = """
import pypto.language as pl


@pl.program
class P:
    @pl.function
    def main(self, x: pl.Tensor[[16, 64], pl.FP32], a: pl.Tensor[[16, 64], pl.BF16], b: pl.Tensor[[64, 16], pl.BF16],
             out: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
        with pl.at(level=pl.Level.CORE_GROUP):
            c = pl.matmul(a, b, out_dtype=pl.FP32)
            c = pl.matmul_acc(c, a, b)
            out[:, :] = pl.exp(x)
        return out
"""
    assert [[op.name for op in operations(program)] for program in programs(text)] == [[], ["tload", "texp", "tstore"]]
