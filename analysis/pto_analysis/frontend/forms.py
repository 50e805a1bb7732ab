"""What the compiler's front end demands of loops and scopes beyond their keywords (DSL sections a.4, c.3 and i.1)."""

from __future__ import annotations

from collections.abc import Mapping

from pto_analysis.frontend.issues import IssueKind
from pto_analysis.frontend.names import last_name
from pto_analysis.frontend.reading import Reading
from pto_analysis.ir.dispatch import Level, SplitMode
from pto_analysis.ir.expr import Const
from pto_analysis.source import syntax
from pto_analysis.source.span import Origin

_OTHER_LEVELS = frozenset(Level) - {Level.CORE_GROUP}


def check_scope(reading: Reading, kind: str, call: syntax.Call, attrs: Mapping[str, object]) -> None:
    """The options of `with pl.at(…)` and `with pl.spmd(…)`."""
    origin = reading.origin(call)
    if kind == "at":
        if "level" not in attrs:
            _refuse(reading, "pl.at needs level=", origin)
        if attrs.get("level") is Level.CORE_GROUP and "role" in attrs:
            _refuse(reading, "pl.at takes no role at level CORE_GROUP", origin)
        if attrs.get("optimizations") and attrs.get("level") in _OTHER_LEVELS:
            _refuse(reading, "optimizations belong to level CORE_GROUP", origin)
    if kind == "spmd":
        check_core_count(reading, attrs.get("core_num"), origin)
    check_optimizations(reading, kind, call)


def check_core_count(reading: Reading, count: object, origin: Origin) -> None:
    value = count.value if isinstance(count, Const) else count
    if isinstance(value, (bool, float)):
        _refuse(reading, "the core count of pl.spmd is an integer", origin)
    elif isinstance(value, int) and value < 1:
        _refuse(reading, "the core count of pl.spmd is at least 1", origin)


def check_optimizations(reading: Reading, kind: str, call: syntax.Call) -> None:
    """`optimizations=[pl.split(…), pl.cross_core_slot(…)]`, each at most once."""
    node = next((argument.value for argument in call.args if argument.keyword == "optimizations"), None)
    if node is None:
        return
    if not isinstance(node, syntax.Sequence) or node.kind != "list":
        _refuse(reading, f"optimizations= of pl.{kind} is a list literal", reading.origin(node))
        return
    seen: set[str] = set()
    for item in node.items:
        name = last_name(item.func) if isinstance(item, syntax.Call) else ""
        if name not in ("split", "cross_core_slot"):
            _refuse(reading, "an entry of optimizations= is pl.split(…) or pl.cross_core_slot(…)", reading.origin(item))
        elif name in seen:
            _refuse(reading, f"pl.{name} stands twice in optimizations=", reading.origin(item))
        seen.add(name)


def check_lanes(reading: Reading, bounds: object, attrs: Mapping[str, object], origin: Origin) -> None:
    """`pl.split_aiv(2, mode=…)`, not inside another."""
    if isinstance(bounds, Const) and bounds.value != 2:
        _refuse(reading, "pl.split_aiv is over 2 lanes", origin)
    if not isinstance(attrs.get("mode"), SplitMode):
        _refuse(reading, "pl.split_aiv needs mode=pl.SplitMode.…", origin)
    if "split_aiv" in reading.loops:
        _refuse(reading, "pl.split_aiv loops do not nest", origin)


def is_core_scope(kind: str, attrs: Mapping[str, object]) -> bool:
    """Whether a `with` block is InCore code of its own."""
    return kind == "at" and attrs.get("level") is Level.CORE_GROUP


def check_nesting(reading: Reading, origin: Origin) -> None:
    """An InCore scope does not stand in another."""
    if reading.core_scopes:
        _refuse(reading, "an InCore scope stands inside another", origin)


def _refuse(reading: Reading, message: str, origin: Origin) -> None:
    reading.refuse(IssueKind.LOOP_FORM, message, origin)
