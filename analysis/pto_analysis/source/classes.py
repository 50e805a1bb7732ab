"""What the text of a class says: its kind, fields, attributes and methods. Nothing is evaluated here."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from pto_analysis.frozen import frozen
from pto_analysis.source import syntax
from pto_analysis.source.from_ast import syntax_of

_PROPERTIES = frozenset({"property", "cached_property"})


@frozen(eq=False)
class FieldSpec:
    """An annotated name of a class body, with its default."""

    name: str
    default: syntax.Expression | None


@frozen(eq=False)
class ClassSource:
    """A class by its text. `bases` and `decorators` are expressions of the module around it."""

    name: str
    bases: tuple[syntax.Expression, ...]
    decorators: tuple[syntax.Expression, ...]
    fields: tuple[FieldSpec, ...]
    attributes: Mapping[str, syntax.Expression]
    methods: Mapping[str, ast.FunctionDef]
    properties: frozenset[str]
    altered: frozenset[str]
    """Fields that `__post_init__` sets."""


def class_source(node: ast.ClassDef) -> ClassSource:
    fields: list[FieldSpec] = []
    attributes: dict[str, syntax.Expression] = {}
    methods: dict[str, ast.FunctionDef] = {}
    for each in node.body:
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
            default = None if each.value is None else syntax_of(each.value)
            if default is not None:
                attributes[each.target.id] = default
            if not _is_class_variable(each.annotation):
                fields.append(FieldSpec(each.target.id, default))
        elif isinstance(each, ast.Assign):
            names = [target.id for target in each.targets if isinstance(target, ast.Name)]
            attributes.update((name, syntax_of(each.value)) for name in names)
        elif isinstance(each, ast.FunctionDef):
            methods[each.name] = each
    return ClassSource(
        node.name,
        tuple(syntax_of(base) for base in node.bases),
        tuple(syntax_of(decorator) for decorator in node.decorator_list),
        tuple(fields),
        attributes,
        methods,
        frozenset(name for name, method in methods.items() if _decorator_names(method) & _PROPERTIES),
        _altered(methods.get("__post_init__")),
    )


def _is_class_variable(annotation: ast.expr) -> bool:
    outer = annotation.value if isinstance(annotation, ast.Subscript) else annotation
    return last_name(syntax_of(outer)) == "ClassVar"


def last_name(node: syntax.Expression) -> str:
    """The last name of a dotted expression, called or not (`dataclass` of `dataclasses.dataclass(frozen=True)`)."""
    if isinstance(node, syntax.Call):
        node = node.func
    if isinstance(node, syntax.Attribute):
        return node.attr
    return node.name if isinstance(node, syntax.Name) else ""


def _decorator_names(method: ast.FunctionDef) -> set[str]:
    return {last_name(syntax_of(decorator)) for decorator in method.decorator_list}


def is_static(method: ast.FunctionDef) -> bool:
    return "staticmethod" in _decorator_names(method)


def is_class_method(method: ast.FunctionDef) -> bool:
    return "classmethod" in _decorator_names(method)


def _altered(method: ast.FunctionDef | None) -> frozenset[str]:
    if method is None:
        return frozenset()
    names: set[str] = set()
    for node in ast.walk(method):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            names.add(node.attr)
        elif isinstance(node, ast.Call) and last_name(syntax_of(node.func)) in ("__setattr__", "setattr"):
            names.update(arg.value for arg in node.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str))
    return frozenset(names)
