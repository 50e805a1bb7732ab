"""One file per feature. Each has `register(server, params)`, called while the client initializes."""

from __future__ import annotations

from lsprotocol import types as lsp

from pto_lsp.server.app import PtoServer
from pto_lsp.server.features import (
    actions,
    commands,
    completion,
    decorations,
    diagnostics,
    hover,
    navigation,
    refresh,
    workspace,
)

FEATURES = (diagnostics, hover, completion, navigation, decorations, actions, commands, workspace, refresh)


def register(server: PtoServer, params: lsp.InitializeParams) -> None:
    for feature in FEATURES:
        feature.register(server, params)
