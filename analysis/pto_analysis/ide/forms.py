"""Loops, scopes and decorators of the DSL: what they take, for completion, signature help and hover.

Their signatures are written as those of operations are (`pto_analysis.ops.signature`).
"""

from __future__ import annotations

from collections.abc import Mapping

from pto_analysis.frontend.enums import members
from pto_analysis.frozen import frozen
from pto_analysis.ops.docs import parameter_label
from pto_analysis.ops.signature import Param, parameters

_LAUNCH = (
    "sync_start: @bool? = False, name_hint: @str?, optimizations: @options?, deps: @tasks?, "
    "allow_early_resolve: @bool? = False"
)
_BOUNDS = "start: index = 0, stop: index, step: index = 1"


@frozen
class Form:
    """`signature` in the language of the op table; `doc` is one sentence."""

    signature: str
    doc: str

    @property
    def parameters(self) -> tuple[Param, ...]:
        return parameters(self.signature)


FORMS: Mapping[str, Form] = {
    "range": Form(f"{_BOUNDS}, *, init_values: @values?, attrs: @dict?", "A loop whose rounds follow one another."),
    "parallel": Form(
        f"{_BOUNDS}, *, init_values: @values?, attrs: @dict?",
        "A loop whose rounds share nothing but what it carries.",
    ),
    "unroll": Form(f"{_BOUNDS}, *, attrs: @dict?", "A loop with constant bounds, written out round by round."),
    "pipeline": Form(
        f"{_BOUNDS}, *, stage: @int, init_values: @values?, attrs: @dict?",
        "A loop of which up to `stage` rounds are under way at once, each with buffers of its own.",
    ),
    "while_": Form(
        "*, init_values: @values", "A loop that goes on while the `pl.cond(…)` at the head of its body holds."
    ),
    "spmd": Form(f"core_num: index, *, {_LAUNCH}, predicate: @predicate?", "The body runs once on each of the cores."),
    "split_aiv": Form("lanes: index, *, mode: @split_mode", "The body runs on both vector lanes of a core."),
    "at": Form(
        "level: @level, *, role: @role?, optimizations: @options?, deps: @tasks?, no_dep_args: @values?, "
        "dumps: @values?, allow_early_resolve: @bool? = False, name_hint: @str?, windowize: @bool? = False",
        "The body runs at a level of the machine; at CORE_GROUP it becomes an InCore function of its own.",
    ),
    "cluster": Form("*, name_hint: @str?", "Cube and vector work of the body belongs together."),
    "scope": Form("*, mode: @scope_mode", "Who finds the dependences between the tasks of the body."),
    "manual_scope": Form("", "The author declares the dependences between the tasks of the body."),
    "split": Form("mode: @split_mode, slot_num: @int?", "How the vector lanes share the tiles of a scope."),
    "cross_core_slot": Form("slot_num: @int", "Slots of the ring between the cube and the vector core."),
    "function": Form(
        "*, type: @function_type? = Opaque, level: @level?, role: @role?, attrs: @dict?, auto_scope: @bool? = True, "
        "strict_ssa: @bool? = False, external_source: @str?",
        "A function of a program.",
    ),
    "program": Form("*, strict_ssa: @bool? = False", "A class whose functions make one program."),
    "jit": Form("*, auto_scope: @bool? = True", "A function that is compiled for the tensors it is called with."),
    "jit.host": Form("", "The program on the host that calls jit functions."),
    "jit.incore": Form("*, level: @level?", "A kernel that jit functions call."),
    "jit.inline": Form("*, auto_scope: @bool? = True", "A function that becomes part of whoever calls it."),
    "jit.opaque": Form("", "A function whose scopes become kernels."),
    "jit.extern": Form(
        "*, core_type: @str, source: @str?, aic_source: @str?, aiv_source: @str?, dual_aiv_dispatch: @bool? = False, "
        "include_dirs: @values?",
        "A kernel written in C++.",
    ),
    "cond": Form("condition: predicate", "The condition of a `pl.while_` loop, at the head of its body."),
    "const": Form("value: number, dtype: @dtype", "A number of a given dtype."),
    "dynamic": Form("name: @str", "An extent that only run time knows."),
    "static_assert": Form("condition: predicate, message: @str?", "Checked when the kernel is read."),
    "static_print": Form("values...: value", "Printed when the kernel is read."),
    "yield_": Form("values...: value", "What a round or branch hands on, last in its block."),
}

_FAMILIES = {
    "space": "Mem",
    "layout": "TileLayout",
    "tensor_layout": "TensorLayout",
    "pad": "PadValue",
    "atomic": "AtomicType",
    "level": "Level",
    "role": "Role",
    "split_mode": "SplitMode",
    "scope_mode": "ScopeMode",
    "function_type": "FunctionType",
}


def values_of(param: Param) -> tuple[str, ...]:
    """What a parameter may be, without the module: `Level.CORE_GROUP`, `FP32`. Empty where it is no enum or dtype."""
    if param.base_kind == "dtype":
        return members("")
    family = _FAMILIES.get(param.base_kind)
    return tuple(f"{family}.{member}" for member in members(family)) if family is not None else ()


def form_label(spelling: str) -> str:
    """`pl.at(level: pl.Level, *, …)`"""
    parts: list[str] = []
    for param in FORMS[spelling].parameters:
        if param.passing == "keyword" and "*" not in parts:
            parts.append("*")
        parts.append(form_parameter_label(param))
    return f"pl.{spelling}({', '.join(parts)})"


def form_parameter_label(param: Param) -> str:
    family = _FAMILIES.get(param.base_kind)
    if family is None:
        star = "*" if param.passing == "rest" else ""
        return star + parameter_label(param)
    default = f" = pl.{family}.{param.default}" if param.default is not None else ""
    return f"{param.name}: pl.{family}{default}"
