"""The state of reading one function: its scope, the code around it, and what could not be accepted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping

from attrs import define, field

from pto_analysis.frontend.callee import Callee
from pto_analysis.frontend.closure import Closure
from pto_analysis.frontend.issues import FrontendIssue, IssueKind, NotUnderstood
from pto_analysis.frontend.scope import Scope
from pto_analysis.ir.dispatch import SplitMode
from pto_analysis.ir.dtypes import INDEX
from pto_analysis.ir.expr import Expr, Opaque, Var
from pto_analysis.ir.function import FunctionKind
from pto_analysis.ir.stmt import Stmt
from pto_analysis.ir.types import MemRef, ScalarType, Type, UnknownType
from pto_analysis.source import syntax
from pto_analysis.source.span import Origin

MAX_DEPTH = 60
"""Calls and subscripts inside each other."""


@define(eq=False)
class YieldFrame:
    """The values that the `pl.yield_` of one loop or branch names: (name, type, origin), in order.

    `bare` says that one stands without names.
    """

    bare: bool = False
    names: list[tuple[str, Type, Origin]] = field(factory=list[tuple[str, Type, Origin]])


@define(eq=False)
class Reading:
    """One function being read.

    `read`, `callees` and `methods` are handed in so that the modules for parts of the language need not know each
    other. `given` are the types of bare parameters that calls tell. `statement` is the index of the current
    statement in its unit.
    """

    closure: Closure
    read: Callable[[Reading, syntax.Expression], Expr]
    callees: Callable[[str], Callee | None]
    methods: Callable[[str], Callee | None]
    kind: FunctionKind = FunctionKind.OPAQUE
    decorator: str = "function"
    strict_ssa: bool = False
    in_program: bool = False
    given: Mapping[str, Type] = field(factory=dict[str, Type])
    scope: Scope = field(factory=Scope)
    issues: list[FrontendIssue] = field(factory=list[FrontendIssue])
    not_understood: list[NotUnderstood] = field(factory=list[NotUnderstood])
    statement: int = 0
    block: list[Stmt] = field(factory=list[Stmt])
    loops: list[str] = field(factory=list[str])
    splits: list[SplitMode] = field(factory=list[SplitMode])
    core_scopes: int = 0
    yields: list[YieldFrame] = field(factory=list[YieldFrame])
    returned: tuple[Type, ...] | None = None
    attrs: dict[str, object] = field(factory=dict[str, object])
    buffers: dict[str, dict[str, object]] = field(factory=dict[str, dict[str, object]])
    memrefs: dict[str, MemRef] = field(factory=dict[str, MemRef])
    _depth: int = 0
    _place: tuple[int, int] = (0, 0)
    _blocks: int = 0
    _homes: dict[Var, tuple[int, int]] = field(factory=dict[Var, tuple[int, int]])
    _symbols: MutableMapping[str, Var] = field(factory=dict[str, Var])

    @property
    def is_jit(self) -> bool:
        return self.decorator.startswith("jit")

    def expression(self, node: syntax.Expression) -> Expr:
        """The IR of an expression; what is nested too deeply is refused instead of read."""
        if self._depth >= MAX_DEPTH:
            problem = self.refuse(IssueKind.OUTSIDE_DSL, "this expression is nested too deeply", self.origin(node))
            return Opaque("deep expression", (), problem, self.origin(node))
        self._depth += 1
        try:
            return self.read(self, node)
        finally:
            self._depth -= 1

    def origin(self, node: syntax.Expression | syntax.Argument | syntax.Parameter) -> Origin:
        return Origin(self.statement, node.id)

    def here(self) -> Origin:
        """The current statement as a whole."""
        return Origin(self.statement)

    def emit(self, stmt: Stmt) -> None:
        self.block.append(stmt)

    def nested(self, read_body: Callable[[], None]) -> tuple[Stmt, ...]:
        """The statements that `read_body` emits, as a block of their own."""
        outer, place = self.block, self._place
        self._blocks += 1
        self.block, self._place = [], (place[0] + 1, self._blocks)
        try:
            read_body()
            return tuple(self.block)
        finally:
            self.block, self._place = outer, place

    def define(self, name: str, var: Var) -> None:
        """Make a variable visible under a name; the block where that happens first is its home."""
        self._homes.setdefault(var, self._place)
        self.scope.define(name, var)

    def is_at_home(self, var: Var) -> bool:
        """Whether a rebinding here is a new variable and not a value carried around: in the block that defined the
        variable first, and in jit code in any block of that depth."""
        home = self._homes.get(var)
        if home is None:
            return False
        return home[0] == self._place[0] if self.is_jit else home == self._place

    def refuse(self, kind: IssueKind, message: str, origin: Origin, **data: object) -> UnknownType:
        """Record an issue; the returned type is what the refused expression has from now on."""
        self.issues.append(FrontendIssue(kind, message, origin, data))
        return UnknownType(message)

    def unknown(self, what: str, why: str, origin: Origin) -> UnknownType:
        """Record a value that could not be followed; nothing is wrong with it as far as we know."""
        self.not_understood.append(NotUnderstood(what, why, origin))
        return UnknownType(why)

    def symbol(self, name: str) -> Var:
        """The INDEX scalar that stands for the `pl.dynamic` extent of this name."""
        return self._symbol(name, ScalarType(INDEX))

    def unknown_constant(self, name: str) -> Var:
        """What stands for a Python constant that could not be evaluated: equal to itself, nothing else is known."""
        return self._symbol(f"?{name}", UnknownType(f"the value of `{name}` is not known"))

    def _symbol(self, key: str, type_: Type) -> Var:
        var = self._symbols.get(key)
        if var is None:
            var = self._symbols[key] = Var(key.removeprefix("?"), type_)
        return var

    def share_symbols(self, symbols: MutableMapping[str, Var]) -> None:
        """Use one set of symbols for all functions of a unit, so that equal names are one extent."""
        self._symbols = symbols
