"""What is remembered of the places of files: the last few values, and nothing that the last few texts did not use."""

from __future__ import annotations

from pto_lsp.workspace.versions import KEPT, Uses, Versions

PATH = "/project/a.py"


def test_a_place_that_changes_forgets_its_own_past_first() -> None:
    versions: Versions[str, int] = Versions(100, Uses())
    versions.put(PATH, "elsewhere", b"0", -1, 10)
    for number in range(20):
        versions.put(PATH, "here", b"%d" % number, number, 10)
    assert [versions.get(PATH, "here", b"%d" % number) for number in range(16, 20)] == [None, 17, 18, 19]
    assert versions.get(PATH, "elsewhere", b"0") == -1
    versions.put(PATH, "here", b"17", 117, 90)
    assert (versions.get(PATH, "here", b"17"), versions.get(PATH, "here", b"16")) == (117, None)


def test_what_was_of_no_use_is_swept_out() -> None:
    uses = Uses()
    versions: Versions[str, str] = Versions(100, uses)
    for place in ("typed", "used", "again", "made of"):
        versions.put(PATH, place, b"1", place, 1)
    versions.put("/project/b.py", "typed", b"1", "of another file", 1)
    made_of = uses.taken()[3:4]
    uses.begin()
    versions.get(PATH, "used", b"1")
    versions.put(PATH, "again", b"2", "newer", 1)
    uses.again(made_of)
    versions.sweep(PATH, uses.now)
    assert versions.get(PATH, "typed", b"1") is None
    assert versions.get(PATH, "used", b"1") == "used"
    assert [versions.get(PATH, "again", key) for key in (b"1", b"2")] == [None, "newer"]
    assert versions.get(PATH, "made of", b"1") == "made of"
    assert versions.get("/project/b.py", "typed", b"1") == "of another file"
    assert len(versions) == 4


def test_the_values_of_most_use_are_kept() -> None:
    uses = Uses()
    versions: Versions[str, int] = Versions(100, uses)
    for number in range(KEPT):
        versions.put(PATH, "here", b"%d" % number, number, 1)
    uses.begin()
    versions.get(PATH, "here", b"0")
    versions.put(PATH, "here", b"newest", -1, 1)
    assert versions.get(PATH, "here", b"0") == 0
    assert sum(versions.get(PATH, "here", b"%d" % number) is not None for number in range(KEPT)) == KEPT - 1
