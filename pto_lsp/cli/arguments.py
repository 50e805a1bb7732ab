"""The options of every subcommand."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, HelpFormatter, Namespace
from collections.abc import Sequence
from typing import NoReturn

from pto_lsp.cli.main import COMMANDS

_FORMATS = ("full", "concise", "json", "sarif", "github", "gitlab", "junit")
_SEVERITIES = ("error", "warning", "info", "hint")


class UsageError(Exception):
    """A command line or configuration that cannot be used; the message is for the user."""


class _Parser(ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}\n\nSee `{self.prog} --help`.")


def parse(argv: Sequence[str]) -> Namespace:
    """The parsed command line; a first word that is no subcommand belongs to `check`. Errors: UsageError."""
    words = list(argv)
    if words and words[0] not in (*COMMANDS, "-h", "--help", "-V", "--version"):
        words.insert(0, "check")
    return _build().parse_args(words or ["check"])


def _build() -> ArgumentParser:
    parser = _Parser(
        prog="pto-lint",
        description="The linter of the PyPTO tile DSL. `pto-lint PATH` means `pto-lint check PATH`.",
        formatter_class=_Help,
    )
    parser.add_argument("-V", "--version", action="version", version=_version())
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=_Parser)
    _check(commands.add_parser("check", help="report findings (the default)", formatter_class=_Help))
    _canonicalize(commands.add_parser("canonicalize", help="what CanonicalizeTileSlice makes of each kernel"))
    _rule(commands.add_parser("rule", help="explain a rule"))
    _sync(commands.add_parser("sync", help="preview the synchronisation a kernel needs"))
    _budget(commands.add_parser("budget", help="bytes per on-chip buffer at the worst point of each kernel"))
    return parser


class _Help(HelpFormatter):
    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=32)


def _version() -> str:
    from pto_lsp import __version__

    return f"pto-lint {__version__}"


def _common(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("toolchain and configuration")
    group.add_argument("--target", choices=("a2a3", "a5"), help="the chip (default: a2a3)")
    group.add_argument(
        "--toolchain",
        metavar="VERSIONS",
        help="compiler date and assembler version, e.g. pypto=2026-08-21,ptoas=0.66 (default: the newest)",
    )
    group.add_argument("--config", metavar="FILE", help="use this pyproject.toml or pto-lint.toml for every file")
    group.add_argument("--isolated", action="store_true", help="ignore configuration files")
    group.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="default: auto")
    group.add_argument("-v", "--verbose", action="store_true", help="say more: configuration used, tracebacks")


def _output(parser: ArgumentParser, formats: Sequence[str], default: str) -> None:
    parser.add_argument("--output-format", choices=formats, default=default, help=f"default: {default}")
    parser.add_argument("-o", "--output-file", metavar="FILE", help="write there instead of to the terminal")


def _check(parser: ArgumentParser) -> None:
    parser.add_argument("paths", nargs="*", metavar="PATH", help="files, folders, or - for standard input (default: .)")
    parser.add_argument("--stdin-filename", metavar="PATH", help="the name of standard input")
    _rules_options(parser)
    fixing = parser.add_argument_group("fixes")
    fixing.add_argument("--fix", action="store_true", help="apply safe fixes")
    fixing.add_argument("--unsafe-fixes", action="store_true", help="also those that may change meaning")
    fixing.add_argument("--diff", action="store_true", help="show what --fix would do, change nothing")
    _output(parser, _FORMATS, "full")
    output = parser.add_argument_group("output")
    output.add_argument("--min-severity", choices=_SEVERITIES, help="show findings from here up (default: warning)")
    output.add_argument("--fail-level", choices=_SEVERITIES, help="exit with 1 from here up (default: warning)")
    output.add_argument("--exit-zero", action="store_true", help="exit with 0 whatever was found")
    output.add_argument("--statistics", action="store_true", help="count findings and what was not understood")
    output.add_argument("-q", "--quiet", action="store_true", help="findings only, no closing line, no progress")
    running = parser.add_argument_group("running")
    running.add_argument("-j", "--jobs", type=_jobs, metavar="N", help="processes (default: one per core)")
    running.add_argument("--no-cache", action="store_true", help="neither read nor write the cache")
    running.add_argument("--cache-dir", metavar="DIR", help="default: the user's cache folder")
    running.add_argument("--watch", action="store_true", help="run again whenever a file changes")
    _common(parser)


def _rules_options(parser: ArgumentParser) -> None:
    group = parser.add_argument_group("rules", "RULES are codes, prefixes (PTO2), names or ALL, separated by commas.")
    group.add_argument("--select", action="append", metavar="RULES", help="only these")
    group.add_argument("--ignore", action="append", metavar="RULES", help="not these")
    group.add_argument("--extend-select", action="append", metavar="RULES", help="these too")
    group.add_argument("--extend-ignore", action="append", metavar="RULES", help="nor these")
    group.add_argument("--per-file-ignores", action="append", metavar="GLOB:RULES", help="not these in these files")
    group.add_argument("--severity", action="append", metavar="RULE=LEVEL", help="the severity of one rule")
    group.add_argument("--exclude", action="append", metavar="GLOBS", help="pass over these when walking folders")


def _canonicalize(parser: ArgumentParser) -> None:
    parser.add_argument("paths", nargs="+", metavar="PATH")
    parser.add_argument("--stdin-filename", metavar="PATH", help="the name of standard input")
    parser.add_argument("--function", metavar="QUALNAME", help="only this kernel")
    _output(parser, ("python", "diff", "json"), "python")
    _common(parser)


def _rule(parser: ArgumentParser) -> None:
    parser.add_argument("code", nargs="?", metavar="CODE", help="a code or name")
    parser.add_argument("--all", action="store_true", help="every rule")
    _output(parser, ("text", "json", "markdown"), "text")
    _common(parser)


def _sync(parser: ArgumentParser) -> None:
    parser.add_argument("path", metavar="PATH")
    parser.add_argument("--function", metavar="QUALNAME", help="only this kernel")
    parser.add_argument("--model", choices=("precise", "ptoas"), default="precise", help="default: precise")
    parser.add_argument("--verify", action="store_true", help="check the plan on every small run")
    parser.add_argument("--trace", metavar="ARGS", help="unroll one run for these arguments (JSON)")
    _output(parser, ("text", "json", "svg", "html"), "text")
    _common(parser)


def _budget(parser: ArgumentParser) -> None:
    parser.add_argument("paths", nargs="+", metavar="PATH")
    parser.add_argument("--stdin-filename", metavar="PATH", help="the name of standard input")
    parser.add_argument("--function", metavar="QUALNAME", help="only this kernel")
    _output(parser, ("text", "json"), "text")
    _common(parser)


def _jobs(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentTypeError(f"a number of processes from 1 up is needed, not `{text}`")
    return int(text)
