// Where the server is: the setting, the active Python environment, or PATH. Pure, so that tests can ask it anything.
import * as path from "node:path";

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  /** Why this one was taken, for the output channel. */
  readonly origin: string;
}

export interface Surroundings {
  readonly configuredPath: string;
  readonly configuredArgs: readonly string[];
  /** The interpreter of the active Python environment, if one is known. */
  readonly interpreter: string | undefined;
  readonly workspaceFolders: readonly string[];
  readonly searchPath: string;
  readonly home: string;
  readonly windows: boolean;
  readonly exists: (file: string) => boolean;
}

export type Located = { readonly found: Command } | { readonly missing: string };

export function locateServer(at: Surroundings): Located {
  if (at.configuredPath !== "") {
    return fromSetting(at);
  }
  const candidates = [...besideInterpreter(at), ...inWorkspace(at), ...onPath(at)];
  const hit = candidates.find((candidate) => at.exists(candidate.program));
  if (hit !== undefined) {
    return { found: hit };
  }
  const searched = candidates.map((candidate) => `  ${candidate.program} (${candidate.origin})`).join("\n");
  return { missing: `pto-lsp was not found. Looked for:\n${searched}\n${ADVICE}` };
}

export const ADVICE =
  'Install it into the Python environment of this workspace with "pip install pto-lsp", or set "pto.server.path".';

function fromSetting(at: Surroundings): Located {
  const program = expand(at.configuredPath, at);
  if (!at.exists(program)) {
    return { missing: `"pto.server.path" names ${program}, and there is no such file. Correct it or clear it.` };
  }
  return { found: { program, args: at.configuredArgs, origin: "setting pto.server.path" } };
}

function expand(file: string, at: Surroundings): string {
  const folder = at.workspaceFolders[0] ?? "";
  const expanded = file.replaceAll("${workspaceFolder}", folder).replace(/^~(?=[/\\]|$)/, at.home);
  return path.isAbsolute(expanded) || folder === "" ? expanded : path.join(folder, expanded);
}

function programName(at: Surroundings): string {
  return at.windows ? "pto-lsp.exe" : "pto-lsp";
}

function command(program: string, at: Surroundings, origin: string): Command {
  return { program, args: at.configuredArgs, origin };
}

function besideInterpreter(at: Surroundings): Command[] {
  if (at.interpreter === undefined) {
    return [];
  }
  const program = path.join(path.dirname(at.interpreter), programName(at));
  return [command(program, at, "active Python environment")];
}

function inWorkspace(at: Surroundings): Command[] {
  const scripts = at.windows ? "Scripts" : "bin";
  return at.workspaceFolders.flatMap((folder) =>
    [".venv", "venv"].map((name) =>
      command(path.join(folder, name, scripts, programName(at)), at, `${name} of the workspace`),
    ),
  );
}

function onPath(at: Surroundings): Command[] {
  const folders = at.searchPath.split(at.windows ? ";" : ":").filter((folder) => folder !== "");
  return folders.map((folder) => command(path.join(folder, programName(at)), at, "PATH"));
}
