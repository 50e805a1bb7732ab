"""What the project knows about one op: the row of the op table, and the parts it is made of.

A row is data. Its texts are small named rules ("promote(0,1)", "like(0)") whose meaning is defined once, in
`ops.deduction`; its signature is one line ("lhs: tile, rhs: tile, high_precision: @bool? = False") which
`ops.signature` reads. Adding an op is adding one row to a table of `ops.table`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from attrs import field

from pto_analysis.frozen import frozen

Effect = Literal["R", "W", "RW", "cond"]
"""What an op does to an operand: "cond" depends on an attribute (an atomic store reads what it writes)."""

RefusalKind = Literal[
    "unknown-op",
    "arity",
    "keyword",
    "operand-kind",
    "dtype",
    "shape",
    "out-of-bounds",
    "valid-region",
    "layout",
    "space",
    "attribute",
]


@frozen
class Refusal:
    """Why the compiler refuses a call. `operand` is the index of the IR operand at fault, None for the call itself.

    `keyword` names the keyword argument at fault; `data` holds the numbers of the message for tools.
    """

    kind: RefusalKind
    message: str
    operand: int | None = None
    keyword: str | None = None
    suggestions: tuple[str, ...] = ()
    data: Mapping[str, object] = field(factory=dict[str, object])


@frozen
class Typing:
    """How the type of the result follows from the operands.

    Either `whole` names one rule that builds the type, or the parts name one rule each. `kind` says what comes
    out; "tile" and "tensor" are built from `dtype`, `shape`, `valid`, `layout`. `checks` run first, in order.
    """

    kind: Literal["tile", "tensor", "scalar", "unknown"] = "tile"
    dtype: str = "dtype(0)"
    shape: str = "shape(0)"
    valid: str = "valid(0)"
    layout: str = "like(0)"
    checks: tuple[str, ...] = ()
    whole: str | None = None


@frozen
class Storage:
    """Where the result lives. "fresh": a new buffer. "view" and "reuse": the buffer of operand `operand`
    ("reuse" writes into it, "view" renames a part of it). "none": the result is not a buffer."""

    relation: Literal["fresh", "view", "reuse", "none"]
    operand: int | None = None


@frozen
class OpSpec:
    """One op. `name` is its IR name, `spelling` its DSL name in its own namespace (`pl.tile.and_`).

    * `signature`: the DSL parameters, see `ops.signature`.
    * `inputs`: the memory spaces operand `i` may be in ("Vec|Acc"), one word for each operand, "-" for any.
    * `space`: of a tile result: a space name, "attr(k)" or "attr(k,default)", "inherit", or "" (not decided yet).
    * `inplace_safe`: the memory planner may give the result the buffer of an operand that dies here, except the
      operands in `forbid_output_alias`.
    * `effects`: operands that are not only read. `writes_through`: "dma" or "" (how a written tensor is written).
    * `access`: "functional" reads its operands and writes its result, nothing else; "none" touches no data;
      "unknown" may use scratch.
    * `unit`: the hardware queue: V, M, S, MTE2, "by-space" (decided by source and destination space), "none".
    * `pto`: the assembler's mnemonic. `roles`: the role of operands in the op's family ("acc", "lhs", "rhs", "bias").
    * `targets`: the targets that have the op, () for all.
    """

    name: str
    spelling: str
    doc: str
    signature: str
    typing: Typing
    inputs: str = ""
    space: str = ""
    storage: Storage = Storage("fresh")
    inplace_safe: bool = True
    forbid_output_alias: tuple[int, ...] = ()
    effects: Mapping[int, Effect] = field(factory=dict[int, Effect])
    writes_through: str = ""
    access: Literal["functional", "none", "unknown"] = "functional"
    unit: str = "V"
    pto: str = ""
    families: frozenset[str] = frozenset()
    roles: Mapping[str, int] = field(factory=dict[str, int])
    core: Literal["", "cube", "vector", "shared"] = ""
    targets: tuple[str, ...] = ()
    notes: str = ""

    @property
    def namespace(self) -> str:
        """ "tile", "tensor", "system", …: what stands before the last dot of the name."""
        return self.name.rpartition(".")[0]

    @property
    def reused_operand(self) -> int | None:
        """The operand whose buffer the result is written into (matmul_acc, store, scatter, …)."""
        return self.storage.operand if self.storage.relation == "reuse" else None

    @property
    def viewed_operand(self) -> int | None:
        """The operand of which the result is a part or a renaming (slice, reshape, assemble, …)."""
        return self.storage.operand if self.storage.relation == "view" else None

    @property
    def shared_operand(self) -> int | None:
        """The operand whose buffer the result shares, by view or by reuse."""
        return self.storage.operand

    def input_spaces(self, operand: int) -> tuple[str, ...]:
        """Names of the spaces operand `operand` may be in; () when the op does not say."""
        words = self.inputs.split()
        if operand >= len(words) or words[operand] == "-":
            return ()
        return tuple(words[operand].split("|"))
