"""What the callers of a kernel tell of parameters that are written as a bare `pl.Tensor`."""

from __future__ import annotations

from textwrap import dedent

import pytest

from pto_analysis.check import analyze_file
from pto_analysis.frontend.module import Modules
from pto_analysis.ir.spelling import type_text
from pto_analysis.report import CheckOptions
from pto_analysis.source.modules import index_module
from pto_analysis.source.unit import split_units
from pto_analysis.source.workspace import Workspace
from tests.frontend.reader import PATH, Files, function, kernels, read

KERNEL = """
import pypto.language as pl
import torch
M, N = 32, 64
@pl.jit
def k(a: pl.Tensor, o: pl.Out[pl.Tensor]):
    with pl.at(level=pl.Level.CORE_GROUP):
        o[:] = pl.exp(a)
    return o
@pl.jit
def other(a: pl.Tensor, o: pl.Out[pl.Tensor]):
    return o
"""

INLINE = """
import pypto.language as pl
@pl.jit.inline
def scale(a: pl.Tensor, o: pl.Tensor):
    with pl.at(level=pl.Level.CORE_GROUP):
        o[:] = pl.mul(a, 2.0)
    return o
"""

ENTRY = """
import pypto.language as pl
import torch
from ops.scaling import scale
@pl.jit
def entry(x: pl.Tensor, y: pl.Out[pl.Tensor]):
    y = scale(x, y)
    return y
entry(torch.randn(16, 32), torch.empty(16, 32))
"""


def param_types(text: str, name: str = "k") -> list[str]:
    return [type_text(param.var.type) for param in function(read(text), name).params]


BOTH = ["pl.Tensor[[32, 64], pl.FP32]", "pl.Tensor[[32, 64], pl.FP32]"]


@pytest.mark.parametrize(
    "driver",
    [
        "k(torch.randn(M, N), torch.empty(M, N))",
        "run = k\nrun(torch.randn(M, N), torch.empty(M, N))",
        "k.lower(torch.randn([M, N]), o=torch.zeros((M, N)))",
        "args = [torch.ones(M, N), torch.ones(size=(M, N))]\nk.compile(*args)",
        "MODES = {'k': k, 'other': other}\nMODES[mode](torch.rand(M, N), torch.empty(M, N))",
        "a = torch.rand(M, N, dtype=torch.bfloat16)\nk(a.float(), torch.zeros_like(a).to(torch.float32))",
        "a = torch.full((M, N), 2.0).share_memory_()\nk(a * scale + 1, torch.empty(M * N).reshape(M, -1))",
        "def make():\n    x = torch.arange(M * N, dtype=torch.float32)\n    return [x.view(M, N), torch.empty(M, N)]\n"
        "def main():\n    k(*make())",
        "def main():\n    import torch\n    if mode == 'fast':\n        pass\n    else:\n"
        "        k(torch.rand(M, N), torch.empty(M, N))",
        "for kernel, shape in ((k, (M, N)), (other, (1, 1))):\n    kernel(torch.rand(shape), torch.empty(*shape))",
        "import pytest\n@pytest.mark.parametrize('m, n', [pytest.param(32, 64, id='small')])\ndef test_k(m, n):\n"
        "    k(torch.rand(m, n), torch.empty(m, n))",
    ],
)
def test_python_code_tells_types(driver: str) -> None:
    assert param_types(f"{KERNEL}{driver}\n") == BOTH


HELPER = """
def inputs(filled):
    import torch
    torch.manual_seed(0)
    def tensor(shape, dtype, *, scale=1.0):
        value = torch.empty(shape, dtype=dtype)
        if not filled:
            return value
        if dtype == torch.int8:
            return torch.randint(-2, 3, shape, dtype=dtype)
        return value.normal_(std=scale)
    return [tensor([M, N], torch.int8), tensor([M, N], torch.float16, scale=0.5)]
k(*inputs(mode == "run"))
"""


def test_helpers_are_followed_through_branches_that_agree() -> None:
    assert param_types(KERNEL + HELPER) == ["pl.Tensor[[32, 64], pl.INT8]", "pl.Tensor[[32, 64], pl.FP16]"]


@pytest.mark.parametrize(
    "driver",
    [
        "k(torch.load(path), mystery)",
        "def f(n):\n    k(torch.rand(n, n), torch.empty(n, n))",
        "x = torch.rand(M, N) if mode else torch.rand(N, M)\nk(x, x)",
        "def f(flag):\n    if flag:\n        return torch.rand(M, N)\n    return torch.rand(N, M)\nk(f(mode), f(mode))",
        "k(torch.zeros(M, N, dtype=torch.complex64), torch.zeros(0, N))",
        "k(torch.rand(M, N) @ torch.rand(N, N), torch.rand(M, N) + torch.rand(7, N))",
    ],
)
def test_what_python_code_leaves_open_stays_unknown(driver: str) -> None:
    assert param_types(f"{KERNEL}{driver}\n") == ["pl.UnknownType"] * 2


def modules(**files: str) -> Modules:
    return Modules(Workspace(Files({f"/project/{name}.py": text for name, text in files.items()})))


def types_in(space: Modules, path: str, name: str) -> list[str]:
    facts = space.read(f"/project/{path}.py")
    return [type_text(param.var.type) for param in function(facts, name).params]


SCALED = ["pl.Tensor[[16, 32], pl.FP32]", "pl.Tensor[[16, 32], pl.FP32]"]


@pytest.mark.parametrize(
    ("caller", "call"),
    [
        ("entry", ENTRY),
        ("entry", ENTRY.replace(".scaling import scale", " import scaling").replace("scale(x", "scaling.scale(x")),
        ("entry", ENTRY.replace("import scale", "import scale as s").replace("scale(x", "s(x")),
        ("entry", ENTRY.replace("import scale", "import (\n    scale\n    as s,\n)").replace("scale(x", "s(x")),
        ("entry", ENTRY.replace("import scale", "import scale\ns = scale").replace("scale(x", "s(x")),
        ("ops/beside", ENTRY.replace("from ops.scaling", "from .scaling")),
        ("drive", "import torch\nfrom ops.scaling import scale as s\ns(torch.rand(16, 32), torch.rand(16, 32))\n"),
    ],
)  # fmt: skip
def test_kernels_and_drivers_of_other_files_tell_types(caller: str, call: str) -> None:
    assert types_in(modules(**{"ops/scaling": INLINE, caller: call}), "ops/scaling", "scale") == SCALED


@pytest.mark.parametrize(
    ("package", "caller", "call"),
    [
        ("from .scaling import scale\n", "drive", "from ops import scale as s"),
        ("from .scaling import scale as fast\n", "drive", "from ops import fast as s"),
        ("from ops import scaling\nfast = scaling.scale\n", "drive", "from ops import fast as s"),
        ("from .scaling import *\n", "drive", "from ops import scale as s"),
        ("from .scaling import scale as fast\n", "drive", "import ops\ns = ops.fast"),
    ],
)
def test_callers_through_a_package_tell_types(package: str, caller: str, call: str) -> None:
    drive = f"import torch\n{call}\ns(torch.rand(16, 32), torch.rand(16, 32))\n"
    space = modules(**{"ops/scaling": INLINE, "ops/__init__": package, caller: drive})
    assert types_in(space, "ops/scaling", "scale") == SCALED
    kernel = ENTRY.replace("from ops.scaling import scale", call).replace("scale(x", "s(x")
    space = modules(**{"ops/scaling": INLINE, "ops/__init__": package, caller: kernel})
    assert types_in(space, "ops/scaling", "scale") == SCALED


def test_a_package_in_a_package_hands_names_on() -> None:
    drive = "import torch\nfrom all import last\nlast(torch.rand(16, 32), torch.rand(16, 32))\n"
    handed = {
        "all/__init__": "from .ops import fast as last\n",
        "all/ops/__init__": "from .scaling import scale as fast\n",
    }
    space = modules(**{"all/ops/scaling": INLINE, **handed, "drive": drive})
    assert types_in(space, "all/ops/scaling", "scale") == SCALED


def test_a_chain_of_bare_kernels_gets_its_types_from_the_end() -> None:
    middle = dedent("""
        import pypto.language as pl
        from low import scale
        @pl.jit.inline
        def both(p: pl.Tensor, q: pl.Tensor):
            q = scale(p, q)
            q = scale(p, q)
            return q
        """)
    top = ENTRY.replace("from ops.scaling import scale", "from middle import both").replace("scale(x", "both(x")
    space = modules(low=INLINE, middle=middle, top=top)
    assert types_in(space, "low", "scale") == SCALED
    assert types_in(space, "middle", "both") == SCALED
    assert types_in(modules(low=INLINE, middle=middle, top=top), "top", "entry") == SCALED


def test_kernels_that_call_each_other_end() -> None:
    text = INLINE + INLINE.replace("scale", "again").replace("pl.mul(a, 2.0)", "scale(a, o)")
    assert param_types(text.replace("pl.mul(a, 2.0)", "again(a, o)"), "scale") == ["pl.UnknownType"] * 2


def test_a_result_annotated_as_a_bare_tensor_has_the_type_that_is_returned() -> None:
    text = """
import pypto.language as pl
@pl.jit.inline
def both(x: pl.Tensor[[16, 32], pl.FP32], y: pl.Tensor[[8, 8], pl.BF16]) -> tuple[pl.Tensor, pl.Tensor]:
    return x, y
@pl.jit
def entry(x: pl.Tensor[[16, 32], pl.FP32], y: pl.Out[pl.Tensor[[8, 8], pl.BF16]]):
    p, q = both(x, y)
    return p
"""
    assert [type_text(type_) for type_ in function(read(text), "entry").returns] == ["pl.Tensor[[16, 32], pl.FP32]"]


def test_a_jit_function_submits_the_kernels_around_it_as_its_own() -> None:
    text = """
import pypto.language as pl
@pl.jit.incore
def work(x: pl.Tensor[[16, 32], pl.FP32], y: pl.Out[pl.Tensor[[16, 32], pl.FP32]]):
    return pl.store(pl.load(x, [0, 0], [16, 32]), [0, 0], y)
@pl.jit
def entry(x: pl.Tensor[[16, 32], pl.FP32], y: pl.Out[pl.Tensor[[16, 32], pl.FP32]]):
    y, done = pl.submit(self.work, x, y)
    return y
"""
    facts = read(text)
    assert [unknown.why for unit in facts.units for each in unit.functions for unknown in each.not_understood] == []


LOCAL = """
import pypto.language as pl
import torch
class Tests:
    def first(self):
        @pl.program
        class Reference:
            @pl.function
            def k(self, a: pl.Tensor[[8, 8], pl.FP32]):
                return a
        @pl.jit
        def k(a: pl.Tensor):
            return a
        k.lower(torch.randn(16, 64))
    def second(self):
        @pl.jit
        def k(a: pl.Tensor):
            return a
        k.lower(torch.randn(32, 64))
"""


def test_a_local_name_means_the_kernel_of_its_own_function() -> None:
    extents = {type_text(facts.function.params[-1].var.type) for facts in kernels(read(LOCAL))}
    assert extents == {f"pl.Tensor[[{rows}, {columns}], pl.FP32]" for rows, columns in ((8, 8), (16, 64), (32, 64))}


def test_reading_order_does_not_matter() -> None:
    files = {"ops/scaling": INLINE, "entry": ENTRY}
    for first in ("/project/ops/scaling.py", "/project/entry.py"):
        space = modules(**files)
        space.read(first)
        assert types_in(space, "ops/scaling", "scale") == SCALED
    assert PATH.startswith("/project")


def test_a_file_that_was_read_long_before_is_analysed_as_what_was_read_then() -> None:
    """In a large folder the text of an imported file is forgotten before the file's own turn comes."""
    text = (
        INLINE
        + """
@pl.jit
def entry(x: pl.Tensor[[16, 32], pl.FP32], y: pl.Out[pl.Tensor[[16, 32], pl.FP32]]):
    y = scale(x, y)
    return y
"""
    )
    modules = Modules(Workspace(Files({PATH: text})))
    modules.read(PATH)
    index_module.cache_clear()
    split_units.cache_clear()
    analysis = analyze_file(PATH, text, modules, CheckOptions())
    assert analysis.functions == 2
    assert analysis.unknown == ()
