// A real VS Code workbench (code-server) in headless Chromium, with the packaged extension installed.
import { spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

const CODE_SERVER = "4.100.3";

/** Installs code-server and a browser driver below `cache`, once. Nothing is compiled and nothing but npm is asked. */
export function install(cache) {
  const modules = path.join(cache, "node_modules");
  const ready = path.join(cache, "ready");
  if (existsSync(ready)) return;
  mkdirSync(cache, { recursive: true });
  writeFileSync(path.join(cache, "package.json"), '{"private": true}\n');
  const quiet = ["--ignore-scripts", "--no-audit", "--no-fund"];
  npm(cache, ["install", `code-server@${CODE_SERVER}`, "playwright-core", ...quiet]);
  const workbench = path.join(modules, "code-server", "lib", "vscode");
  npm(workbench, ["install", "--omit=dev", ...quiet]);
  rmSync(path.join(workbench, "node_modules.asar"), { recursive: true, force: true });
  symlinkSync("node_modules", path.join(workbench, "node_modules.asar"));
  // argon2 only hashes passwords, and the test server runs without one; its native build is not needed.
  writeFileSync(
    path.join(modules, "argon2", "argon2.js"),
    'exports.hash=async()=>"";exports.verify=async()=>false;exports.needsRehash=()=>false;\n',
  );
  writeFileSync(ready, CODE_SERVER);
}

function npm(folder, args) {
  const result = spawnSync("npm", args, { cwd: folder, encoding: "utf8" });
  if (result.status !== 0) throw new Error(`npm ${args.join(" ")} failed:\n${result.stderr}`);
}

/** Starts the workbench on a copy of `files` and hands its page to `scenario`; always takes everything down. */
export async function withWorkbench({ cache, vsix, chromium, files, settings }, scenario) {
  const root = mkdtempSync(path.join(tmpdir(), "pto-vscode-"));
  const workspace = path.join(root, "workspace");
  cpSync(files, workspace, { recursive: true });
  const userData = path.join(root, "user");
  mkdirSync(path.join(userData, "User"), { recursive: true });
  writeFileSync(path.join(userData, "User", "settings.json"), JSON.stringify({ ...QUIET_SETTINGS, ...settings }));
  const entry = path.join(cache, "node_modules", "code-server", "out", "node", "entry.js");
  const base = [entry, "--user-data-dir", userData, "--extensions-dir", path.join(root, "extensions")];
  const env = { ...process.env, XDG_DATA_HOME: path.join(root, "data"), XDG_CONFIG_HOME: path.join(root, "config") };
  const installed = spawnSync("node", [...base, "--install-extension", vsix], { env, encoding: "utf8" });
  if (installed.status !== 0) throw new Error(`the extension was not installed:\n${installed.stderr}`);
  const port = await freePort();
  const server = spawn(
    "node",
    [...base, "--auth", "none", "--bind-addr", `127.0.0.1:${port}`, "--disable-telemetry", "--disable-update-check",
      "--disable-workspace-trust", workspace],
    { env, stdio: "ignore", detached: true },
  );
  const { chromium: engine } = await import(
    pathToFileURL(path.join(cache, "node_modules", "playwright-core", "index.mjs")).href
  );
  const browser = await engine.launch({
    executablePath: chromium,
    args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
  });
  const page = await browser.newPage({ viewport: { width: 1440, height: 860 } });
  try {
    await reach(page, `http://127.0.0.1:${port}/?folder=${workspace}`);
    await page.locator(".monaco-workbench").waitFor({ timeout: 60_000 });
    await scenario(page, workspace);
  } catch (error) {
    await page.screenshot({ path: path.join(tmpdir(), "pto-vscode-failure.png") }).catch(() => undefined);
    throw error;
  } finally {
    await browser.close();
    process.kill(-server.pid, "SIGKILL");
    rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

const QUIET_SETTINGS = {
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "workbench.welcomePage.walkthroughs.openOnInstall": false,
  "security.workspace.trust.enabled": false,
  "editor.minimap.enabled": false,
  "editor.fontSize": 13,
  "telemetry.telemetryLevel": "off",
  "window.commandCenter": false,
  "git.enabled": false,
};

async function reach(page, url) {
  for (let attempt = 0; ; attempt++) {
    try {
      await page.goto(url, { timeout: 60_000 });
      return;
    } catch (error) {
      if (attempt === 60) throw error;
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
}

function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}
