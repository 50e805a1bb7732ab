"""Statements of the tile IR. The same classes serve before and after SSA conversion.

Before conversion a name may be assigned again and loops carry values only where the author wrote
`init_values`. After it every `Var` is assigned once, loops name their carries as iter args and return
vars, and branches that merge values name them as return vars and end in a `Yield`.

Every statement says the same about itself, whatever its class:

* `blocks`: the blocks inside it;
* `operands`: the expressions that it evaluates itself, not those of the statements inside it;
* `definitions`: what it defines itself, inside it (loop variable, iter args) and after it (the rest).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Union

from attrs import field

from pto_analysis.frozen import frozen
from pto_analysis.ir.expr import Call, Expr, Invoke, Opaque, Var, attribute_expressions
from pto_analysis.source.span import Origin

Block = tuple["Stmt", ...]


@frozen(eq=False)
class Assign:
    """`var = value`. A call that returns a tuple is bound whole and unpacked by `TupleItem`s."""

    var: Var
    value: Expr
    origin: Origin | None = None
    blocks: ClassVar[tuple[Block, ...]] = ()

    @property
    def operands(self) -> tuple[Expr, ...]:
        return (self.value,)

    @property
    def definitions(self) -> tuple[Var, ...]:
        return (self.var,)


@frozen(eq=False)
class Eval:
    """An expression statement: a call made for its effect."""

    value: Call | Invoke | Opaque
    origin: Origin | None = None
    blocks: ClassVar[tuple[Block, ...]] = ()
    definitions: ClassVar[tuple[Var, ...]] = ()

    @property
    def operands(self) -> tuple[Expr, ...]:
        return (self.value,)


@frozen(eq=False)
class IterArg:
    """A loop-carried value: `var` inside the body, `init` on the first iteration."""

    var: Var
    init: Expr


@frozen(eq=False)
class For:
    """`kind` is "range", "parallel", "unroll", "pipeline", "spmd" or "split_aiv".

    `return_vars[i]` is what `iter_args[i]` is called after the loop.
    """

    kind: str
    var: Var
    start: Expr
    stop: Expr
    step: Expr
    body: Block
    iter_args: tuple[IterArg, ...] = ()
    return_vars: tuple[Var, ...] = ()
    attrs: Mapping[str, object] = field(factory=dict[str, object])
    origin: Origin | None = None

    @property
    def blocks(self) -> tuple[Block, ...]:
        return (self.body,)

    @property
    def operands(self) -> tuple[Expr, ...]:
        return (self.start, self.stop, self.step, *(arg.init for arg in self.iter_args))

    @property
    def definitions(self) -> tuple[Var, ...]:
        return (self.var, *self.return_vars, *(arg.var for arg in self.iter_args))


@frozen(eq=False)
class While:
    """`condition` may read the iter args (`pl.cond` of `pl.while_`, or the test of a plain `while`)."""

    condition: Expr
    body: Block
    iter_args: tuple[IterArg, ...] = ()
    return_vars: tuple[Var, ...] = ()
    origin: Origin | None = None

    @property
    def blocks(self) -> tuple[Block, ...]:
        return (self.body,)

    @property
    def operands(self) -> tuple[Expr, ...]:
        return (*(arg.init for arg in self.iter_args), self.condition)

    @property
    def definitions(self) -> tuple[Var, ...]:
        return (*self.return_vars, *(arg.var for arg in self.iter_args))


@frozen(eq=False)
class If:
    condition: Expr
    then: Block
    orelse: Block = ()
    return_vars: tuple[Var, ...] = ()
    origin: Origin | None = None

    @property
    def blocks(self) -> tuple[Block, ...]:
        return (self.then, self.orelse)

    @property
    def operands(self) -> tuple[Expr, ...]:
        return (self.condition,)

    @property
    def definitions(self) -> tuple[Var, ...]:
        return self.return_vars


@frozen(eq=False)
class Yield:
    """The last statement of a loop body or branch that carries values."""

    values: tuple[Expr, ...]
    origin: Origin | None = None
    blocks: ClassVar[tuple[Block, ...]] = ()
    definitions: ClassVar[tuple[Var, ...]] = ()

    @property
    def operands(self) -> tuple[Expr, ...]:
        return self.values


@frozen(eq=False)
class Return:
    values: tuple[Expr, ...]
    origin: Origin | None = None
    blocks: ClassVar[tuple[Block, ...]] = ()
    definitions: ClassVar[tuple[Var, ...]] = ()

    @property
    def operands(self) -> tuple[Expr, ...]:
        return self.values


@frozen(eq=False)
class Scope:
    """A `with` block: `kind` is "at", "spmd", "cluster", "scope", "manual_scope" or what was written, `var` its `as`
    name."""

    kind: str
    attrs: Mapping[str, object]
    body: Block
    var: Var | None = None
    origin: Origin | None = None

    @property
    def blocks(self) -> tuple[Block, ...]:
        return (self.body,)

    @property
    def operands(self) -> tuple[Expr, ...]:
        return attribute_expressions(self.attrs)

    @property
    def definitions(self) -> tuple[Var, ...]:
        return () if self.var is None else (self.var,)


@frozen(eq=False)
class Break:
    origin: Origin | None = None
    blocks: ClassVar[tuple[Block, ...]] = ()
    operands: ClassVar[tuple[Expr, ...]] = ()
    definitions: ClassVar[tuple[Var, ...]] = ()


@frozen(eq=False)
class Continue:
    origin: Origin | None = None
    blocks: ClassVar[tuple[Block, ...]] = ()
    operands: ClassVar[tuple[Expr, ...]] = ()
    definitions: ClassVar[tuple[Var, ...]] = ()


@frozen(eq=False)
class Skipped:
    """A statement outside the DSL (reported as PTO004) or broken while being typed.

    Names that it assigns are unknown afterwards.
    """

    what: str
    defines: tuple[Var, ...] = ()
    origin: Origin | None = None
    blocks: ClassVar[tuple[Block, ...]] = ()
    operands: ClassVar[tuple[Expr, ...]] = ()

    @property
    def definitions(self) -> tuple[Var, ...]:
        return self.defines


Stmt = Union[Assign, Eval, For, While, If, Yield, Return, Scope, Break, Continue, Skipped]
