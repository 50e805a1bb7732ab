"""Finds the kernels of a unit: decorated functions, alone, in `@pl.program` classes, in factories (DSL a.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from pto_analysis.frontend.closure import Binding, Frame
from pto_analysis.frozen import evolve, frozen
from pto_analysis.source import syntax
from pto_analysis.source.blocks import Block
from pto_analysis.source.scanner import LogicalLine
from pto_analysis.source.statements import StatementError, parse_statement
from pto_analysis.source.unit import Unit

KERNEL_FORMS = frozenset(
    {"function", "inline", "jit", "jit.host", "jit.incore", "jit.inline", "jit.opaque", "jit.extern"}
)
"""How a kernel's decorator ends."""


@frozen(eq=False)
class KernelDecorator:
    """What made a function a kernel: `form` is "function", "inline", "jit", "jit.incore", …; `arguments` its call's."""

    form: str
    arguments: tuple[syntax.Argument, ...]
    statement: int


@frozen(eq=False)
class KernelSite:
    """A kernel in the source.

    `enclosing` are the functions around it, innermost first; `program` the class whose methods it can call, with
    `strict_ssa` as the class decorator says. A `conditional` kernel stands in a branch or loop of a function around
    it, so it is not made for every value of that function's parameters.
    """

    block: Block
    header: syntax.FunctionHeader
    decorator: KernelDecorator
    qualname: str
    enclosing: tuple[Frame, ...] = ()
    program: Block | None = None
    strict_ssa: bool = False
    conditional: bool = False

    @property
    def statement(self) -> int:
        return self.block.line.index


def find_kernels(unit: Unit, is_dsl: Callable[[str], bool] = lambda _name: True) -> tuple[KernelSite, ...]:
    """The kernels of a unit in source order. `is_dsl` tells whether the first name of a decorator is of the DSL."""
    if "@" not in unit.text:
        return ()
    return tuple(_kernels(unit.blocks, _Place(is_dsl)))


@frozen(eq=False)
class _Place:
    """Where the walk is: names of the classes and functions around, and what they define."""

    is_dsl: Callable[[str], bool]
    path: tuple[str, ...] = ()
    enclosing: tuple[Frame, ...] = ()
    program: Block | None = None
    strict_ssa: bool = False
    conditional: bool = False
    owner: str | None = None
    """The top-level class whose body this is: `self` of its methods is an object made with the defaults."""


def _kernels(blocks: Sequence[Block], place: _Place) -> Iterator[KernelSite]:
    for block in blocks:
        text = block.line.text
        if text.startswith(("def", "async")):
            yield from _function(block, place)
        elif text.startswith("class"):
            yield from _class(block, place)
        elif block.body:
            inside = evolve(place, conditional=bool(place.enclosing))
            yield from _kernels(block.body, inside)
            place = inside if _may_return(block) else place


def _may_return(block: Block) -> bool:
    """Whether what stands behind a branch is reached only sometimes."""
    return block.body[-1].line.text.startswith("return")


def _function(block: Block, place: _Place) -> Iterator[KernelSite]:
    header = _header(block)
    if not isinstance(header, syntax.FunctionHeader):
        return
    path = (*place.path, header.name)
    decorator = kernel_decorator(block.decorators, place.is_dsl)
    if decorator is not None:
        yield KernelSite(
            block,
            header,
            decorator,
            ".".join(path),
            place.enclosing,
            place.program,
            place.strict_ssa,
            place.conditional,
        )
        return
    if _holds_kernels(block.body):
        frame = function_frame(header, block)
        if place.owner is not None and header.params and not block.decorators:
            frame = frame | {header.params[0].name: Binding(instance=place.owner)}
        yield from _kernels(
            block.body, _Place(place.is_dsl, path, (frame, *place.enclosing), conditional=place.conditional)
        )


def _class(block: Block, place: _Place) -> Iterator[KernelSite]:
    header = _header(block)
    if not isinstance(header, syntax.ClassHeader) or not _holds_kernels(block.body):
        return
    program, strict = _program(block.decorators)
    yield from _kernels(
        block.body,
        _Place(
            place.is_dsl,
            (*place.path, header.name),
            place.enclosing,
            block if program else None,
            strict,
            place.conditional,
            None if place.path else header.name,
        ),
    )


def _holds_kernels(blocks: Sequence[Block]) -> bool:
    """Whether a decorator stands anywhere in these blocks (without parsing any)."""
    waiting = list(blocks)
    while waiting:
        block = waiting.pop()
        if block.decorators:
            return True
        waiting.extend(block.body)
    return False


def kernel_decorator(lines: Sequence[LogicalLine], is_dsl: Callable[[str], bool]) -> KernelDecorator | None:
    """The kernel decorator among some decorators, by its last names, as the compiler recognises it."""
    for line in lines:
        if not any(word in line.text for word in ("function", "jit", "inline")):
            continue
        form, arguments = decorator_call(line)
        if not form or not is_dsl(form[0]):
            continue
        for candidate in (".".join(form[-2:]), ".".join(form[-1:])):
            if candidate in KERNEL_FORMS:
                return KernelDecorator(candidate, arguments, line.index)
    return None


def _program(lines: Sequence[LogicalLine]) -> tuple[bool, bool]:
    """Whether a class is a program, and strict_ssa."""
    for line in lines:
        form, arguments = decorator_call(line)
        if form[-1:] == ["program"]:
            strict = any(
                argument.keyword == "strict_ssa"
                and isinstance(argument.value, syntax.Constant)
                and argument.value.value is True
                for argument in arguments
            )
            return True, strict
    return False, False


def decorator_call(line: LogicalLine) -> tuple[list[str], tuple[syntax.Argument, ...]]:
    """The names of a decorator's chain and the arguments of its call."""
    parsed = parse_statement(line.text)
    if isinstance(parsed, StatementError) or not isinstance(parsed.statement, syntax.Decorator):
        return [], ()
    node = parsed.statement.value
    arguments: tuple[syntax.Argument, ...] = ()
    if isinstance(node, syntax.Call):
        node, arguments = node.func, node.args
    names: list[str] = []
    while isinstance(node, syntax.Attribute):
        names.append(node.attr)
        node = node.value
    if isinstance(node, syntax.Name):
        names.append(node.name)
    return names[::-1], arguments


def _header(block: Block) -> syntax.Statement | None:
    parsed = None if block.line.error else parse_statement(block.line.text)
    return None if parsed is None or isinstance(parsed, StatementError) else parsed.statement


def function_frame(header: syntax.FunctionHeader, block: Block) -> dict[str, Binding]:
    """The names of a plain function: parameters with their defaults, locals with their last assignment."""
    frame = {
        param.name: Binding(param.default, header.name, str(position)) for position, param in enumerate(header.params)
    }
    _add_locals(frame, block.body, certain=True)
    return frame


def _add_locals(frame: dict[str, Binding], blocks: Sequence[Block], *, certain: bool) -> None:
    for block in blocks:
        text = block.line.text
        if text.startswith(("def", "class", "async")):
            frame[_defined_name(text)] = Binding()
            continue
        if block.body:
            _add_locals(frame, block.body, certain=certain and text.startswith("with"))
        if "=" not in text and not text.startswith(("for", "with")):
            continue
        parsed = None if block.line.error else parse_statement(text)
        if parsed is None or isinstance(parsed, StatementError):
            continue
        for name, value in _definitions(parsed.statement):
            frame[name] = Binding(value if certain else None)


def _defined_name(header: str) -> str:
    """`f` of `def f(…):` and `class f:`."""
    return header.partition("(")[0].partition(":")[0].split()[-1]


def without_parameters(frame: Frame) -> Frame:
    """The frame with parameters that may have any value."""
    return {
        name: Binding() if binding.function is not None or binding.instance is not None else binding
        for name, binding in frame.items()
    }


def _definitions(statement: syntax.Statement) -> Iterator[tuple[str, syntax.Expression | None]]:
    if isinstance(statement, syntax.Assign):
        for target in statement.targets:
            yield from _bound(target, statement.value)
    elif isinstance(statement, (syntax.AugAssign, syntax.ForHeader)):
        yield from _bound(statement.target, None)
    elif isinstance(statement, syntax.WithHeader):
        for _, target in statement.items:
            if target is not None:
                yield from _bound(target, None)


def _bound(
    target: syntax.Expression, value: syntax.Expression | None
) -> Iterator[tuple[str, syntax.Expression | None]]:
    if isinstance(target, syntax.Name):
        yield target.name, value
    elif isinstance(target, syntax.Sequence):
        items = value.items if isinstance(value, syntax.Sequence) and len(value.items) == len(target.items) else None
        for position, item in enumerate(target.items):
            yield from _bound(item, None if items is None else items[position])
