import assert from "node:assert/strict";
import { test } from "node:test";
import { locateServer, type Surroundings } from "../../src/locate";

function at(changes: Partial<Surroundings>, files: readonly string[]): Surroundings {
  return {
    configuredPath: "",
    configuredArgs: [],
    interpreter: undefined,
    workspaceFolders: ["/ws"],
    searchPath: "/usr/bin:/opt/bin",
    home: "/home/ada",
    windows: false,
    exists: (file) => files.includes(file),
    ...changes,
  };
}

function program(changes: Partial<Surroundings>, files: readonly string[]): string {
  const located = locateServer(at(changes, files));
  assert.ok("found" in located, JSON.stringify(located));
  return located.found.program;
}

void test("the setting wins over everything else", () => {
  const files = ["/my/pto-lsp", "/env/bin/pto-lsp", "/usr/bin/pto-lsp"];
  assert.equal(program({ configuredPath: "/my/pto-lsp", interpreter: "/env/bin/python" }, files), "/my/pto-lsp");
});

void test("a setting may start with ~ or ${workspaceFolder}, or be relative to the workspace", () => {
  assert.equal(program({ configuredPath: "~/bin/pto-lsp" }, ["/home/ada/bin/pto-lsp"]), "/home/ada/bin/pto-lsp");
  assert.equal(program({ configuredPath: "${workspaceFolder}/x/pto-lsp" }, ["/ws/x/pto-lsp"]), "/ws/x/pto-lsp");
  assert.equal(program({ configuredPath: "x/pto-lsp" }, ["/ws/x/pto-lsp"]), "/ws/x/pto-lsp");
});

void test("a setting that names no file is an error, not a reason to look elsewhere", () => {
  const located = locateServer(at({ configuredPath: "/gone" }, ["/usr/bin/pto-lsp"]));
  assert.ok("missing" in located);
  assert.match(located.missing, /pto\.server\.path.*\/gone/);
});

void test("the active environment comes before the workspace's and before PATH", () => {
  const files = ["/env/bin/pto-lsp", "/ws/.venv/bin/pto-lsp", "/usr/bin/pto-lsp"];
  assert.equal(program({ interpreter: "/env/bin/python" }, files), "/env/bin/pto-lsp");
  assert.equal(program({}, files), "/ws/.venv/bin/pto-lsp");
  assert.equal(program({}, ["/opt/bin/pto-lsp"]), "/opt/bin/pto-lsp");
});

void test("extra arguments are passed on", () => {
  const located = locateServer(at({ configuredArgs: ["--log-level", "debug"] }, ["/usr/bin/pto-lsp"]));
  assert.ok("found" in located);
  assert.deepEqual(located.found.args, ["--log-level", "debug"]);
});

void test("nothing found: says where it looked and what to do", () => {
  const located = locateServer(at({ interpreter: "/env/bin/python" }, []));
  assert.ok("missing" in located);
  assert.match(located.missing, /\/env\/bin\/pto-lsp \(active Python environment\)/);
  assert.match(located.missing, /pip install pto-lsp/);
});
