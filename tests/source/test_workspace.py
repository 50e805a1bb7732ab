"""Module-level names across files."""

from __future__ import annotations

import pytest

from pto_analysis.source.facts import NameFacts, facts_of_asserts
from pto_analysis.source.values import (
    ClassRef,
    DslName,
    DynVar,
    EnumMember,
    External,
    FunctionRef,
    Instance,
    ModuleRef,
    Unknown,
    Value,
)
from pto_analysis.source.workspace import Workspace
from tests.source.files import MemoryFiles, workspace

CONFIG = """
    from dataclasses import dataclass, replace, field
    import dataclasses
    from enum import Enum, IntEnum, auto
    from typing import NamedTuple

    BASE = 4

    @dataclass(frozen=True)
    class Base:
        hidden: int
        heads: int = BASE * 2

        @property
        def head_dim(self) -> int:
            return self.hidden // self.heads

        def tiles(self, size, *, extra=0):
            if size > self.hidden:
                raise ValueError(size)
            return self.hidden // size + extra

    @dataclass
    class Big(Base):
        ratios: tuple = (1, 2)
        extra: list = field(default_factory=list)

    class Point(NamedTuple):
        x: int
        y: int = 3

    class Mode(IntEnum):
        A = 1
        B = auto()

    class Kind(Enum):
        RED = "red"

        @property
        def pretty(self):
            return self.value.upper()

    class Plain:
        SIZE = 16
        DOUBLE = SIZE * 2

        def __init__(self, n, scale=2):
            self.n = n * scale

        @staticmethod
        def ceil(a, b):
            return (a + b - 1) // b

    CFG = Base(hidden=512)
    BIG = Big(256, heads=2, ratios=(4,))
    SMALL = replace(CFG, hidden=64)
    SMALLER = dataclasses.replace(SMALL, heads=1)
    ORIGIN = Point(1)
    THING = Plain(3)
    ALL = {c.hidden: c for c in (CFG, SMALL)}
"""


def lookup(ws: Workspace, name: str, module: str = "m") -> Value:
    return ws.lookup(f"/w/{module}.py", name)


def value_of(text: str) -> Value:
    """The value of `V` in a module beside the configuration above."""
    return lookup(workspace(config=CONFIG, m=text), "V")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("from config import CFG\nV = CFG.hidden // 2", 256),
        ("from config import CFG as C\nV = C.head_dim", 64),
        ("import config\nV = config.CFG.heads", 8),
        ("import config as c\nV = c.BIG.ratios[0]", 4),
        ("from config import *\nV = SMALL.head_dim", 8),
        ("from config import SMALLER\nV = SMALLER.head_dim", 64),
        ("from config import CFG\nV = CFG.tiles(128, extra=1)", 5),
        ("from config import BIG\nV = BIG.head_dim", 128),
        ("from config import BIG\nV = BIG.extra", []),
        ("from config import ORIGIN\nV = ORIGIN.x + ORIGIN[1]", 4),
        ("from config import ORIGIN\nx, V = ORIGIN", 3),
        ("from config import ORIGIN\nV = ORIGIN._replace(x=9).x", 9),
        ("from config import Mode\nV = Mode.B + 1", 3),
        ("from config import Mode\nV = Mode.B.name", "B"),
        ("from config import Mode\nV = Mode(2) == Mode.B", True),
        ("from config import Kind\nV = Kind.RED.pretty", "RED"),
        ("from config import Kind\nV = Kind['RED'].value", "red"),
        ("from config import Plain\nV = Plain.DOUBLE", 32),
        ("from config import THING\nV = THING.n + THING.SIZE", 22),
        ("from config import Plain\nV = Plain.ceil(9, 4)", 3),
        ("from config import ALL\nV = ALL[64].heads", 8),
        ("V = 1\nV += 4\nW = V\n", 5),
        ("V: int = 3", 3),
        ("(a, (b, V)) = 1, (2, 3)", 3),
        ("a = V = 7", 7),
        ("T = 1\nV = T\nT = 2", 1),
        ("if 1 + 1 == 2:\n    V = 1\nelse:\n    V = 2", 1),
        ("V = 1\nif False:\n    V = 2", 1),
        ("if __name__ == '__main__':\n    V = 2\nelse:\n    V = 3", 3),
        ("try:\n    V = 1\nexcept ImportError:\n    V = 2", 1),
        ("import os\nif os.path.exists('x'):\n    V = 4\nelse:\n    V = 4", 4),
        ("def half(n):\n    return n // 2\nV = half(10)", 5),
        ("def f(n, k=2, *rest, **more):\n    return n * k + len(rest) + len(more)\nV = f(1, 2, 3, 4, z=5)", 5),
        ("K = 3\ndef f():\n    return K\nV = f()", 3),
        ("def f(n):\n    t = 0\n    for i in range(n):\n        if i == 2:\n            continue\n"
         "        t += i\n    return t\nV = f(5)", 8),
        ("def f(n):\n    while n > 7:\n        n = n // 2\n    return n\nV = f(100)", 6),
        ("def f():\n    x = []\n    x.append(4)\n    return x\nV = f()", [4]),
        ("import functools\n@functools.lru_cache\ndef f():\n    return 2\nV = f()", 2),
        ("import sys\ndef f():\n    for t in sys.argv:\n        if t[:5] == '--tp=':\n"
         "            return int(t[5:])\n    return 4\nV = f()", 4),
    ],
)  # fmt: skip
def test_values(text: str, expected: Value) -> None:
    assert value_of(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "V = V", "V = W\nW = V", "V = nothing + 1", "for V in range(3):\n    pass", "with open('x') as V:\n    pass",
        "V = []\nV.append(1)", "V = [1]\nV[0] = 2", "V = 1\ndef f():\n    global V\n    V = 2", "V = f(",
        "V = 1\nV = g(\n", "import os\nif os.path.exists('x'):\n    V = 1\nelse:\n    V = 2",
        "from .missing import V", "from config import nothing as V", "def f():\n    return f()\nV = f()",
        "def f():\n    yield 1\nV = f()", "def f(n):\n    while n:\n        pass\nV = f(1)", "V = 1\ndel V",
        "@decorate\ndef f():\n    return 1\nV = f()", "from config import CFG\nV = CFG.nothing",
        "from config import Base\nV = Base()", "from config import Base\nV = Base(1, 2, 3)",
        "from config import CFG\nV = CFG.tiles(4096)", "class A(Unknown):\n    pass\nV = A()",
        "try:\n    V = g()\nfinally:\n    pass",
    ],
)  # fmt: skip
def test_what_is_not_known(text: str) -> None:
    assert isinstance(value_of(text), Unknown)


def test_references() -> None:
    ws = workspace(
        config=CONFIG,
        ops="import pypto.language as pl\n@pl.jit\ndef norm(x): ...\n",
        m="""
            import pypto.language as pl, pypto
            import pypto.language.distributed as pld
            from pypto import language as X
            from pypto.language import FP32, tile as tl
            import torch, config, numpy as np
            from ops import norm
            N = pl.dynamic("N")
            DT = X.BF16
            class Prog: ...
        """,
    )
    expected = {
        "pl": DslName("pl"),
        "pypto": DslName("pypto"),
        "pld": DslName("pld"),
        "X": DslName("pl"),
        "FP32": DslName("pl.FP32"),
        "tl": DslName("pl.tile"),
        "torch": External("torch"),
        "np": External("numpy"),
        "config": ModuleRef("/w/config.py"),
        "norm": FunctionRef("/w/ops.py", "norm"),
        "N": DynVar("N"),
        "DT": DslName("pl.BF16"),
        "Prog": ClassRef("/w/m.py", "Prog"),
    }
    assert {name: lookup(ws, name) for name in expected} == expected
    norm = lookup(ws, "norm")
    assert isinstance(norm, FunctionRef)
    unit = ws.unit_of(norm)
    assert unit is not None
    assert unit.text == "@pl.jit\ndef norm(x): ..."


def test_instances_and_members() -> None:
    ws = workspace(config=CONFIG)
    base = ClassRef("/w/config.py", "Base")
    assert lookup(ws, "CFG", "config") == Instance(base, {"hidden": 512, "heads": 8})
    mode = ClassRef("/w/config.py", "Mode")
    assert ws.attribute(mode, "A") == EnumMember(mode, "A", 1)


@pytest.mark.parametrize(
    ("importer", "statement", "expected"),
    [
        ("pkg/sub/m", "from .near import V", 1),
        ("pkg/sub/m", "from ..up import V", 2),
        ("pkg/sub/m", "from . import near\nV = near.V", 1),
        ("pkg/sub/m", "from pkg.up import V", 2),
        ("pkg/sub/m", "import pkg.up\nV = pkg.up.V", 2),
        ("pkg/sub/m", "from pkg import up as u\nV = u.V", 2),
        ("pkg/sub/m", "from near import V", 1),
        ("pkg/sub/m", "from up import V", 2),
        ("pkg/sub/m", "from top import V", 3),
        ("pkg/sub/m", "from pkg import E as V", 4),
        ("other/m", "from lib.inside import V", 5),
        ("other/m", "from pkg.star import *\nV = near_value", 1),
    ],
)
def test_import_resolution(importer: str, statement: str, expected: int) -> None:
    files = {
        importer: statement,
        "pkg/__init__": "E = 4\n",
        "pkg/sub/__init__": "",
        "pkg/sub/near": "V = 1\n",
        "pkg/up": "V = 2\n",
        "pkg/star": "from .sub.near import V as near_value\n_hidden = 1\n",
        "top": "V = 3\n",
        "src/lib/inside": "V = 5\n",
    }
    ws = Workspace(MemoryFiles({f"/w/{name}.py": text for name, text in files.items()}))
    assert lookup(ws, "V", importer) == expected


def test_circular_imports_are_followed_by_name() -> None:
    ws = workspace(a="from b import Y\nX = 1\nZ = Y + 1\n", b="from a import X, Z\nY = X + 1\nW = Z\n")
    assert lookup(ws, "Z", "a") == 3
    assert lookup(ws, "W", "b") == 3


def test_a_true_circle_is_unknown() -> None:
    ws = workspace(a="from b import Y\nX = Y\n", b="from a import X\nY = X\n")
    assert isinstance(lookup(ws, "X", "a"), Unknown)


def test_long_chains_of_names_do_not_recurse() -> None:
    lines = ["A0 = 1", *(f"A{n} = A{n - 1} + A{n - 1} - A{n - 1} + 1" for n in range(1, 3000))]
    assert lookup(workspace(m="\n".join(lines)), "A2999") == 3000


def test_calls_that_multiply_are_cut_off() -> None:
    lines = ["def f0():", "    return 1"]
    for n in range(1, 30):
        lines += [f"def f{n}():", f"    return f{n - 1}() + f{n - 1}()"]
    assert isinstance(lookup(workspace(m="\n".join([*lines, "V = f29()"])), "V"), Unknown)


def test_shared_lists_that_multiply_are_cut_off() -> None:
    lines = ["A0 = [1, 2]", *(f"A{n} = [A{n - 1}, A{n - 1}]" for n in range(1, 40)), "V = A39 == A38"]
    assert isinstance(lookup(workspace(m="\n".join(lines)), "V"), Unknown)


def test_a_broken_statement_spoils_its_own_name_only() -> None:
    ws = workspace(m="A = 1\nB = f(\nC = A + 1\nif x\n    D = 1\ndef k(:\n    pass\nE = 3\n")
    assert [lookup(ws, name) for name in "ACE"] == [1, 2, 3]
    assert isinstance(lookup(ws, "B"), Unknown)
    assert lookup(ws, "k") == FunctionRef("/w/m.py", "k")


def test_names_assigned_from_outside_of_their_module() -> None:
    ws = workspace(
        config=CONFIG + "    TP = 1\n    WIDTH = 8\n",
        worker="from config import TP, WIDTH\nROWS = TP * 4\nCOLUMNS = WIDTH * 4\n",
        m="""
            import config
            config.TP = 2
            config.CFG = config.replace(config.CFG, hidden=64)
            from config import TP, CFG
            from worker import ROWS, COLUMNS
            HEADS = CFG.heads
            HIDDEN = CFG.hidden
        """,
    )
    assert lookup(ws, "COLUMNS") == 32
    assert lookup(ws, "HEADS") == 8
    assert all(isinstance(lookup(ws, name), Unknown) for name in ("TP", "ROWS", "HIDDEN"))
    assert lookup(ws, "ROWS", "worker") == 4


def test_kernels_made_by_a_function() -> None:
    ws = workspace(
        m="""
            import pypto.language as pl
            WHICH = "a"
            def make(m):
                if WHICH == "a":
                    @pl.jit
                    def kernel(x): ...
                else:
                    @pl.jit
                    def kernel(y): ...
                return kernel
            K = make(4)
        """
    )
    made = lookup(ws, "K")
    assert made == FunctionRef("/w/m.py", "make.kernel", 3)
    assert isinstance(made, FunctionRef)
    unit = ws.unit_of(made)
    assert unit is not None
    assert unit.name == "make"


def test_definitions_and_bindings() -> None:
    ws = workspace(m="A = pl.MemRef(slots=2)\nB = 1\nB = 2\n")
    assert ws.definition("/w/m.py", "A") is not None
    assert ws.definition("/w/m.py", "B") is None
    binding = ws.binding("/w/m.py", "B")
    assert binding is not None
    assert binding.line == 2


def test_asserts_are_facts() -> None:
    ws = workspace(
        m="""
            N = mystery()
            T = 16
            assert N % T == 0, "why"
            assert not N % 24
            assert 0 < N <= 4096 and N >= 32
            assert M == N
            assert M != 3
        """
    )
    facts = facts_of_asserts(ws.asserts("/w/m.py"), lambda node: ws.evaluate("/w/m.py", node))
    assert facts == {"N": NameFacts(48, 32, 4096), "M": NameFacts(equals=frozenset({"N"}))} | {
        "N": NameFacts(48, 32, 4096, frozenset({"M"}))
    }


def test_a_file_that_is_not_there() -> None:
    ws = workspace(m="x = 1\n")
    assert ws.source("/w/other.py") is None
    assert isinstance(ws.lookup("/w/other.py", "x"), Unknown)
