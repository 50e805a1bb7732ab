"""Beginning, end and misuse of a connection, over a raw pipe and a raw socket."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import IO, Any, cast

import pytest

from tests.server import kernels

COMMAND = [sys.executable, "-m", "pto_lsp.server", "--log-level", "error"]
SECONDS = 60

BARE: dict[str, object] = {"processId": None, "rootUri": None, "capabilities": cast("object", {})}
"""What a client that can do nothing says of itself."""


class Raw:
    """A server process that is spoken to byte by byte."""

    def __init__(self, *arguments: str) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([*COMMAND, *arguments], stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)
        self._number = 0

    @property
    def stdin(self) -> IO[bytes]:
        return cast("IO[bytes]", self.process.stdin)

    @property
    def stdout(self) -> IO[bytes]:
        return cast("IO[bytes]", self.process.stdout)

    def send(self, message: object) -> None:
        self.write(framed(message))

    def write(self, data: bytes) -> None:
        self.stdin.write(data)
        self.stdin.flush()

    def notify(self, method: str, params: object = None) -> None:
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def request(self, method: str, params: object = None) -> dict[str, Any]:
        """The answer to a request; what comes in between is passed over."""
        self._number += 1
        number = self._number
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        return self.answer(number)

    def answer(self, number: int) -> dict[str, Any]:
        return next(each for each in self.messages() if each.get("id") == number and "method" not in each)

    def messages(self) -> Iterator[dict[str, Any]]:
        while True:
            yield read(self.stdout)

    def initialize(self) -> dict[str, Any]:
        answer = self.request("initialize", BARE)
        self.notify("initialized", {})
        return answer

    def wait(self) -> int:
        return self.process.wait(SECONDS)


def framed(message: object) -> bytes:
    body = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def read(stream: IO[bytes]) -> dict[str, Any]:
    length = 0
    while True:
        line = stream.readline()
        assert line, "the server is gone"
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
        if not line.strip() and length:
            break
    return cast("dict[str, Any]", json.loads(stream.read(length)))


@pytest.fixture
def raw() -> Iterator[Raw]:
    server = Raw()
    yield server
    server.process.kill()
    server.process.wait()
    server.stdin.close()
    server.stdout.close()


def test_after_shutdown_the_exit_code_is_zero(raw: Raw) -> None:
    raw.initialize()
    assert raw.request("shutdown")["result"] is None
    assert raw.request("shutdown")["error"]["code"] == -32600
    raw.notify("exit")
    assert raw.wait() == 0


def test_exit_without_shutdown_is_an_error(raw: Raw) -> None:
    raw.initialize()
    raw.notify("exit")
    assert raw.wait() == 1


def test_a_client_that_dies_takes_the_server_with_it(raw: Raw) -> None:
    raw.initialize()
    raw.stdin.close()
    assert raw.wait() == 1


def test_the_server_ends_with_the_process_of_its_client(raw: Raw) -> None:
    """Also when somebody else holds the pipe open."""
    client = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    raw.request("initialize", {**BARE, "processId": client.pid})
    raw.notify("initialized", {})
    assert raw.request("no/suchMethod")["error"]["code"] == -32601
    assert raw.process.poll() is None
    client.kill()
    client.communicate()
    assert raw.wait() == 1


@pytest.mark.parametrize("header", ["content-length: %d", "CONTENT-LENGTH:%d", "Content-Length :  %d "])
def test_headers_have_no_case(raw: Raw, header: str) -> None:
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": BARE}).encode()
    kind = b"content-type: application/vscode-jsonrpc; charset=utf-8\r\n"
    raw.write((header % len(body)).encode() + b"\r\n" + kind + b"\r\n" + body)
    assert "result" in raw.answer(1)


def test_malformed_messages_do_no_harm(raw: Raw) -> None:
    raw.initialize()
    raw.write(b"Content-Length: 5\r\n\r\nxxxxx")
    raw.send([1, 2])
    raw.send({"jsonrpc": "2.0", "method": "textDocument/didChange", "params": {"wrong": 1}})
    raw.send({"jsonrpc": "2.0", "method": "$/unknown", "params": {}})
    assert "error" in raw.request("textDocument/hover", {"wrong": 1})
    assert "error" in raw.request("no/suchMethod", {})
    assert raw.request("shutdown")["result"] is None
    raw.notify("exit")
    assert raw.wait() == 0


def test_requests_about_what_is_not_there_have_empty_answers(raw: Raw) -> None:
    raw.initialize()
    place = {"textDocument": {"uri": "file:///nowhere/x.py"}, "position": {"line": 900, "character": 900}}
    for uri in ("file:///nowhere/x.py", "untitled:x", "git:/x.py?ref"):
        place["textDocument"] = {"uri": uri}
        for method in ("hover", "completion", "definition", "signatureHelp", "documentHighlight"):
            assert "error" not in raw.request(f"textDocument/{method}", place)


def test_positions_beyond_the_text_are_answered(raw: Raw) -> None:
    raw.initialize()
    item = {"uri": "file:///x.py", "languageId": "python", "version": 1, "text": "import pypto\n"}
    raw.notify("textDocument/didOpen", {"textDocument": item})
    place = {"textDocument": {"uri": "file:///x.py"}, "position": {"line": 900, "character": 900}}
    assert raw.request("textDocument/hover", place)["result"] is None


def test_a_cancelled_request_is_answered_as_such_and_the_next_one_well(raw: Raw) -> None:
    raw.initialize()
    text = "".join(kernels.MISSPELT.replace("class K", f"class K{number}") for number in range(200))
    item = {"uri": "file:///x.py", "languageId": "python", "version": 1, "text": text}
    raw.notify("textDocument/didOpen", {"textDocument": item})
    params = {"textDocument": {"uri": "file:///x.py"}, "position": {"line": 7, "character": 12}}
    raw.send({"jsonrpc": "2.0", "id": "slow", "method": "textDocument/codeLens", "params": params})
    raw.notify("$/cancelRequest", {"id": "slow"})
    assert next(each for each in raw.messages() if each.get("id") == "slow")["error"]["code"] == -32800
    assert "error" not in raw.request("textDocument/hover", params)


def test_requests_before_initialize_are_refused(raw: Raw) -> None:
    place = {"textDocument": {"uri": "file:///x.py"}, "position": {"line": 0, "character": 0}}
    assert raw.request("textDocument/hover", place)["error"]["code"] == -32002


@pytest.mark.parametrize("header", [b"Content-Length: ", b"content-length:"])
def test_one_client_over_tcp(header: bytes) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen([*COMMAND, "--tcp", "--port", str(port)], stderr=subprocess.DEVNULL)
    try:
        with _connected(port) as connection, connection.makefile("rwb") as stream:
            for number, method, params in ((1, "initialize", BARE), (2, "shutdown", None)):
                message = framed({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
                stream.write(message.replace(b"Content-Length: ", header))
                stream.flush()
                assert "result" in read(cast("IO[bytes]", stream))
            stream.write(framed({"jsonrpc": "2.0", "method": "exit"}))
            stream.flush()
        assert server.wait(SECONDS) == 0
    finally:
        server.kill()
        server.wait()


def _connected(port: int) -> socket.socket:
    deadline = time.monotonic() + SECONDS
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port))
        except OSError:
            assert time.monotonic() < deadline
            time.sleep(0.1)


def test_the_version_is_printed_at_once() -> None:
    ran = subprocess.run([*COMMAND[:3], "--version"], capture_output=True, text=True, check=True)
    assert ran.stdout.startswith("pto-lsp ")


def test_a_second_initialize_is_refused(raw: Raw) -> None:
    raw.initialize()
    assert raw.request("initialize", BARE)["error"]["code"] == -32600
    assert "result" in raw.request("shutdown")


def test_a_command_without_its_argument_has_an_empty_answer(raw: Raw) -> None:
    raw.initialize()
    ways: tuple[dict[str, object], ...] = ({}, {"arguments": []}, {"arguments": [None, 1]})
    for given in ways:
        assert raw.request("workspace/executeCommand", {"command": "pto.syncPreview", **given})["result"] is None
        assert raw.request("workspace/executeCommand", {"command": "pto.restart", **given})["result"] is None
