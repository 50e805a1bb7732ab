"""Two servers for the whole session: one with a client that pulls in UTF-8, one with a client that is pushed to in
UTF-16, as Neovim and older VS Code are."""

from __future__ import annotations

import sys
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
import pytest_lsp
from lsprotocol import types as lsp
from pytest_lsp import ClientServerConfig, client_capabilities

from tests.server.client import Client, make_client
from tests.server.editor import Editor

SERVER = ClientServerConfig(
    server_command=[sys.executable, "-m", "pto_lsp.server", "--log-level", "error"], client_factory=make_client
)


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that counts as a project of its own."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "pyproject.toml").write_text("[project]\nname = 'kernels'\n")
    return folder


@pytest_lsp.fixture(config=SERVER, scope="session")  # pyright: ignore[reportUnknownMemberType]
async def pulling_client(lsp_client: Client, project: Path) -> AsyncGenerator[None]:
    await lsp_client.begin(parameters("neovim", project))
    yield
    await lsp_client.shutdown_session()


@pytest_lsp.fixture(config=SERVER, scope="session")  # pyright: ignore[reportUnknownMemberType]
async def pushed_client(lsp_client: Client, project: Path) -> AsyncGenerator[None]:
    await lsp_client.begin(parameters("visual-studio-code", project))
    yield
    await lsp_client.shutdown_session()


def parameters(client: str, *folders: Path) -> lsp.InitializeParams:
    return lsp.InitializeParams(
        capabilities=client_capabilities(client),
        workspace_folders=[lsp.WorkspaceFolder(folder.as_uri(), folder.name) for folder in folders],
    )


@pytest.fixture
def pulling(pulling_client: Client, project: Path) -> Editor:
    return Editor(pulling_client, project)


@pytest.fixture
def pushed(pushed_client: Client, project: Path) -> Editor:
    return Editor(pushed_client, project)


@pytest.fixture(params=["pulling", "pushed"])
def editor(request: pytest.FixtureRequest) -> Editor:
    """Both kinds of client, one after the other."""
    return request.getfixturevalue(request.param)
