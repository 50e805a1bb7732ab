"""Spellings whose op depends on which arguments are given, not on their kinds: mrgsort, gather, scatter."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pto_analysis.frozen import frozen
from pto_analysis.ops.deduction.site import refuse

Choice = tuple[str, dict[str, object]]


@frozen
class Form:
    """`params` is the signature of the spelling, `ops` the ops it may mean; `choose` gives the op and its arguments."""

    params: str
    ops: tuple[str, ...]
    choose: Callable[[Mapping[str, object]], Choice]


def _given(values: Mapping[str, object], *names: str) -> dict[str, object]:
    return {name: values[name] for name in names if values.get(name) is not None}


def _merge(level: str, *, scratch: bool) -> Callable[[Mapping[str, object]], Choice]:
    """One list with block_len, or two to four lists; tiles also take a scratch tile, last."""

    def choose(values: Mapping[str, object]) -> Choice:
        lists = _given(values, "src1", "src2", "src3")
        if values.get("block_len") is not None:
            if lists or values.get("tmp") is not None:
                refuse("arity", f"pl.{level}.mrgsort takes block_len or more lists, not both", keyword="block_len")
            return f"{level}.mrgsort_format1", {"src": values["src0"], "block_len": values["block_len"]}
        if "src1" not in lists:
            refuse("arity", f"pl.{level}.mrgsort needs block_len, or at least two lists", keyword="src1")
        if "src3" in lists and "src2" not in lists:
            refuse("arity", f"pl.{level}.mrgsort needs src2 before src3", keyword="src2")
        if scratch and values.get("tmp") is None:
            refuse("arity", f"pl.{level}.mrgsort needs a scratch tile 'tmp'", keyword="tmp")
        sources = [values["src0"], *lists.values(), *([values["tmp"]] if scratch else [])]
        return f"{level}.mrgsort_format2", {"sources": tuple(sources), **_given(values, "exhausted")}

    return choose


def _gather(values: Mapping[str, object]) -> Choice:
    """By index, by mask pattern, or by comparison."""
    by_index = _given(values, "dim", "index")
    if values.get("mask_pattern") is not None:
        if by_index or values.get("kvalue") is not None:
            refuse("arity", "pl.gather takes an index, a mask_pattern or a kvalue, one of them", keyword="mask_pattern")
        return "tensor.gather_mask", _given(values, "input", "mask_pattern", "output_dtype")
    if values.get("kvalue") is not None:
        if by_index:
            refuse("arity", "pl.gather takes an index, a mask_pattern or a kvalue, one of them", keyword="kvalue")
        return "tensor.gather_compare", _given(
            values, "input", "kvalue", "cmp_mode", "offset", "out_cols", "count_dtype"
        )
    if len(by_index) < 2:
        refuse("arity", "pl.gather needs dim and index, or mask_pattern, or kvalue", keyword="index")
    return "tensor.gather", _given(values, "input", "dim", "index")


def _scatter(values: Mapping[str, object]) -> Choice:
    """By index, or by mask pattern into `dst`."""
    by_index = _given(values, "dim", "index", "src")
    if values.get("mask_pattern") is not None or values.get("dst") is not None:
        if by_index or len(_given(values, "mask_pattern", "dst")) < 2:
            refuse("arity", "pl.scatter takes dim, index and src, or mask_pattern and dst", keyword="mask_pattern")
        return "tensor.scatter_mask", _given(values, "input", "dst", "mask_pattern")
    if len(by_index) < 3:
        refuse("arity", "pl.scatter needs dim, index and src, or mask_pattern and dst", keyword="index")
    return "tensor.scatter", _given(values, "input", "dim", "index", "src")


_LISTS = "src0, src1 = None, src2 = None, src3 = None"

FORMS: dict[str, Form] = {
    "tile.mrgsort": Form(
        f"{_LISTS}, tmp = None, exhausted = False, *, block_len = None",
        ("tile.mrgsort_format1", "tile.mrgsort_format2"),
        _merge("tile", scratch=True),
    ),
    "tensor.mrgsort": Form(
        f"{_LISTS}, *, exhausted = False, block_len = None",
        ("tensor.mrgsort_format1", "tensor.mrgsort_format2"),
        _merge("tensor", scratch=False),
    ),
    "tensor.gather": Form(
        "input, dim = None, index = None, *, mask_pattern = None, output_dtype = None, kvalue = None, "
        "cmp_mode = None, out_cols = None, offset = 0, count_dtype = None",
        ("tensor.gather", "tensor.gather_mask", "tensor.gather_compare"),
        _gather,
    ),
    "tensor.scatter": Form(
        "input, dim = None, index = None, src = None, *, mask_pattern = None, dst = None",
        ("tensor.scatter", "tensor.scatter_mask"),
        _scatter,
    ),
}
"""By qualified spelling. `tensor.gather` as a spelling is not the op of that name."""
