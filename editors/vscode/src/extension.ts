import * as vscode from "vscode";
import { onEnvironmentChange } from "./environment";
import { Previews } from "./preview";
import { Session } from "./session";
import { Status } from "./status";

const RESTARTING_SETTINGS = ["pto.enable", "pto.server.path", "pto.server.args"];

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const output = vscode.window.createOutputChannel("PTO", { log: true });
  const status = new Status();
  const session: Session = new Session(output, status, (kind) => {
    previews.open(kind, vscode.window.activeTextEditor);
  });
  const previews = new Previews((command, argument) => session.ask(command, argument));

  context.subscriptions.push(
    output,
    status,
    previews,
    session,
    vscode.commands.registerCommand("pto.openSyncPreview", () => {
      previews.open("sync", vscode.window.activeTextEditor);
    }),
    vscode.commands.registerCommand("pto.openCanonicalPreview", () => {
      previews.open("canonical", vscode.window.activeTextEditor);
    }),
    vscode.commands.registerCommand("pto.openBudgetPreview", () => {
      previews.open("budget", vscode.window.activeTextEditor);
    }),
    vscode.commands.registerCommand("pto.restartServer", () => session.restart()),
    vscode.commands.registerCommand("pto.showOutput", () => {
      output.show();
    }),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (RESTARTING_SETTINGS.some((name) => change.affectsConfiguration(name))) {
        void session.restart();
      }
    }),
  );
  await session.start();
  const environments = await onEnvironmentChange(() => void session.restart());
  if (environments !== undefined) {
    context.subscriptions.push(environments);
  }
}
