"""The protocol of pygls, with an answer to every request: also to those that come too early, too late or malformed.

The texts of documents are kept by `Documents` alone. The copies that pygls would keep end lines where the protocol
does not, and to apply a change to them it moves the positions in the message that our own handler reads next.
"""

from __future__ import annotations

from typing import Any, cast

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException
from pygls.protocol import LanguageServerProtocol

_EARLY = (lsp.INITIALIZE, lsp.EXIT)

_OURS_ALONE = (lsp.TEXT_DOCUMENT_DID_OPEN, lsp.TEXT_DOCUMENT_DID_CHANGE, lsp.TEXT_DOCUMENT_DID_CLOSE)


class PtoProtocol(LanguageServerProtocol):
    """One connection."""

    _began = False

    def _register_builtin_features(self) -> None:
        super()._register_builtin_features()
        for method in _OURS_ALONE:
            self.fm.builtin_features.pop(method)  # pyright: ignore[reportUnknownMemberType]

    def structure_message(self, data: dict[str, Any]) -> Any:
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if "id" in data and "method" in data:
                self._refuse(data["id"], error.code, error.message)
            raise

    def handle_message(self, message: Any) -> None:
        method = cast("str | None", getattr(message, "method", None))
        number = cast("str | int | None", getattr(message, "id", None))
        again = self._began and method == lsp.INITIALIZE
        self._began = self._began or method == lsp.INITIALIZE
        if again:
            self._refuse(number, lsp.ErrorCodes.InvalidRequest, "the server is initialized already")
        elif not self._began and method not in _EARLY:
            self._refuse(number, lsp.ErrorCodes.ServerNotInitialized, "the first request must be `initialize`")
        elif self._shutdown and method not in (None, lsp.EXIT):
            self._refuse(number, lsp.ErrorCodes.InvalidRequest, "the server was shut down")
        else:
            super().handle_message(message)

    def _refuse(self, number: str | int | None, code: int, why: str) -> None:
        """Answers a request; notifications are dropped."""
        if number is not None:
            self._send_response(number, None, lsp.ResponseError(code, why))
