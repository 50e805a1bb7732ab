"""What a compound statement at module level may bind."""

from __future__ import annotations

import pytest

from pto_lsp.workspace.bound_names import bound_names


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("if X:\n    A = 1", {"A"}),
        ("if X:\n    A, (B, c.d) = f(y)", {"A", "B"}),
        ("if X:\n    A: int = 1\nelse:\n    B += 2", {"A", "B"}),
        ("for i in range(N):\n    total.append(i)", {"i"}),
        ("if X:\n    def f(a):\n        pass", {"f"}),
        ("if X:\n    class C(D):\n        pass", {"C"}),
        ("if X:\n    raise ValueError('the tile')", set[str]()),
        ("if __name__ == '__main__':\n    run(kernel, x)", set[str]()),
    ],
)
def test_only_what_is_bound_counts(text: str, bound: set[str]) -> None:
    assert bound_names(text) == bound


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("if X:\n    import a.b as c", {"a", "b", "c"}),
        ("try:\n    from m import n\nexcept ImportError:\n    n = None", {"m", "n"}),
        ("if (y := f()):\n    pass", {"y"}),
        ("with open(p) as stream:\n    pass", {"stream"}),
        ("match v:\n    case [a, b]:\n        pass", {"a", "b"}),
        ("if X:\n    A = = broken", {"A"}),
    ],
)
def test_nothing_that_is_bound_is_missed(text: str, bound: set[str]) -> None:
    assert bound <= bound_names(text)
