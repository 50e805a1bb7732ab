// The status bar item: one glance tells whether the server runs, and a click opens its output.
import * as vscode from "vscode";

export type Health =
  | { readonly state: "starting" }
  | { readonly state: "running"; readonly version: string; readonly program: string }
  | { readonly state: "stopped" }
  | { readonly state: "missing"; readonly reason: string };

export class Status implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("pto.status", vscode.StatusBarAlignment.Right, 10);

  constructor() {
    this.item.name = "PTO language server";
    this.item.command = "pto.showOutput";
  }

  show(health: Health): void {
    const shown = describe(health);
    this.item.text = shown.text;
    this.item.tooltip = shown.tooltip;
    this.item.backgroundColor = shown.warn ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
    this.item.show();
  }

  dispose(): void {
    this.item.dispose();
  }
}

function describe(health: Health): { text: string; tooltip: string; warn: boolean } {
  switch (health.state) {
    case "starting":
      return { text: "$(sync~spin) PTO", tooltip: "The PTO language server is starting.", warn: false };
    case "running":
      return { text: "$(check) PTO", tooltip: `pto-lsp ${health.version}\n${health.program}`, warn: false };
    case "stopped":
      return { text: "$(circle-slash) PTO", tooltip: "The PTO language server is not running.", warn: true };
    case "missing":
      return { text: "$(warning) PTO", tooltip: health.reason, warn: true };
  }
}
