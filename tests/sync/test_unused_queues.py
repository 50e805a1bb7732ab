"""A queue whose only operations stand where no run comes orders nothing, whatever the stock plan does with it."""

from __future__ import annotations

from pto_analysis.sync.checker import Rules
from pto_analysis.sync.verify import verify
from tests.sync.runs import precise, program

STORED_ON_NO_PATH = """\
!ring = !pto.multi_tile_buf<mat, 16x16xf16, blayout=col_major, slayout=row_major, count=4>
!m = !pto.tile_buf<mat, 16x16xf16, blayout=col_major, slayout=row_major>
!l = !pto.tile_buf<left, 16x16xf16, blayout=col_major, slayout=row_major>
!r = !pto.tile_buf<right, 16x16xf16, slayout=col_major>
!a = !pto.tile_buf<acc, 16x16xf32, blayout=col_major, slayout=row_major, fractal=1024>
!gm = !pto.partition_tensor_view<16x16xf16>
module attributes {pto.target_arch = "a5"} {
  func.func @kernel(%g0: !gm, %g1: !gm, %n: index, %m: index, %i: index, %c: i1)
      attributes {pto.kernel_kind = #pto.kernel_kind<cube>} {
    %zero = arith.constant 0 : index
    %v1 = arith.constant 512 : i64
    %v2 = pto.alloc_tile addr = %v1 : !m
    %v3 = pto.alloc_multi_tile : !ring
    %v4 = arith.constant 0 : i64
    %l0 = pto.alloc_tile addr = %v4 : !l
    %v5 = arith.constant 256 : i64
    %l1 = pto.alloc_tile addr = %v5 : !l
    %v6 = arith.constant 256 : i64
    %r0 = pto.alloc_tile addr = %v6 : !r
    %v7 = arith.constant 256 : i64
    %r1 = pto.alloc_tile addr = %v7 : !r
    %v8 = arith.constant 1536 : i64
    %a0 = pto.alloc_tile addr = %v8 : !a
    scf.if %c {
      pto.tload ins(%g0 : !gm) outs(%v2 : !m)
    } else {
      pto.tmatmul.acc ins(%a0, %l1, %r1 : !a, !l, !r) outs(%a0 : !a)
      %v11 = arith.constant 0 : index
      %v12 = arith.constant 1 : index
      %v17 = scf.while (%v13 = %v11) : (index) -> index {
        %v19 = arith.constant 0 : index
        %v20 = arith.constant 1 : index
        scf.for %v18 = %v19 to %n step %v20 {
          pto.tmatmul ins(%l0, %r1 : !l, !r) outs(%a0 : !a)
          %v21 = arith.constant 0 : index
          %v22 = pto.multi_tile_get %v3[%v21] : !ring -> !m
          pto.tload ins(%g0 : !gm) outs(%v22 : !m)
          pto.tmov ins(%v2 : !m) outs(%l1 : !l)
          pto.tload ins(%g0 : !gm) outs(%v2 : !m)
          %v23 = arith.constant 0 : index
          %v24 = pto.multi_tile_get %v3[%v23] : !ring -> !m
          pto.tmov ins(%v24 : !m) outs(%l0 : !l)
        }
        scf.if %c {
          pto.tmov ins(%v2 : !m) outs(%l0 : !l)
          pto.tstore ins(%a0 : !a) outs(%g0 : !gm)
        } else {
          pto.textract ins(%v2, %zero, %zero : !m, index, index) outs(%r1 : !r)
        }
        %v14 = arith.cmpi ult, %v13, %m : index
        scf.condition(%v14) %v13 : index
      } do {
      ^bb0(%v15 : index):
        %v16 = arith.addi %v15, %v12 : index
        scf.yield %v16 : index
      }
    }
    return
  }
}
"""
"""The store stands in an `if %c` that only runs without `%c` come to."""


def test_flags_of_a_queue_without_operations_are_not_relied_on() -> None:
    code = program(STORED_ON_NO_PATH)
    plan = precise(STORED_ON_NO_PATH)
    outcome = verify(code, plan, Rules(code.target))
    assert outcome.failure is None, "\n".join(outcome.failure.schedule)
    assert "FIX" not in {pipe.value for pair in plan.pairs for pipe in (pair.source, pair.target)}
