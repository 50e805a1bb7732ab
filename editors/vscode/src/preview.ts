// Panels beside the editor that show what the compiler or the assembler makes of the kernel under the cursor.
import * as vscode from "vscode";
import { page, type Rendered } from "./page";

export type PreviewKind = "sync" | "canonical" | "budget";

/** What the server answers to the commands that open previews; null where no kernel stands. */
export interface Preview {
  readonly kernel: string;
  readonly format: "markdown" | "text" | "svg" | "html";
  readonly content: string;
  readonly stale?: boolean;
}

export type Ask = (command: string, argument: PreviewArgument) => Promise<Preview | null>;

export interface PreviewArgument {
  readonly uri: string;
  readonly line: number;
  readonly character: number;
  readonly format: "html" | "text";
}

const COMMANDS: Record<PreviewKind, string> = {
  sync: "pto.syncPreview",
  canonical: "pto.canonicalPreview",
  budget: "pto.budgetPreview",
};
const TITLES: Record<PreviewKind, string> = { sync: "Sync", canonical: "Canonical", budget: "Budget" };
const QUIET_MILLISECONDS = 120;

export class Previews implements vscode.Disposable {
  private readonly panels = new Map<PreviewKind, PreviewPanel>();
  private readonly listeners: vscode.Disposable[];

  constructor(private readonly ask: Ask) {
    this.listeners = [
      vscode.window.onDidChangeTextEditorSelection((event) => {
        this.follow(event.textEditor);
      }),
      vscode.workspace.onDidChangeTextDocument((event) => {
        const editor = vscode.window.visibleTextEditors.find((shown) => shown.document === event.document);
        if (editor !== undefined) {
          this.follow(editor);
        }
      }),
    ];
  }

  open(kind: PreviewKind, editor: vscode.TextEditor | undefined): void {
    if (editor === undefined) {
      void vscode.window.showInformationMessage("Put the cursor into a kernel first.");
      return;
    }
    let panel = this.panels.get(kind);
    if (panel === undefined) {
      panel = new PreviewPanel(kind, this.ask, () => this.panels.delete(kind));
      this.panels.set(kind, panel);
    }
    panel.reveal();
    panel.follow(editor);
  }

  private follow(editor: vscode.TextEditor): void {
    if (editor.document.languageId !== "python" && editor.document.languageId !== "pto") {
      return;
    }
    for (const panel of this.panels.values()) {
      panel.follow(editor);
    }
  }

  dispose(): void {
    for (const item of [...this.listeners, ...this.panels.values()]) {
      item.dispose();
    }
  }
}

class PreviewPanel implements vscode.Disposable {
  private readonly panel: vscode.WebviewPanel;
  private timer: NodeJS.Timeout | undefined;
  private latest = 0;
  private shown = "";

  constructor(
    private readonly kind: PreviewKind,
    private readonly ask: Ask,
    onClose: () => void,
  ) {
    this.panel = vscode.window.createWebviewPanel(
      `pto.${kind}`,
      `${TITLES[kind]} preview`,
      { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
      { enableScripts: false, enableFindWidget: true },
    );
    this.panel.onDidDispose(() => {
      clearTimeout(this.timer);
      onClose();
    });
  }

  reveal(): void {
    this.panel.reveal(undefined, true);
  }

  follow(editor: vscode.TextEditor): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.refresh(editor), QUIET_MILLISECONDS);
  }

  private async refresh(editor: vscode.TextEditor): Promise<void> {
    const ticket = ++this.latest;
    const cursor = editor.selection.active;
    const argument: PreviewArgument = {
      uri: editor.document.uri.toString(),
      line: cursor.line,
      character: cursor.character,
      format: this.kind === "sync" ? "html" : "text",
    };
    const answer = await this.ask(COMMANDS[this.kind], argument);
    if (ticket !== this.latest || answer === null) {
      return;
    }
    this.show(answer);
  }

  private show(answer: Preview): void {
    const rendered: Rendered = page(answer.format, answer.content, answer.stale === true);
    if (rendered.html === this.shown) {
      return;
    }
    this.shown = rendered.html;
    this.panel.title = `${TITLES[this.kind]}: ${answer.kernel}`;
    this.panel.webview.html = rendered.html;
  }

  dispose(): void {
    this.panel.dispose();
  }
}
