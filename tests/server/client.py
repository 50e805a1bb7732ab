"""The client of pytest-lsp, with the version that diagnostics were published for."""

from __future__ import annotations

from typing import cast

from lsprotocol import types as lsp
from pygls.protocol import default_converter
from pytest_lsp import LanguageClient
from pytest_lsp.client import DEFAULT_CLIENT_FEATURES, register_lsp_features


class Client(LanguageClient):
    """`answered` is what the server said to `initialize`; `publications` every push in order."""

    def __init__(self) -> None:
        super().__init__(converter_factory=default_converter)  # pyright: ignore[reportUnknownMemberType]
        self.versions: dict[str, int | None] = {}
        self.publications: list[lsp.PublishDiagnosticsParams] = []
        self.refreshed: list[str] = []
        self._answered: lsp.InitializeResult | None = None

    @property
    def answered(self) -> lsp.InitializeResult:
        assert self._answered is not None
        return self._answered

    async def begin(self, params: lsp.InitializeParams) -> None:
        self._answered = await self.initialize_session(params)


def make_client() -> Client:
    client = Client()
    refreshes = (
        lsp.WORKSPACE_CODE_LENS_REFRESH,
        lsp.WORKSPACE_INLAY_HINT_REFRESH,
        lsp.WORKSPACE_SEMANTIC_TOKENS_REFRESH,
    )
    known = cast("dict[str, object]", DEFAULT_CLIENT_FEATURES)
    features: dict[str, object] = {**known, lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS: _published}
    features |= {method: _refresher(method) for method in refreshes}
    features[lsp.CLIENT_REGISTER_CAPABILITY] = _registered
    register_lsp_features(client, features)
    return client


def _published(client: Client, params: lsp.PublishDiagnosticsParams) -> None:
    client.publications.append(params)
    client.diagnostics[params.uri] = params.diagnostics
    client.versions[params.uri] = params.version


def _registered(client: Client, params: lsp.RegistrationParams) -> None:
    client.refreshed += [f"registered {each.method}" for each in params.registrations]


def _refresher(method: str) -> object:
    def refresh(client: Client, _params: None) -> None:
        client.refreshed.append(method)

    return refresh
