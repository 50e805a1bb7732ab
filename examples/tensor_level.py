"""PTO103 in a tensor-level kernel: the compiler lowers the region to tiles, and the same copy appears there."""

import pypto.language as pl


@pl.jit
def right_half(
    src: pl.Tensor[[12, 96], pl.FP32], gamma: pl.Tensor[[1, 48], pl.FP32], dst: pl.Out[pl.Tensor[[12, 48], pl.FP32]]
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="scale_half"):
        body = pl.add(src[0:12, :], 0.5)
        right = body[:, 48:96]  #! PTO103
        dst[:, :] = pl.col_expand_mul(right, gamma)
    return dst


@pl.jit
def straight_from_memory(
    src: pl.Tensor[[12, 96], pl.FP32], gamma: pl.Tensor[[1, 48], pl.FP32], dst: pl.Out[pl.Tensor[[12, 48], pl.FP32]]
):
    with pl.at(level=pl.Level.CORE_GROUP, name_hint="scale_half_directly"):
        right = pl.add(src[0:12, 48:96], 0.5)
        dst[:, :] = pl.col_expand_mul(right, gamma)
    return dst
