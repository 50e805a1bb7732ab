"""What of a program can run at all: no arm whose branch has been decided by a branch around it, or by arithmetic."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve

from pto_analysis.arith.scalars import Scalars
from pto_analysis.arith.terms import Term
from pto_analysis.sync.program import Block, Branch, Loop, Statement


def reachable(block: Block, scalars: Scalars) -> Block:
    """The block with nothing in arms that no run takes. Branches themselves stay, with their names and merges."""
    return _block(block, scalars, {})


def _block(block: Block, scalars: Scalars, decided: Mapping[Term, bool]) -> Block:
    return tuple(_statement(statement, scalars, decided) for statement in block)


def _statement(statement: Statement, scalars: Scalars, decided: Mapping[Term, bool]) -> Statement:
    if isinstance(statement, Loop):
        return evolve(statement, body=_block(statement.body, scalars, decided))
    return _branch(statement, scalars, decided) if isinstance(statement, Branch) else statement


def _branch(branch: Branch, scalars: Scalars, decided: Mapping[Term, bool]) -> Branch:
    condition = branch.condition
    if condition is None:
        return evolve(
            branch, then=_block(branch.then, scalars, decided), otherwise=_block(branch.otherwise, scalars, decided)
        )
    outcome = decided.get(condition, _value(condition, scalars))
    then = () if outcome is False else _block(branch.then, scalars, {**decided, condition: True})
    otherwise = () if outcome is True else _block(branch.otherwise, scalars, {**decided, condition: False})
    return evolve(branch, then=then, otherwise=otherwise)


def _value(condition: Term, scalars: Scalars) -> bool | None:
    """What the condition always is, None where run time decides."""
    single = scalars.linear(condition).single
    return None if single is None else bool(single)
