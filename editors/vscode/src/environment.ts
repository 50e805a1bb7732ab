// What of the editor and the machine the search for the server needs to know.
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import * as vscode from "vscode";
import type { Surroundings } from "./locate";

interface PythonApi {
  readonly environments: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { readonly path: string };
    resolveEnvironment(
      environment: unknown,
    ): Thenable<{ readonly executable: { readonly uri?: vscode.Uri } } | undefined>;
    readonly onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
  };
}

async function pythonApi(): Promise<PythonApi | undefined> {
  const extension = vscode.extensions.getExtension<PythonApi>("ms-python.python");
  return extension === undefined ? undefined : await extension.activate();
}

async function activeInterpreter(): Promise<string | undefined> {
  const resource = vscode.workspace.workspaceFolders?.[0]?.uri;
  const api = await pythonApi();
  if (api !== undefined) {
    const resolved = await api.environments.resolveEnvironment(api.environments.getActiveEnvironmentPath(resource));
    if (resolved?.executable.uri !== undefined) {
      return resolved.executable.uri.fsPath;
    }
  }
  const configured = vscode.workspace.getConfiguration("python", resource).get<string>("defaultInterpreterPath");
  return configured === undefined || !configured.includes("/") ? undefined : configured;
}

/** Calls `listener` when the user picks another Python environment. */
export async function onEnvironmentChange(listener: () => void): Promise<vscode.Disposable | undefined> {
  const api = await pythonApi();
  return api?.environments.onDidChangeActiveEnvironmentPath(listener);
}

export async function surroundings(): Promise<Surroundings> {
  const settings = vscode.workspace.getConfiguration("pto");
  return {
    configuredPath: settings.get<string>("server.path", "").trim(),
    configuredArgs: settings.get<string[]>("server.args", []),
    interpreter: await activeInterpreter(),
    workspaceFolders: (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath),
    searchPath: process.env["PATH"] ?? "",
    home: homedir(),
    windows: process.platform === "win32",
    exists: existsSync,
  };
}
