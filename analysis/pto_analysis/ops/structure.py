"""Loops, scopes, decorators and other forms of the DSL that are no operations: what they take.

Their signatures are written as those of operations are (`pto_analysis.ops.signature`).
"""

from __future__ import annotations

from collections.abc import Mapping

from pto_analysis.frozen import frozen
from pto_analysis.ops.signature import Param, parameters

_LAUNCH = (
    "sync_start: @bool? = False, name_hint: @str?, optimizations: @options?, deps: @tasks?, "
    "allow_early_resolve: @bool? = False"
)
_BOUNDS = "start: index = 0, stop: index, step: index = 1"


@frozen
class Form:
    """`signature` in the language of the op table; `doc` is one sentence. `usage` shows it in place, where that helps.

    What loops and scopes take as options are the parameters that are attributes.
    """

    signature: str
    doc: str
    usage: str = ""

    @property
    def parameters(self) -> tuple[Param, ...]:
        return parameters(self.signature)


FORMS: Mapping[str, Form] = {
    "range": Form(
        f"{_BOUNDS}, *, init_values: @values?, attrs: @dict?",
        "A loop whose rounds follow one another.",
        usage="for i in pl.range(n):",
    ),
    "parallel": Form(
        f"{_BOUNDS}, *, init_values: @values?, attrs: @dict?",
        "A loop whose rounds share nothing but what it carries.",
        usage="for i in pl.parallel(n):",
    ),
    "unroll": Form(
        f"{_BOUNDS}, *, attrs: @dict?",
        "A loop with constant bounds, written out round by round.",
        usage="for i in pl.unroll(n):",
    ),
    "pipeline": Form(
        f"{_BOUNDS}, *, stage: @int, init_values: @values?, attrs: @dict?",
        "A loop of which up to `stage` rounds are under way at once, each with buffers of its own.",
        usage="for i in pl.pipeline(n, stage=2):",
    ),
    "while_": Form(
        "*, init_values: @values",
        "A loop that goes on while the `pl.cond(…)` at the head of its body holds.",
        usage="for (x,) in pl.while_(init_values=(x0,)):",
    ),
    "spmd": Form(
        f"core_num: @index, *, {_LAUNCH}, predicate: @predicate?, dumps: @values?",
        "The body runs once on each of the cores.",
        usage="for i in pl.spmd(n):",
    ),
    "split_aiv": Form("lanes: index, *, mode: @split_mode", "The body runs on both vector lanes of a core."),
    "at": Form(
        "level: @level, *, role: @role?, optimizations: @options?, deps: @tasks?, no_dep_args: @values?, "
        "dumps: @values?, allow_early_resolve: @bool? = False, name_hint: @str?, windowize: @bool? = False",
        "The body runs at a level of the machine; at CORE_GROUP it becomes an InCore function of its own.",
        usage="with pl.at(level=pl.Level.CORE_GROUP):",
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
    "cond": Form(
        "condition: predicate", "The condition of a `pl.while_` loop, at the head of its body.", usage="pl.cond(x < n)"
    ),
    "const": Form("value: number, dtype: @dtype", "A number of a given dtype.", usage="pl.const(value, dtype)"),
    "dynamic": Form("name: @str", "An extent that only run time knows.", usage='N = pl.dynamic("N")'),
    "static_assert": Form(
        "condition: predicate, message: @str?",
        "Checked when the kernel is read.",
        usage="pl.static_assert(condition, message)",
    ),
    "static_print": Form("values...: value", "Printed when the kernel is read.", usage="pl.static_print(value)"),
    "yield_": Form(
        "values...: value", "What a round or branch hands on, last in its block.", usage="last = pl.yield_(value)"
    ),
}


def options_of(form: str) -> tuple[str, ...]:
    """The options of a loop or scope by name, in order; what a loop carries is none."""
    return tuple(each.name for each in FORMS[form].parameters if each.is_attribute and each.name != "init_values")
