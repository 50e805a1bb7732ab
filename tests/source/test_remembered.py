"""What is remembered by text is bounded by the size of the texts, and the least recently used goes first."""

from __future__ import annotations

from pto_analysis.source.remembered import Store, remembered


def test_the_least_recently_used_is_forgotten() -> None:
    asked: list[str] = []

    @remembered(characters=6)
    def upper(text: str) -> str | None:
        asked.append(text)
        return text.upper() or None

    for text in ("a", "b", "c", "a", "d", "a", "b", "", ""):
        assert upper(text) == (text.upper() or None)
    assert asked == ["a", "b", "c", "d", "b", ""]


def test_the_newest_value_is_kept_whatever_its_size() -> None:
    store: Store[str, int] = Store(10)
    store.put("small", 1, 5)
    store.put("large", 2, 50)
    assert (store.get("small"), store.get("large"), len(store)) == (None, 2, 1)
    store.put("small", 3, 5)
    assert (store.get("small"), store.get("large")) == (3, None)
