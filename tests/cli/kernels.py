"""Small kernels for tests of the command line."""

from __future__ import annotations

from pto_analysis.rules.example import incore

CLEAN = incore("""\
    t = pl.load(x, [0, 0], [64, 64])
    y = pl.store(pl.exp(t), [0, 0], y)
    return y
""")

WARNING = incore("""\
    t = pl.load(x, [0, 0], [64, 64])
    y = pl.store(pl.expp(t), [0, 0], y)
    return y
""")

ERROR = incore("""\
    t = pl.load(x, [0, 0], [64, 64])
    y = pl.store(pl.exp(tt), [0, 0], y)
    return y
""")

FIXABLE = incore("""\
    t = pl.load(x, [0, 0], [64, 64])  # pto: ignore[PTO201]
    y = pl.store(pl.exp(t), [0, 0], y)
    return y
""")

BROKEN = incore("""\
    t = pl.load(x, [0, 0, [64, 64])
    y = pl.store(pl.exp(t), [0, 0], y)
    return y
""")

HINT = incore("""\
    t = pl.load(x, [0, 0], [64, 64])
    w = pl.tile.slice(t, [64, 8], [0, 6])
    y = pl.store(pl.mul(w, 3.0), [0, 0], y)
    return y
""")
"""One window 24 bytes into a row: the compiler copies it (PTO104)."""
