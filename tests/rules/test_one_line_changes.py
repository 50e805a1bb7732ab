"""Rules speak up when one line of a good kernel changes.

The same changes were tried on public kernels, where there is one of the kind.
"""

from __future__ import annotations

from datetime import date

import pytest

from pto_analysis.findings import Finding, Severity
from pto_analysis.report import CheckOptions
from pto_analysis.rules.registry import all_rules
from pto_analysis.rules.selection import Selection, resolve
from pto_analysis.toolchain import Toolchain
from tests.rules.changed_kernels import KERNELS
from tests.support.checking import check_text

NOW, A5 = Toolchain(), Toolchain(target="a5")
AUGUST, JUNE = (Toolchain(pypto=each) for each in (date(2026, 8, 21), date(2026, 6, 30)))
NAMES = {NOW: "newest", A5: "a5", AUGUST: "august", JUNE: "june"}

PART = "part = pl.load(x, [0, 64], [16, 64])"
STRIP = "strip = pl.tile.slice(table, [16, 8], [0, c // 8 * 8])"
FILLED = "filled = pl.fillpad(live, pad_value=pl.PadValue.min)"
REST = "pto.tfmod ins(%a, %b : !tile, !tile) outs(%c : !tile)"

CHANGES = [
    ("PTO303", "rows", "rows = x[r : r + STEP, :]", "rows = x[r + 8 : r + 8 + STEP, :]", NOW),
    ("PTO309", "rows", "mean = pl.mul(pl.row_sum(rows), 1.0 / WIDE)", "mean = pl.row_sum(row)", NOW),
    ("PTO301", "rows", "mean = pl.mul(pl.row_sum(rows), 1.0 / WIDE)", "mean = pl.row_sum(rows, rows, rows)", NOW),
    ("PTO320", "rows", "factor = pl.read(scale, [0])", "factor = pl.read(scale, [1])", NOW),
    ("PTO316", "rows", "mean = pl.mul(pl.row_sum(rows), 1.0 / WIDE)", "mean = x[r : r + STEP, 3:4]", NOW),
    ("PTO401", "rows", "STEP = 32", "STEP = 256", NOW),
    ("PTO601", "rows", "y[r : r + STEP, :] = centred", "y = pl.mul(rows, factor)", NOW),
    (
        "PTO605",
        "rows",
        "y: pl.Out[pl.Tensor[[ROWS, WIDE], pl.FP32]],",
        "y: pl.Tensor[[ROWS, WIDE], pl.FP32],",
        NOW,
    ),
    ("PTO602", "product", "BLOCK = 64", "BLOCK = 96", NOW),
    ("PTO313", "product", "BLOCK = 64", "BLOCK = 8", NOW),
    ("PTO314", "product", "M = 64", "M = 24", AUGUST),
    ("PTO402", "open", "WIDE = 128", "WIDE = 256", NOW),
    (
        "PTO403",
        "projection",
        "for n in pl.range(0, DEPTH, BLOCK):",
        "for n in pl.pipeline(0, DEPTH, BLOCK, stage=2):",
        NOW,
    ),
    ("PTO404", "product", "M = 64", "M = 320", JUNE),
    ("PTO310", "tiles", "y: pl.Out[pl.Tensor[[32, 32], pl.FP32]],", "y: pl.Out[pl.Tensor[[32, 32], pl.INT8]],", NOW),
    (
        "PTO318",
        "tiles",
        "left = pl.tile.extract(am, 0, 0, [32, 64], target_memory=pl.Mem.Left)",
        "left = pl.move(pl.move(am, target_memory=pl.Mem.Mat), target_memory=pl.Mem.Left)",
        NOW,
    ),
    (
        "PTO201",
        "tiles",
        "acc = pl.tile.create([32, 32], pl.FP32, target_memory=pl.Mem.Acc)",
        "acc = pl.tile.slice(pl.tile.create([64, 32], pl.FP32, target_memory=pl.Mem.Acc), [32, 32], [32, 0])",
        NOW,
    ),
    ("PTO312", "tiles", "for i in pl.range(2):", "for i in pl.parallel(2):", NOW),
    ("PTO315", "tiles", "t = pl.load(x, [0, 0], [32, 64])", "t = pl.load(x, [0, 0], [32, 60])", NOW),
    ("PTO317", "tiles", "u = pl.exp(t)", "u = pl.tile.slice(t, [32, 64], [0, 0])", NOW),
    ("PTO603", "tasks", "blocks = (n + 15) // 16", "blocks = pl.max(n, 16) // 16", NOW),
    ("PTO604", "tasks", "buf[:] = pl.mul(buf, 0.0)", "spare = pl.mul(buf, 0.0)", NOW),
    # The other rules.
    ("PTO001", "rows", "factor = pl.read(scale, [0])", "factor = pl.read(scale, [0)", NOW),
    ("PTO002", "rows", "factor = pl.read(scale, [0])", "factor = pl.read(scale, [0])  # pto: ignore[PTO104]", NOW),
    ("PTO003", "rows", "factor = pl.read(scale, [0])", "factor = pl.raed(scale, [0])", NOW),
    ("PTO004", "rows", "factor = pl.read(scale, [0])", "factor += pl.read(scale, [0])", NOW),
    (
        "PTO101",
        "tiles",
        "left = pl.tile.extract(am, 0, 0, [32, 64], target_memory=pl.Mem.Left)",
        "left = pl.tile.extract(pl.tile.slice(am, [32, 64], [0, 0]), 0, 0, [32, 64], target_memory=pl.Mem.Left)",
        NOW,
    ),
    ("PTO102", "columns", PART, "part = pl.tile.slice(table, [1, 64], [n, 0])", NOW),
    (
        "PTO103",
        "columns",
        PART,
        "part = pl.tile.slice(table, [16, 64], [0, 64])",
        NOW,
    ),
    (
        "PTO104",
        "columns",
        STRIP,
        "strip = pl.tile.slice(table, [16, 8], [0, 6])",
        NOW,
    ),
    (
        "PTO105",
        "columns",
        PART,
        "part = pl.tile.slice(table, [16, 64], [n, 64], valid_shape=[16, n])",
        NOW,
    ),
    (
        "PTO106",
        "tiles",
        "left = pl.tile.extract(am, 0, 0, [32, 64], target_memory=pl.Mem.Left)",
        "left = pl.move(pl.tile.slice(am, [32, 64], [0, 0]), target_memory=pl.Mem.Left)",
        NOW,
    ),
    (
        "PTO107",
        "columns",
        STRIP,
        "strip = pl.tile.slice(table, [16, 8], [0, c])",
        NOW,
    ),
    (
        "PTO202",
        "split_k",
        "acc = pl.tile.matmul_acc(acc, left, right, init_cond=(k == 0))",
        "acc = pl.tile.matmul_acc(acc, left, right); "
        "acc = pl.tile.slice(pl.tile.create([64, 64], pl.FP32, target_memory=pl.Mem.Acc), [32, 64], [32, 0])",
        NOW,
    ),
    ("PTO302", "tiles", "u = pl.exp(t)", "u = pl.add(t, pl.load(x, [0, 0], [16, 64]))", NOW),
    ("PTO304", "tiles", "u = pl.exp(t)", "u = t[i : i + 32, :]", NOW),
    ("PTO305", "tiles", "if i > 1:", "if i:", NOW),
    ("PTO306", "tiles", "u = pl.exp(t)", "u: pl.Tile[[32, 64], pl.FP16] = pl.exp(t)", NOW),
    ("PTO307", "tiles", "u = pl.exp(t)", "t = pl.load(x, [0, 0], [16, 64])", NOW),
    ("PTO308", "tiles", "for i in pl.range(2):", "for i in pl.pipeline(2):", NOW),
    ("PTO311", "atomic", "pl.store(rows, [0, 0], y)", "pl.store(rows, [0, 0], y, atomic=pl.AtomicType.Add)", A5),
    ("PTO319", "scaled", "product = pl.matmul(left, right)", "product = pl.matmul_mx(left, ls, right, rs)", NOW),
    ("PTO321", "product", "BLOCK = 64", "BLOCK = 64; assert K % BLOCK == 1", NOW),
    ("PTO322", "tiles", "u = pl.exp(t)", "if i > 0: u = pl.exp(t)", NOW),
    ("PTO323", "tasks", "left = pl.min(16, n - i * 16)", "left = pl.min(16, n - i * 16); spare = pl.exp(buf)", NOW),
    (
        "PTO324",
        "columns",
        "scratch = pl.create_tile([16, 64], dtype=pl.FP32, target_memory=pl.Mem.Vec)",
        "scratch = pl.create_tile([16, 128], dtype=pl.FP32, target_memory=pl.Mem.Vec)",
        NOW,
    ),
    ("PTO325", "tiles", "if i > 1:", "k: pl.Scalar[pl.INT32] = i * 2", NOW),
    (
        "PTO326",
        "tiles",
        "right = pl.move(bm, target_memory=pl.Mem.Right)",
        "right = pl.tile.slice(pl.tile.create([64, 64], pl.FP16, target_memory=pl.Mem.Right), [64, 32], [0, 32])",
        NOW,
    ),
    ("PTO405", "remainders", "%c4096 = arith.constant 4096 : i64", "%c4096 = arith.constant 4104 : i64", NOW),
    (
        "PTO420",
        "tiles",
        "acc = pl.tile.create([32, 32], pl.FP32, target_memory=pl.Mem.Acc)",
        "acc = pl.tile.slice(pl.tile.create([32, 64], pl.FP32, target_memory=pl.Mem.Acc), [32, 32], [0, 8])",
        NOW,
    ),
    (
        "PTO501",
        "pairs",
        "later: pl.Tile[[8, 64], pl.FP32, pl.Mem.Vec] =",
        'later: pl.Tile[[8, 64], pl.FP32, pl.MemRef("r", slots=2)[(i + 1) % 2], pl.Mem.Vec] =',
        NOW,
    ),
    ("PTO502", "rings", 'pl.MemRef("v", slots=2)[i % 2]', 'pl.MemRef("v", slots=3)[i % 3]', NOW),
    ("PTO503", "flags", "e = pl.exp(t)", "e = pl.exp(t); f = pl.load(x, [0, 0], [64, 64]); e = pl.add(e, f)", NOW),
    ("PTO504", "launch", 'pl.system.syncall(core_type="aiv_only")', "pl.system.syncall()", NOW),
    ("PTO606", "launch", "y = self.part(x, y)", "first = self.part(x, y)", NOW),
    (
        "PTO607",
        "columns",
        FILLED,
        "filled = pl.fillpad(scores, pad_value=pl.PadValue.min)",
        NOW,
    ),
    (
        "PTO608",
        "remainders",
        REST,
        "pto.tfmod ins(%a, %b : !tile, !tile) outs(%a : !tile)",
        NOW,
    ),
]


def findings(text: str, code: str, toolchain: Toolchain = NOW) -> list[Finding]:
    path = "/project/example.py" if "import pypto" in text else "/project/example.pto"
    options = CheckOptions(toolchain)
    return list(check_text(text, options, resolve(Selection(extend_select=(code,))), path=path).findings)


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("toolchain", NAMES, ids=NAMES.values())
def test_the_kernels_are_good(name: str, toolchain: Toolchain) -> None:
    heard = findings(KERNELS[name], "PTO001", toolchain)
    assert [each for each in heard if each.severity in (Severity.ERROR, Severity.WARNING)] == []


@pytest.mark.parametrize(("code", "name", "line", "changed", "toolchain"), CHANGES)
def test_a_rule_sees_the_changed_line(code: str, name: str, line: str, changed: str, toolchain: Toolchain) -> None:
    text = KERNELS[name]
    assert text.count(line) == 1
    assert code in {each.code for each in findings(text.replace(line, changed), code, toolchain)}
    assert code not in {each.code for each in findings(text, code, toolchain)}


def test_every_rule_is_here() -> None:
    assert {change[0] for change in CHANGES} == set(all_rules())
