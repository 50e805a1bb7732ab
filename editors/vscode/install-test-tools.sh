#!/usr/bin/env bash
# Installs what the extension's tests need, from the npm registry alone: its own modules, and a VS Code workbench
# (code-server) with a browser driver in the cache folder. Chromium itself comes from the system's packages.
set -euo pipefail
cd "$(dirname "$0")"

npm ci --ignore-scripts --no-audit --no-fund --silent
# esbuild's program is a package of its own; without scripts only its check is missed.
cache="${XDG_CACHE_HOME:-$HOME/.cache}/pto-lsp/workbench"
node -e 'import("./test/e2e/workbench.mjs").then((rig) => rig.install(process.argv[1]))' "$cache"
