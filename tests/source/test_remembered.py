"""What is remembered by text is bounded by the size of the texts, and the least recently used goes first."""

from __future__ import annotations

from pto_analysis.source.remembered import Store, Versions, remembered


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


def test_a_place_that_changes_forgets_its_own_past_first() -> None:
    versions: Versions[str, int] = Versions(100)
    versions.put("elsewhere", b"0", -1, 10)
    for number in range(20):
        versions.put("here", b"%d" % number, number, 10)
    assert [versions.get("here", b"%d" % number) for number in range(16, 20)] == [None, 17, 18, 19]
    assert versions.get("elsewhere", b"0") == -1
    versions.put("here", b"17", 117, 90)
    assert (versions.get("here", b"17"), versions.get("here", b"16")) == (117, None)
