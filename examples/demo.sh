#!/usr/bin/env bash
# Lints, canonicalizes and previews the kernels of this folder. `make demo` runs it.
set -uo pipefail
cd "$(dirname "$0")/.."
bin=${BIN:-.venv/bin}

# Findings are what is shown here (status 1); anything worse ends the demo.
say() {
  printf '\n\033[1m$ %s\033[0m\n' "$*"
  "$bin/${1}" "${@:2}" || [ $? -eq 1 ] || exit 2
}

say pto-lint check examples/accumulator_windows.py
say pto-lint check examples --min-severity hint --output-format concise --statistics
say pto-lint canonicalize examples/column_broadcast.py --function Broadcast.right_half --output-format diff
say pto-lint budget examples/accumulator_windows.py
say pto-lint sync examples/rotating_slots.py --function Ring.one_ring --verify
say pto-lint rule PTO201
