"""Which runs `--verify` looks at: also those in which counters come to the end of their register."""

from __future__ import annotations

import pytest
from attrs import evolve

from pto_analysis.sync.policies import plan_precise
from pto_analysis.sync.program import SyncProgram
from pto_analysis.sync.verify import Verification, verify
from tests.sync.runs import program

KERNEL = """
!t = !pto.tile_buf<vec, 1x64xf32>
!ring = !pto.multi_tile_buf<vec, 1x64xf32, count=3>
!g = !pto.partition_tensor_view<1x64xf32>
module {
  func.func @k(%g: !g, %o: !g, %first: index, %last: index) attributes {pto.kernel_kind = #pto.kernel_kind<vector>} {
    %one = arith.constant 1 : index
    %three = arith.constant 3 : index
    %ring = pto.alloc_multi_tile : !ring
LOOP
      %now = arith.remui %i, %three : index
      %following = arith.addi %i, %one : index
      %next = arith.remui %following, %three : index
      %a = pto.multi_tile_get %ring[%now] : !ring -> !t
      %b = pto.multi_tile_get %ring[%next] : !ring -> !t
      pto.tload ins(%g : !g) outs(%a : !t)
      pto.tabs ins(%b : !t) outs(%b : !t)
      pto.barrier <PIPE_ALL>
END
    return
  }
}
"""
COUNTED = ("    scf.for %i = %first to %last step %one {", "    }")


def kernel() -> SyncProgram:
    head, end = COUNTED
    return program(KERNEL.replace("LOOP", head).replace("END", end))


def from_zero(code: SyncProgram) -> SyncProgram:
    """The kernel for arguments that are small and not negative."""
    return evolve(code, arguments=tuple(evolve(one, lower=0, upper=1 << 16) for one in code.arguments))


def outcome(code: SyncProgram, planned: SyncProgram) -> Verification:
    return verify(code, plan_precise(planned))


def test_a_counter_that_wraps_is_tried() -> None:
    """The slots of -1 and 0 are the same: 2**64 - 1 is a multiple of three."""
    code = kernel()
    assert outcome(code, code).ok
    assert outcome(from_zero(code), from_zero(code)).ok
    failed = outcome(code, from_zero(code)).failure
    assert failed is not None
    assert failed.fault.kind == "race"
    assert failed.run.arguments["first"] > 1 << 63


@pytest.mark.parametrize("runs", [20, 400])
def test_large_bounds_cost_few_items(runs: int) -> None:
    """A loop from zero to nearly 2**63 is cut short, and that alone is no fault."""
    text = KERNEL.replace("LOOP", COUNTED[0].replace("%first", "%zero")).replace("END", COUNTED[1])
    code = program(text.replace("    %one =", "    %zero = arith.constant 0 : index\n    %one =", 1))
    found = verify(code, plan_precise(code), runs=runs)
    assert found.ok
    assert found.skipped == 0
