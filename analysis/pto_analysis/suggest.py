"""Near matches for "did you mean …"."""

from __future__ import annotations

from collections.abc import Iterable


def near_match(word: str, known: Iterable[str]) -> str | None:
    """The known word that `word` was most likely meant to be, or None. Of equally near ones, one that begins alike."""
    from difflib import SequenceMatcher, get_close_matches

    folded = word.casefold()
    by_folded = {name.casefold(): name for name in known}
    matches = get_close_matches(folded, by_folded, n=5, cutoff=0.6)
    if not matches:
        return None
    best = SequenceMatcher(None, matches[0], folded).ratio()
    equal = [match for match in matches if SequenceMatcher(None, match, folded).ratio() == best]
    return by_folded[max(equal, key=lambda match: _common_start(match, folded))]


def _common_start(left: str, right: str) -> int:
    pairs = enumerate(zip(left, right, strict=False))
    return next((index for index, (a, b) in pairs if a != b), min(len(left), len(right)))


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """ " (did you mean `x`?)", or nothing when no known word is near."""
    match = near_match(word, known)
    return f" (did you mean `{match}`?)" if match else ""
