"""Calls of kernels: by kernels of the file and of others, by Python code, of kernels that factories make."""

from __future__ import annotations

from pto_analysis.frontend.issues import IssueKind
from pto_analysis.ir.expr import Invoke, Var
from pto_analysis.ir.spelling import type_text
from pto_analysis.ir.stmt import Assign
from pto_analysis.ir.types import TensorType
from tests.frontend.reader import function, issues, kernels, read

CALLS = """\
import pypto.language as pl

@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def two(self, a: pl.Tensor[[8, 8], pl.FP32], o: pl.Out[pl.Tensor[[8, 8], pl.FP32]]):
        o = pl.store(pl.load(a, [0, 0], [8, 8]), [0, 0], o)
        return o, a

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, a: pl.Tensor[[8, 8], pl.FP32], o: pl.Out[pl.Tensor[[8, 8], pl.FP32]]):
        o, b = self.two(a, o)
        r, q, tid = pl.submit(self.two, a, o, deps=[])
        s = self.two(a)
        return o
"""


def test_calls_of_other_kernels() -> None:
    facts = read(CALLS)
    main = function(facts, "main")
    tensor = main.params[0].var.type
    temporaries = [stmt for stmt in main.body if isinstance(stmt, Assign) and isinstance(stmt.value, Invoke)]
    call, submit = temporaries[0].value, temporaries[1].value
    assert isinstance(call, Invoke)
    assert isinstance(submit, Invoke)
    assert call.callee == submit.callee == "self.two"
    assert getattr(call.type, "items", ()) == (tensor, tensor)
    assert [type_text(item) for item in getattr(submit.type, "items", ())][-1] == "pl.TaskId"
    assert [issue.kind for issue in kernels(facts)[1].issues] == [IssueKind.CALL_ARITY]


def test_kernels_call_kernels_of_other_files() -> None:
    other = (
        "import pypto.language as dsl\nN = 16\n"
        "@dsl.jit.inline\ndef scale(a: dsl.Tensor[[N, 8], dsl.FP32], o: dsl.Tensor[[N, 8], dsl.FP32]):\n"
        "    t = dsl.mul(a, 2.0)\n    return t\n"
    )
    text = (
        "from pypto import language as pl\nfrom helpers import N, scale as s\n"
        "@pl.jit\ndef k(a: pl.Tensor[[N, 8], pl.FP32], o: pl.Out[pl.Tensor[[N, 8], pl.FP32]]):\n"
        "    b = s(a, o=o)\n    return b\n"
    )
    kernel = function(read(text, helpers=other), "k")
    value = kernel.body[0]
    assert isinstance(value, Assign)
    assert isinstance(value.value, Invoke)
    assert isinstance(value.value.type, TensorType)
    assert value.value.type.shape == (16, 8)
    assert all(isinstance(arg, Var) for arg in value.value.args)


BARE = """\
import pypto.language as pl

@pl.jit.inline
def helper(a: pl.Tensor, o: pl.Out[pl.Tensor]):
    o = pl.store(pl.exp(pl.load(a, [0, 0], [8, 8])), [0, 0], o)
    return o

@pl.jit
def entry(a: pl.Tensor[[8, 8], pl.FP32], o: pl.Out[pl.Tensor[[8, 8], pl.FP32]]):
    with pl.at(level=pl.Level.CORE_GROUP):
        o = helper(a, o)
    return o
"""


def test_bare_parameters_are_what_a_kernel_of_the_file_hands_over() -> None:
    facts = read(BARE)
    helper, entry = function(facts, "helper"), function(facts, "entry")
    assert [param.var.type for param in helper.params] == [param.var.type for param in entry.params]
    assert all(not kernel.not_understood for kernel in kernels(facts))


PYTHON_CALLS = """\
import torch
import pypto.language as pl

ROWS = 64

@pl.jit
def k(a: pl.Tensor, o: pl.Out[pl.Tensor]):
    with pl.at(level=pl.Level.CORE_GROUP):
        pl.store(pl.load(a, [0, 0], [8, 32]), [0, 0], o)
    return o

def make(rows, cols: int = 8):
    @pl.jit
    def inner(x: pl.Tensor[[rows, cols], pl.FP32]):
        return x
    return inner

made = make(2 * ROWS)

if __name__ == "__main__":
    cases = [("first", k)]
    for name, kernel in cases:
        a = torch.randn(ROWS, 32, dtype=torch.float16)
        out = torch.zeros_like(a).float()
        kernel(a, out)
"""


def test_python_calls_tell_shapes_and_sizes() -> None:
    facts = read(PYTHON_CALLS)
    types = [type_text(param.var.type) for param in function(facts, "k").params]
    assert types == ["pl.Tensor[[64, 32], pl.FP16]", "pl.Tensor[[64, 32], pl.FP32]"]
    assert type_text(function(facts, "inner").params[0].var.type) == "pl.Tensor[[128, 8], pl.FP32]"


def test_a_kernel_made_by_a_factory_can_be_called() -> None:
    caller = "\n@pl.jit\ndef use(x: pl.Tensor[[128, 8], pl.FP32]):\n    y = made(x)\n    return y\n"
    facts = read(PYTHON_CALLS + caller)
    use = function(facts, "use")
    first = use.body[0]
    assert isinstance(first, Assign)
    assert isinstance(first.value, Invoke)
    assert type_text(first.value.type) == "pl.Tensor[[128, 8], pl.FP32]"


def test_decorators_of_others_make_no_kernel() -> None:
    facts = read(
        "import numba\nimport pypto.language as pl\nfrom torch import jit\n"
        "@numba.jit\ndef a(x):\n    return x\n"
        "@jit.script\ndef b(x):\n    return x\n"
        "@jit\ndef c(x):\n    return x\n"
        "@pl.jit\ndef d(x: pl.Tensor[[8, 8], pl.FP32]):\n    return x\n"
    )
    assert [kernel.function.name for kernel in kernels(facts)] == ["d"]


def test_strict_ssa_forbids_rebinding() -> None:
    program = (
        "import pypto.language as pl\n"
        "@pl.program(strict_ssa=True)\nclass P:\n"
        "    @pl.function(type=pl.FunctionType.InCore)\n"
        "    def k(self, n: pl.Scalar[pl.INDEX]):\n"
        "        a = n + 1\n        a = a + 1\n"
    )
    assert [issue.kind for issue in issues(read(program))] == [IssueKind.REBOUND_TYPE]
    assert issues(read(program.replace("strict_ssa=True", ""))) == []


def test_a_broken_line_of_python_hides_no_other_call() -> None:
    broken = PYTHON_CALLS.replace("    cases = [", "    print(\n    nonsense = = 1\n    cases = [")
    facts = read(broken)
    types = [type_text(param.var.type) for param in function(facts, "k").params]
    assert types == ["pl.Tensor[[64, 32], pl.FP16]", "pl.Tensor[[64, 32], pl.FP32]"]
