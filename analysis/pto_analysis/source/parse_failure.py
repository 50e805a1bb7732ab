"""What parsing a statement raises."""

from __future__ import annotations


class ParseFailure(Exception):  # noqa: N818
    """Why a text is not a statement, and where in it (0-based)."""

    def __init__(self, message: str, line: int = 0, column: int = 0) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column
