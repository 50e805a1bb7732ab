"""What a remembered result may depend on in another path: its text, that it is there, or (None) that it is not.

Two more states are texts of their own: which files a folder lists, and that a file's text does not name a module.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256

READ = "read"
PRESENT = "present"

_LISTING = "listing "
_WITHOUT = "without "


def listing(paths: Iterable[str]) -> str:
    """The state of a folder by the files in it."""
    return _LISTING + sha256("\n".join(paths).encode("utf-8", "surrogatepass")).hexdigest()


def is_listing(state: str) -> bool:
    return state.startswith(_LISTING)


def without(names: Iterable[str]) -> str:
    """The state of a file that mentions none of some names."""
    return _WITHOUT + " ".join(sorted(names))


def is_without(state: str) -> bool:
    return state.startswith(_WITHOUT)


def mentions(state: str, text: str) -> bool:
    """Whether a text names a module that a file of this state did not name."""
    return any(name in text for name in state.removeprefix(_WITHOUT).split())
