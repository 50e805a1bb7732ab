"""Facts about values that never change, worked out when they are first asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

Fact = TypeVar("Fact")


class remembered(Generic[Fact]):  # noqa: N801  (used like `property`)
    """A property that keeps its value in the instance's `__dict__`, so the class must have one (`slots=False`).

    `functools.cached_property` takes a lock for each first access before Python 3.12, and expressions are small.
    """

    def __init__(self, compute: Callable[[Any], Fact]) -> None:
        self._compute = compute
        self._name = compute.__name__
        self.__doc__ = compute.__doc__

    def __get__(self, instance: Any, owner: type) -> Fact:
        value = instance.__dict__[self._name] = self._compute(instance)
        return value
