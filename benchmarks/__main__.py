"""Runs the benchmarks: every module here with a `run(setting)`, or those named."""

from __future__ import annotations

import argparse
import pkgutil
from importlib import import_module
from pathlib import Path

import benchmarks
from benchmarks.measure import Setting


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--kernels", type=Path, help="a folder of real kernels, e.g. a checkout of pypto-lib")
    arguments = parser.parse_args()
    found = sorted(module.name for module in pkgutil.iter_modules(benchmarks.__path__))
    for name in arguments.names or found:
        module = import_module(f"benchmarks.{name}")
        if not hasattr(module, "run"):
            continue
        print(f"{name}: {(module.__doc__ or '').strip().splitlines()[0]}", flush=True)
        for row in module.run(Setting(arguments.kernels)):
            print(row, flush=True)


if __name__ == "__main__":
    main()
