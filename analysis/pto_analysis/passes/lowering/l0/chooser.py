"""How the compiler chooses the tile of a matrix product: the one with the shortest estimated time.

Origin: hw-native-sys/pypto 2026-08-21, `l0_tile_chooser`. Every aligned tile (m, n, k) that fits is weighed under three
regimes, and the best of them wins. A regime says which operand stays in L0 while the other streams:

| regime | L0A, L0B for one tile | k      | loads of A              | loads of B              |
|--------|-----------------------|--------|-------------------------|-------------------------|
| output | half, half            | any    | whole, once a column    | whole, once a row       |
|        |                       | = K    | the cheaper of the two rows below |               |
| left   | full, half            | = K    | whole, once             | whole, once a row       |
| right  | half, full            | = K    | whole, once a column    | whole, once             |

time = max(loading, multiplying) + draining, compared as whole cycles. Equal times go to the smaller padded volume, then
to fewer blocks of K, to the shorter loading, to the larger m * n, to the larger k, to the smaller m and n. The regimes
"left" and "right" count only when "output" has to cut, and only when they are strictly faster.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import Literal, NamedTuple

from pto_analysis.frozen import frozen
from pto_analysis.ops.targets import FRACTAL
from pto_analysis.passes.lowering.l0.chips import Chip

Regime = Literal["output", "left", "right"]


@frozen
class Problem:
    """One product `[m, k] x [k, n]`. Extents and alignments in elements, `*_bytes` for one element.

    `box_*`: physical padding of a tile in L1; `max_n*`: limits of n by the bias table, 0 for none, for a tile, for one
    that is loaded in a pipelined loop, and for one in two of them.
    """

    m: int
    n: int
    k: int
    left_bytes: int
    right_bytes: int
    acc_bytes: int
    acc_rows: int = FRACTAL
    align_m: int = FRACTAL
    align_n: int = FRACTAL
    align_k: int = FRACTAL
    box_m: int = 1
    box_n: int = 1
    min_n: int = FRACTAL
    max_n: int = 0
    max_n_pipelined: int = 0
    max_n_nested: int = 0
    output_only: bool = False


@frozen
class Choice:
    """The tile. `holds_left`: with k == K, the left operand stays while the right one streams."""

    m: int
    n: int
    k: int
    regime: Regime
    holds_left: bool


class _Rank(NamedTuple):
    """The smaller one is the better tile."""

    cycles: int
    padded: int
    k_blocks: int
    loading: float
    small_area: int
    small_k: int


@lru_cache(maxsize=4096)
def choose(problem: Problem, chip: Chip) -> Choice | None:
    """The compiler's tile for a product; None when it refuses to choose (an extent below 16)."""
    if problem.m < problem.align_m or problem.n < problem.min_n or problem.k < problem.align_k:
        return None
    best = _best(problem, chip, "output")
    if best is None:
        return None
    rank, tile = best
    regime: Regime = "output"
    if tile != (problem.m, problem.n, problem.k) and not problem.output_only:
        others: tuple[Regime, Regime] = ("left", "right")
        for other in others:
            found = _best(problem, chip, other)
            if found is not None and found[0].cycles < rank.cycles:
                rank, tile, regime = found[0], found[1], other
    m, n, k = tile
    return Choice(m, n, k, regime, _holds_left(problem, chip, m, n))


def _best(problem: Problem, chip: Chip, regime: Regime) -> tuple[_Rank, tuple[int, int, int]] | None:
    left = chip.left // (problem.left_bytes * (1 if regime == "left" else 2))
    right = chip.right // (problem.right_bytes * (1 if regime == "right" else 2))
    best: tuple[_Rank, tuple[int, int, int]] | None = None
    for m, n in _areas(problem, chip):
        for k in _depths(problem, m, n, left, right, whole=regime != "output"):
            if not _bias_fits(problem, chip, m, n, k, regime):
                continue
            rank = _rank(problem, chip, regime, m, n, k)
            if best is None or rank < best[0]:
                best = rank, (m, n, k)
    return best


def _areas(problem: Problem, chip: Chip) -> Iterator[tuple[int, int]]:
    """Tiles of the result that fit L0C, narrow ones first."""
    capacity = chip.acc // problem.acc_bytes
    widest = min(problem.n, problem.max_n) if problem.max_n else problem.n
    for m in range(problem.align_m, problem.m + 1, problem.align_m):
        rows = _up(_up(m, problem.box_m), problem.acc_rows)
        for n in range(problem.min_n, min(widest, capacity // rows) + 1, problem.align_n):
            if rows * _up(n, problem.box_n) <= capacity:
                yield m, n


def _depths(problem: Problem, m: int, n: int, left: int, right: int, *, whole: bool) -> Iterator[int]:
    most = min(left // _up(m, problem.box_m), right // _up(n, problem.box_n), problem.k)
    if whole:
        if most == problem.k and problem.k % problem.align_k == 0:
            yield problem.k
        return
    for k in range(problem.align_k, most // problem.align_k * problem.align_k + 1, problem.align_k):
        if problem.k % problem.align_k == 0 or problem.k % k == 0:
            yield k


def _bias_fits(problem: Problem, chip: Chip, m: int, n: int, k: int, regime: Regime) -> bool:
    if k != problem.k or (m, n) == (problem.m, problem.n):
        return True
    if problem.max_n_pipelined and regime != "right" and n > problem.max_n_pipelined:
        return False
    nested = regime == "output" and bool(problem.max_n_nested) and _holds_left(problem, chip, m, n)
    return not nested or n <= problem.max_n_nested


def _rank(problem: Problem, chip: Chip, regime: Regime, m: int, n: int, k: int) -> _Rank:
    loading = _loading(problem, chip, regime, m, n, k)
    time = max(loading, float(_multiplying(problem, chip, m, n, k))) + _draining(problem, chip, m, n)
    padded = _up(problem.m, m) * _up(problem.n, n) * _up(problem.k, k)
    return _Rank(math.floor(time + 0.5), padded, -(-problem.k // k), loading, -m * n, -k)


def _multiplying(problem: Problem, chip: Chip, m: int, n: int, k: int) -> int:
    box = max(1, chip.product_box_bytes // problem.left_bytes)
    passes = chip.fp32_passes if problem.left_bytes == 4 else max(1, problem.left_bytes // 2)
    full, tail = divmod(problem.k, k)
    blocks = full + (tail > 0)
    depth = full * -(-k // box) + -(-tail // box)
    one = blocks * chip.product_head + passes * -(-m // problem.align_m) * depth * -(-n // problem.align_n)
    return -(-problem.m // m) * -(-problem.n // n) * one


def _streams(problem: Problem, chip: Chip, m: int, n: int) -> tuple[float, float, float]:
    """Cycles of holding the left operand, of holding the right one, and of holding neither."""
    columns, rows = -(-problem.n // n), -(-problem.m // m)
    left = problem.left_bytes * float(problem.m) * problem.k
    right = problem.right_bytes * float(problem.k) * problem.n
    hold_left = left / chip.rate_left + (right * rows) / chip.rate_right
    hold_right = (left * columns) / chip.rate_left + right / chip.rate_right
    neither = (left * columns) / chip.rate_left + (right * rows) / chip.rate_right
    return hold_left, hold_right, neither


def _holds_left(problem: Problem, chip: Chip, m: int, n: int) -> bool:
    hold_left, hold_right, _ = _streams(problem, chip, m, n)
    return hold_left <= hold_right


def _loading(problem: Problem, chip: Chip, regime: Regime, m: int, n: int, k: int) -> float:
    hold_left, hold_right, neither = _streams(problem, chip, m, n)
    if regime == "left":
        return hold_left
    if regime == "right":
        return hold_right
    return min(hold_left, hold_right) if k >= problem.k else neither


def _draining(problem: Problem, chip: Chip, m: int, n: int) -> float:
    boxes = -(-n // max(1, chip.drain_box_bytes // problem.acc_bytes))
    odd = boxes // (boxes & -boxes)
    row = max(chip.drain_row, problem.acc_bytes * n / chip.rate_drain) + chip.drain_odd * (odd - 1)
    return -(-problem.m // m) * -(-problem.n // n) * (chip.drain_fixed + m * row)


def _up(value: int, step: int) -> int:
    return -(-value // step) * step
