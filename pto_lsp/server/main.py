"""`pto-lsp`: the language server's command line."""

from __future__ import annotations

import argparse
import logging
import sys

from pto_lsp import __version__

LEVELS = ("debug", "info", "warning", "error")


def run() -> None:
    sys.exit(main(sys.argv[1:]))


def main(argv: list[str]) -> int:
    arguments = _parser().parse_args(argv)
    _configure_logging(arguments.log_file, arguments.log_level)
    from pto_lsp.server.app import create_server  # pygls loads late, so that --version answers at once
    from pto_lsp.server.channel import standard_input

    server = create_server()
    server.collector.take_over()
    if arguments.tcp:
        server.start_tcp(arguments.host, arguments.port)
    else:
        server.start_io(standard_input())
    server.analyses.close()
    return server.exit_code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="pto-lsp", description="Language server for PyPTO kernels and .pto files.")
    parser.add_argument("--version", action="version", version=f"pto-lsp {__version__}")
    channel = parser.add_mutually_exclusive_group()
    channel.add_argument("--stdio", action="store_true", help="speak over standard input and output (the default)")
    channel.add_argument("--tcp", action="store_true", help="wait for one client on a TCP port")
    parser.add_argument("--host", default="127.0.0.1", help="with --tcp (default: %(default)s)")
    parser.add_argument("--port", type=int, default=2087, help="with --tcp (default: %(default)s)")
    parser.add_argument("--log-file", help="write the log to this file instead of standard error")
    parser.add_argument("--log-level", choices=LEVELS, default="warning", help="default: %(default)s")
    return parser


def _configure_logging(file: str | None, level: str) -> None:
    """Standard output belongs to the protocol, so nothing may ever be printed there."""
    form = "%(asctime)s %(levelname)-7s %(name)s: %(message)s"
    try:
        logging.basicConfig(filename=file, level=level.upper(), format=form, force=True)
    except OSError as error:
        logging.basicConfig(stream=sys.stderr, level=level.upper(), format=form, force=True)
        logging.getLogger("pto").error("--log-file %s: %s; logging to standard error", file, error.strerror)
