"""Numbers of the two chips that decide how a matrix product is cut.

Origin: hw-native-sys/pypto 2026-08-21, `backend_handler.h` (cost model of A2/A3, measured on a device) and
`backend_950_handler.h` (A5, fitted to its simulator).
"""

from __future__ import annotations

from collections.abc import Mapping

from pto_analysis.frozen import frozen
from pto_analysis.ir.dtypes import INT32, DType
from pto_analysis.ir.types import Space
from pto_analysis.ops.targets import A2A3, A5, FRACTAL, Target
from pto_analysis.toolchain import Target as TargetName


@frozen(eq=False)
class Chip:
    """Capacities in bytes; rates in bytes a cycle; times in cycles. There is one object of each chip.

    * `rate_left`, `rate_right`: L1 to L0A and L0B. `rate_drain`: out of L0C.
    * `drain_fixed`: each drained tile; `drain_row`: least time of one of its rows; `drain_odd`: extra time of a row for
      every pass beyond the first that an odd number of column boxes costs.
    * `product_head`: start of one product; `fp32_passes`: passes over an FP32 operand for one of a 2-byte one.
    * `low_precision_scratch`: a product kept in L1 must be BF16 or FP16.
    """

    target: Target
    rate_left: float
    rate_right: float
    rate_drain: float
    drain_fixed: float
    drain_row: float
    drain_odd: float
    product_head: int
    fp32_passes: int
    int32_acc_rows: int
    low_precision_scratch: bool
    drain_box_bytes: int = 32
    product_box_bytes: int = 32

    @property
    def left(self) -> int:
        return self.target.capacities[Space.LEFT]

    @property
    def right(self) -> int:
        return self.target.capacities[Space.RIGHT]

    @property
    def acc(self) -> int:
        return self.target.capacities[Space.ACC]

    @property
    def bias(self) -> int:
        return self.target.capacities[Space.BIAS]

    @property
    def mat(self) -> int:
        return self.target.capacities[Space.MAT]

    def acc_row_alignment(self, dtype: DType) -> int:
        return self.int32_acc_rows if dtype == INT32 else FRACTAL


CHIPS: Mapping[TargetName, Chip] = {
    "a2a3": Chip(
        A2A3,
        rate_left=129.7, rate_right=85.4, rate_drain=118.0,
        drain_fixed=164.0, drain_row=4.45, drain_odd=2.6,
        product_head=21, fp32_passes=2, int32_acc_rows=32, low_precision_scratch=True,
    ),
    "a5": Chip(
        A5,
        rate_left=206.3, rate_right=223.8, rate_drain=30.0,
        drain_fixed=343.4, drain_row=4.59, drain_odd=0.26,
        product_head=25, fp32_passes=8, int32_acc_rows=16, low_precision_scratch=False,
    ),
}  # fmt: skip
