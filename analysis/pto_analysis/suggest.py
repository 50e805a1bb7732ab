"""Near matches for "did you mean …"."""

from __future__ import annotations

from collections.abc import Iterable


def near_match(word: str, known: Iterable[str]) -> str | None:
    """The known word that `word` was most likely meant to be, or None."""
    from difflib import get_close_matches

    by_folded = {name.casefold(): name for name in known}
    matches = get_close_matches(word.casefold(), by_folded, n=1, cutoff=0.6)
    return by_folded[matches[0]] if matches else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """ " (did you mean `x`?)", or nothing when no known word is near."""
    match = near_match(word, known)
    return f" (did you mean `{match}`?)" if match else ""
