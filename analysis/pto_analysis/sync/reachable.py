"""What of a program can run at all: no arm whose branch has been decided by a branch around it, or by arithmetic, and
no body of a loop without rounds."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve

from pto_analysis.arith.linear import Linear
from pto_analysis.arith.scalars import Scalars
from pto_analysis.sync.outline import trips
from pto_analysis.sync.program import Alias, Bind, Block, Branch, Choice, Loop, Statement


def reachable(block: Block, scalars: Scalars) -> Block:
    """The block with nothing in arms and loops that no run comes to, and choices that are decided made. Branches and
    loops themselves stay, with their names and merges."""
    return _block(block, scalars, {})


Decided = Mapping[Linear, bool]
"""Conditions that a branch around has decided, in their normal form."""


def _block(block: Block, scalars: Scalars, decided: Decided) -> Block:
    return tuple(_statement(statement, scalars, decided) for statement in block)


def _statement(statement: Statement, scalars: Scalars, decided: Decided) -> Statement:
    if isinstance(statement, Loop):
        runs = trips(statement, scalars)[1] != 0
        return evolve(statement, body=_block(statement.body, scalars, decided) if runs else ())
    if isinstance(statement, Bind) and isinstance(statement.view, Choice):
        return _choice(statement, statement.view, scalars, decided)
    return _branch(statement, scalars, decided) if isinstance(statement, Branch) else statement


def _choice(bind: Bind, view: Choice, scalars: Scalars, decided: Decided) -> Bind:
    outcome = _outcome(scalars.linear(view.condition), decided)
    return bind if outcome is None else evolve(bind, view=Alias(view.then if outcome else view.otherwise))


def _branch(branch: Branch, scalars: Scalars, decided: Decided) -> Branch:
    if branch.condition is None:
        return evolve(
            branch, then=_block(branch.then, scalars, decided), otherwise=_block(branch.otherwise, scalars, decided)
        )
    condition = scalars.linear(branch.condition)
    outcome = _outcome(condition, decided)
    then = () if outcome is False else _block(branch.then, scalars, {**decided, condition: True})
    otherwise = () if outcome is True else _block(branch.otherwise, scalars, {**decided, condition: False})
    return evolve(branch, then=then, otherwise=otherwise)


def _outcome(condition: Linear, decided: Decided) -> bool | None:
    """How the condition comes out, None where run time decides."""
    return bool(condition.single) if condition.single is not None else decided.get(condition)
