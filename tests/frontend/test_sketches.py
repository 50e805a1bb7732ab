"""The twelve ways in which kernels are really written (reference: bugs section D7) are read as DSL, nothing refused."""

from __future__ import annotations

import pytest

from pto_analysis.ir.function import FunctionKind
from pto_analysis.ir.stmt import For, If, Scope
from pto_analysis.ir.types import ScalarType, TensorType, TileType, TupleType
from tests.frontend.reader import all_statements, assigns, calls, function, issues, kernels, read, type_named

IMPORT = "import pypto.language as pl\n"
JIT = "@pl.jit\ndef k(src: pl.Tensor[[8, 512], pl.FP32], dst: pl.Out[pl.Tensor[[8, 512], pl.FP32]]):\n"

CONSTANTS = (
    IMPORT
    + """
from .cfg import MINI
H = MINI.hidden; T = 64; NB = H // T
assert H % T == 0
"""
)
CFG = """
from dataclasses import dataclass

@dataclass(frozen=True)
class Config:
    hidden: int
    heads: int = 4

MINI = Config(hidden=512)
"""

THREADED = (
    CONSTANTS
    + """
@pl.jit.inline
def norm(x: pl.Tensor[[8, H], pl.BF16], o: pl.Tensor[[8, H], pl.BF16]):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="norm"):
        f = pl.cast(x, target_type=pl.FP32)
        o[:, :] = pl.cast(pl.mul(f, 0.5), target_type=pl.BF16)
    return o

@pl.jit
def entry(x: pl.Tensor[[8, H], pl.BF16], o: pl.Out[pl.Tensor[[8, H], pl.BF16]]):
    o = norm(x, o)
    return o
"""
)

BARE = (
    IMPORT
    + """
@pl.jit
def any_shape(a: pl.Tensor, o: pl.Out[pl.Tensor]):
    with pl.at(level=pl.Level.CORE_GROUP):
        pl.store(pl.exp(pl.load(a, [0, 0], [32, 64])), [0, 0], o)
    return o
"""
)

FACTORY = (
    IMPORT
    + """
def make(m, n, dt=pl.FP32):
    @pl.program
    class Prog:
        @pl.function(type=pl.FunctionType.InCore)
        def k(self, a: pl.Tensor[[m, n], dt], o: pl.Out[pl.Tensor[[m, n], dt]]) -> pl.Tensor[[m, n], dt]:
            return pl.store(pl.abs(pl.load(a, [0, 0], [m, n])), [0, 0], o)
        @pl.function(type=pl.FunctionType.Orchestration)
        def main(self, a: pl.Tensor[[m, n], dt], o: pl.Out[pl.Tensor[[m, n], dt]]) -> pl.Tensor[[m, n], dt]:
            o = self.k(a, o)
            return o
    return Prog
"""
)

BLOCKS = (
    CONSTANTS
    + JIT
    + """
    for blk in pl.parallel(NB):
        c0 = blk * T
        with pl.at(level=pl.Level.CORE_GROUP):
            dst[:, c0 : c0 + T] = pl.mul(src[:, c0 : c0 + T], 2.0)
    return dst
"""
)

STEPS = (
    CONSTANTS
    + JIT
    + """
    with pl.at(level=pl.Level.CORE_GROUP):
        for c0 in pl.range(0, H, T):
            part = pl.slice(src, [8, T], [0, c0])
            dst = pl.assemble(dst, part, [0, c0])
    return dst
"""
)

K_LOOP = (
    IMPORT
    + """
H = 512
@pl.jit
def k(a: pl.Tensor[[16, H], pl.BF16], w: pl.Tensor[[H, 64], pl.BF16], o: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP):
        acc = pl.create_tensor([16, 64], dtype=pl.FP32)
        for j in pl.pipeline(0, H // 128, stage=2):
            k = j * 128
            if k == 0:
                acc = pl.matmul(a[:, k : k + 128], w[k : k + 128, :], out_dtype=pl.FP32)
            else:
                acc = pl.matmul_acc(acc, a[:, k : k + 128], w[k : k + 128, :])
        o[:, :] = acc
    return o
"""
)

HOISTED = (
    IMPORT
    + """
H = 512
@pl.jit
def k(a: pl.Tensor[[16, H], pl.BF16], w: pl.Tensor[[H, 64], pl.BF16], o: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP):
        acc = pl.matmul(a[:, 0:128], w[0:128, :], out_dtype=pl.FP32)
        for j in pl.pipeline(1, H // 128, stage=2):
            acc = pl.matmul_acc(acc, a[:, j * 128 : j * 128 + 128], w[j * 128 : j * 128 + 128, :])
        o[:, :] = acc
    return o
"""
)

CARRY = (
    IMPORT
    + """
@pl.jit.incore
def k(a: pl.Tensor[[16, 64], pl.BF16], b: pl.Tensor[[64, 64], pl.BF16], o: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
    left = pl.load(a, [0, 0], [16, 64], target_memory=pl.Mem.Mat)
    right = pl.load(b, [0, 0], [64, 64], target_memory=pl.Mem.Mat)
    acc = pl.tile.create([16, 64], pl.FP32, target_memory=pl.Mem.Acc)
    for k, (run,) in pl.range(0, 256, 64, init_values=(acc,)):
        last = pl.yield_(pl.tile.matmul_acc(run, left, right, init_cond=(k == 0)))
    o = pl.store(last, [0, 0], o)
    return o
"""
)

DYNAMIC = (
    IMPORT
    + """
N = pl.dynamic("N")
@pl.jit
def dyn(x: pl.Tensor[[N, 64], pl.FP32], o: pl.Out[pl.Tensor[[N, 64], pl.FP32]]):
    n = pl.tensor.dim(x, 0)
    for r in pl.parallel(0, 512, 16):
        left = pl.min(16, n - r)
        with pl.at(level=pl.Level.CORE_GROUP):
            o = pl.assemble(o, pl.slice(x, [16, 64], [r, 0], valid_shape=[left, 64]), [r, 0])
    return o
"""
)

SPMD = (
    CONSTANTS
    + JIT
    + """
    tmp = pl.create_tensor([8, H], dtype=pl.FP32)
    with pl.at(level=pl.Level.CORE_GROUP) as tid0:
        tmp = pl.assemble(tmp, pl.exp(src), [0, 0])
    for b in pl.spmd(NB, name_hint="loop_form"):
        tmp[:, b * T : b * T + T] = pl.exp(src[:, b * T : b * T + T])
    with pl.spmd(NB, name_hint="with_form", deps=[tid0]) as tid1:
        b = pl.tile.get_block_idx()
        dst[:, b * T : b * T + T] = tmp[:, b * T : b * T + T]
    return dst
"""
)

SOFTMAX = (
    IMPORT
    + """
@pl.jit
def k(score: pl.Tensor[[16, 64], pl.FP32], live: pl.Scalar[pl.INDEX], o: pl.Out[pl.Tensor[[16, 64], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP):
        s = pl.fillpad(pl.set_validshape(score, 16, live), pad_value=pl.PadValue.min)
        e = pl.exp(pl.row_expand_sub(s, pl.row_max(s)))
        p = pl.row_expand_div(e, pl.row_sum(e))
        o[:, :] = p
    return o
"""
)

SKETCHES = {
    "config object": THREADED, "bare annotations": BARE, "factory": FACTORY, "blocks": BLOCKS, "step loop": STEPS,
    "peeled K loop": K_LOOP, "hoisted K loop": HOISTED, "explicit carry": CARRY, "dynamic dim": DYNAMIC, "spmd": SPMD,
    "softmax": SOFTMAX,
}  # fmt: skip


@pytest.mark.parametrize("name", SKETCHES)
def test_sketch_is_accepted(name: str) -> None:
    facts = read(SKETCHES[name], cfg=CFG)
    assert kernels(facts)
    assert [issue.message for issue in issues(facts)] == []


def test_imported_constants_give_shapes() -> None:
    entry = function(read(THREADED, cfg=CFG), "entry")
    assert entry.kind is FunctionKind.ORCHESTRATION
    first = entry.params[0].var.type
    assert isinstance(first, TensorType)
    assert first.shape == (8, 512)


def test_inline_call_has_the_returned_parameters_type() -> None:
    entry = function(read(THREADED, cfg=CFG), "entry")
    (call,) = [stmt.value for stmt in assigns(entry)]
    assert getattr(call, "type", None) == entry.params[1].var.type


def test_window_extent_comes_from_symbolic_subtraction() -> None:
    kernel = function(read(BLOCKS, cfg=CFG), "k")
    window = next(call for call in calls(kernel) if call.op == "tensor.slice")
    assert isinstance(window.type, TensorType)
    assert window.type.shape == (8, 64)


def test_first_step_by_test_keeps_one_accumulator() -> None:
    kernel = function(read(K_LOOP), "k")
    branch = next(stmt for stmt in all_statements(kernel) if isinstance(stmt, If))
    (first,), (more,) = branch.then, branch.orelse
    assert getattr(first, "var", None) is getattr(more, "var", None)


def test_explicit_carry_names_its_result() -> None:
    kernel = function(read(CARRY), "k")
    loop = next(stmt for stmt in all_statements(kernel) if isinstance(stmt, For))
    assert [arg.var.name for arg in loop.iter_args] == ["run"]
    assert [var.name for var in loop.return_vars] == ["last"]
    assert isinstance(loop.return_vars[0].type, TileType)


def test_dynamic_extent_is_one_symbol() -> None:
    kernel = function(read(DYNAMIC), "dyn")
    types = [param.var.type for param in kernel.params]
    assert isinstance(types[0], TensorType)
    assert isinstance(types[1], TensorType)
    assert types[0].shape[0] is types[1].shape[0]


def test_task_ids_and_regions() -> None:
    kernel = function(read(SPMD, cfg=CFG), "k")
    scopes = [stmt for stmt in all_statements(kernel) if isinstance(stmt, Scope)]
    assert [scope.kind for scope in scopes] == ["at", "spmd"]
    assert scopes[1].var is not None
    assert isinstance(scopes[1].var.type, ScalarType)
    assert scopes[1].attrs["deps"] == (scopes[0].var,)


def test_factory_parameters_stay_symbolic_and_their_defaults_count() -> None:
    facts = read(FACTORY)
    main = function(facts, "main")
    tensor = main.params[0].var.type
    assert isinstance(tensor, TensorType)
    assert tensor.dtype.name == "FP32"
    assert [getattr(dim, "name", dim) for dim in tensor.shape] == ["m", "n"]
    assert type_named(kernels(facts)[1], "o") == main.params[1].var.type
    assert not isinstance(tensor, TupleType)
