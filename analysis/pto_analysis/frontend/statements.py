"""The statements of a kernel, block by block (DSL section c). What is not part of the DSL is skipped, with an issue."""

from __future__ import annotations

from collections.abc import Sequence

from pto_analysis.frontend import loops
from pto_analysis.frontend.assignments import read_assignment
from pto_analysis.frontend.branches import Arm, read_if
from pto_analysis.frontend.issues import IssueKind
from pto_analysis.frontend.names import dsl_path
from pto_analysis.frontend.reading import Reading
from pto_analysis.frontend.regions import read_with
from pto_analysis.frontend.skipping import skip
from pto_analysis.frontend.yields import is_yield, read_yield
from pto_analysis.ir.expr import Call, Invoke, Opaque, type_of
from pto_analysis.ir.stmt import Break, Continue, Eval, Return
from pto_analysis.source import syntax
from pto_analysis.source.blocks import Block, continues
from pto_analysis.source.statements import StatementError, parse_statement

MAX_ARMS = 64
"""Arms of one if/elif chain that are read; each one is a block inside the one before."""

_NO_LOOP = "a loop over anything but pl.range and its kin is not part of the DSL"

_NO_CODE = frozenset({"pl.static_print", "pl.static_assert", "pl.dump_tag", "pl.func_attr"})


def read_block(reading: Reading, blocks: Sequence[Block]) -> None:
    """Read sibling statements into the current block of the function."""
    position = 0
    while position < len(blocks):
        block = blocks[position]
        arms = _arms(blocks, position)
        position += max(len(arms), 1)
        reading.statement = block.line.index
        statement = parse(reading, block)
        if statement is None:
            continue
        if isinstance(statement, syntax.IfHeader) and block.line.text.startswith("if"):
            _read_arms(reading, statement, arms)
        else:
            _read_statement(reading, statement, block)


def parse(reading: Reading, block: Block) -> syntax.Statement | None:
    """The statement of a block; None, with an issue, when it is broken."""
    message = block.line.error or block.error
    if message is None:
        parsed = parse_statement(block.line.text)
        if not isinstance(parsed, StatementError):
            return parsed.statement
        message = parsed.message
    skip(reading, block, IssueKind.SYNTAX, message, broken=True)
    return None


def _arms(blocks: Sequence[Block], position: int) -> Sequence[Block]:
    """The block at `position` with the elif and else blocks (or a loop's else) that follow it."""
    end = position + 1
    while (
        end < len(blocks)
        and blocks[end].line.text.startswith(("elif", "else"))
        and continues(blocks[end - 1].line, blocks[end].line)
    ):
        end += 1
    return blocks[position:end]


def _read_arms(reading: Reading, first: syntax.IfHeader, blocks: Sequence[Block]) -> None:
    arms = [Arm(first.test, blocks[0].line.index, lambda: read_block(reading, blocks[0].body))]
    for block in blocks[1 : MAX_ARMS + 1]:
        reading.statement = block.line.index
        statement = parse(reading, block)
        if statement is None:
            continue
        test = statement.test if isinstance(statement, syntax.IfHeader) else None
        arms.append(Arm(test, block.line.index, lambda body=block.body: read_block(reading, body)))
    reading.statement = blocks[0].line.index
    read_if(reading, arms)
    if len(blocks) > MAX_ARMS + 1:
        reading.refuse(IssueKind.OUTSIDE_DSL, f"more than {MAX_ARMS} arms of one if", reading.here(), construct="if")


def _read_statement(reading: Reading, statement: syntax.Statement, block: Block) -> None:
    if isinstance(statement, syntax.Assign):
        read_assignment(reading, statement, block)
    elif isinstance(statement, syntax.ExpressionStatement):
        _read_expression(reading, statement.value)
    elif isinstance(statement, syntax.ForHeader):
        _read_for(reading, statement, block)
    elif isinstance(statement, syntax.WithHeader):
        read_with(reading, statement, block, lambda: read_block(reading, block.body))
    elif isinstance(statement, syntax.Return):
        _read_return(reading, statement)
    elif isinstance(statement, syntax.WhileHeader):
        loops.read_while(reading, statement, lambda: read_block(reading, block.body))
    elif isinstance(statement, syntax.Simple):
        _read_keyword(reading, statement.keyword)
    else:
        skip(reading, block, IssueKind.OUTSIDE_DSL, f"{_what(statement)} is not part of the DSL")


def _read_keyword(reading: Reading, keyword: str) -> None:
    if keyword == "break":
        reading.emit(Break(reading.here()))
    elif keyword == "continue":
        reading.emit(Continue(reading.here()))


def _read_for(reading: Reading, header: syntax.ForHeader, block: Block) -> None:
    found = loops.loop_call(reading, header) or _as_dsl_loop(reading, header) or loops.misspelt_loop(reading, header)
    if found is None:
        skip(reading, block, IssueKind.OUTSIDE_DSL, _NO_LOOP)
        return
    kind, call = found
    if kind != "while_":
        loops.read_for(reading, header, kind, call, lambda: read_block(reading, block.body))
        return
    condition = _loop_condition(reading, block)
    rest = block.body[1:] if condition is not None else block.body
    loops.read_while_carried(reading, header, call, condition, lambda: read_block(reading, rest))


def _as_dsl_loop(reading: Reading, header: syntax.ForHeader) -> tuple[str, syntax.Call] | None:
    """A loop over Python's own `range`: refused, and read as the `pl.range` that was meant."""
    call = loops.python_range(reading, header)
    if call is None:
        return None
    reading.refuse(IssueKind.OUTSIDE_DSL, _NO_LOOP, reading.here())
    return "range", call


def _loop_condition(reading: Reading, block: Block) -> loops.LoopCondition | None:
    """The argument of the `pl.cond(…)` that must come first."""
    if not block.body:
        return None
    parsed = parse_statement(block.body[0].line.text)
    if isinstance(parsed, StatementError) or not isinstance(parsed.statement, syntax.ExpressionStatement):
        return None
    call = parsed.statement.value
    if isinstance(call, syntax.Call) and dsl_path(reading, call.func) == "pl.cond" and call.args:
        return loops.LoopCondition(call.args[0].value, block.body[0].line.index)
    return None


def _read_expression(reading: Reading, value: syntax.Expression) -> None:
    if isinstance(value, syntax.Constant):
        return
    if is_yield(value):
        read_yield(reading, value, ())
        return
    if isinstance(value, syntax.Call):
        path = dsl_path(reading, value.func)
        if path == "pl.cond":
            reading.refuse(
                IssueKind.LOOP_FORM, "pl.cond stands first in a pl.while_ loop", reading.here(), loop="while_"
            )
            return
        if path == "pl.static_assert":
            _check_static(reading, value)
        if path in _NO_CODE:
            return
    expr = reading.expression(value)
    if isinstance(expr, Opaque) and expr.what == "bind_dynamic":
        return
    if isinstance(expr, (Call, Invoke, Opaque)):
        reading.emit(Eval(expr, reading.here()))


def _check_static(reading: Reading, call: syntax.Call) -> None:
    """`pl.static_assert(condition)`, as far as Python decides the condition."""
    if not call.args:
        reading.refuse(IssueKind.ARGUMENTS, "pl.static_assert needs a condition", reading.here())
        return
    if reading.closure.evaluate(call.args[0].value) in (False, 0):
        reading.refuse(IssueKind.ASSERTION, "this static_assert does not hold", reading.here())


def _read_return(reading: Reading, statement: syntax.Return) -> None:
    value = statement.value
    if value is None:
        reading.emit(Return((), reading.here()))
        return
    nodes = value.items if isinstance(value, syntax.Sequence) and value.kind == "tuple" else (value,)
    values = tuple(reading.expression(node) for node in nodes)
    if reading.returned is None:
        reading.returned = tuple(type_of(expr) for expr in values)
    reading.emit(Return(values, reading.here()))


def _what(statement: syntax.Statement) -> str:
    if isinstance(statement, syntax.OtherStatement):
        return f"`{statement.keyword}`"
    if isinstance(statement, syntax.AugAssign):
        op = statement.op.rstrip("=")
        return f"augmented assignment (`{op}=`, write `x = x {op} …`)"
    names: dict[type, str] = {
        syntax.FunctionHeader: "a nested function",
        syntax.ClassHeader: "a nested class",
        syntax.ElseHeader: "this `else`",
        syntax.IfHeader: "this `elif`",
        syntax.Decorator: "a decorator",
    }
    return names.get(type(statement), "this statement")
