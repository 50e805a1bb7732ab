"""What of a program can run at all: no arm whose branch has been decided by a branch around it, or by arithmetic, and
no body of a loop without rounds."""

from __future__ import annotations

from collections.abc import Mapping

from pto_analysis.arith.linear import Linear
from pto_analysis.arith.scalars import Scalars
from pto_analysis.frozen import evolve
from pto_analysis.sync.outline import trips
from pto_analysis.sync.program import (
    Alias,
    Bind,
    Block,
    Branch,
    Choice,
    Define,
    Loop,
    Manual,
    Op,
    Statement,
)


def reachable(block: Block, scalars: Scalars) -> Block:
    """The block with nothing in arms and loops that no run comes to, and choices that are decided made. Branches and
    loops themselves stay, with their names and merges."""
    return _block(block, scalars, {})


Decided = Mapping[Linear, bool]
"""Conditions that a branch around has decided, in their normal form."""


def _block(block: Block, scalars: Scalars, decided: Decided) -> Block:
    found: list[Statement] = []
    for statement in block:
        if isinstance(statement, Loop):
            found += _loop(statement, scalars, decided)
        else:
            found.append(_statement(statement, scalars, decided))
    return tuple(found)


def _loop(loop: Loop, scalars: Scalars, decided: Decided) -> list[Statement]:
    """The loop, with nothing carried around by one that runs no second round."""
    least, most = trips(loop, scalars)
    if most == 0:
        return [evolve(loop, body=(), handles=tuple(evolve(one, next=one.initial) for one in loop.handles))]
    body = _block(loop.body, scalars, decided)
    if not least == most == 1:
        return [evolve(loop, body=body)]
    carries = tuple(evolve(one, next=one.initial, result=None) for one in loop.handles)
    left = [Bind(one.result, Alias(one.next)) for one in loop.handles if one.result is not None]
    return [evolve(loop, body=body, handles=carries), *left]


def _statement(statement: Op | Bind | Define | Manual | Branch, scalars: Scalars, decided: Decided) -> Statement:
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
