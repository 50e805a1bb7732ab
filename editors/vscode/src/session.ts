// One running server: start, stop, restart, and the requests that the previews make.
import * as vscode from "vscode";
import { LanguageClient, State, type LanguageClientOptions, type ServerOptions } from "vscode-languageclient/node";
import { surroundings } from "./environment";
import { ADVICE, locateServer, type Command } from "./locate";
import type { Preview, PreviewArgument, PreviewKind } from "./preview";
import type { Status } from "./status";

const OPENING_COMMANDS: Record<string, PreviewKind> = {
  "pto.syncPreview": "sync",
  "pto.canonicalPreview": "canonical",
  "pto.budgetPreview": "budget",
};

export class Session implements vscode.Disposable {
  private client: LanguageClient | undefined;

  constructor(
    private readonly output: vscode.LogOutputChannel,
    private readonly status: Status,
    private readonly openPreview: (kind: PreviewKind) => void,
  ) {}

  async start(): Promise<void> {
    if (!vscode.workspace.getConfiguration("pto").get<boolean>("enable", true)) {
      this.status.show({ state: "stopped" });
      return;
    }
    const located = locateServer(await surroundings());
    if ("missing" in located) {
      this.report(located.missing);
      return;
    }
    await this.launch(located.found);
  }

  async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    if (client?.needsStop() === true) {
      await client.stop();
    }
    await client?.dispose();
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.start();
  }

  async ask(command: string, argument: PreviewArgument): Promise<Preview | null> {
    const client = this.client;
    if (client === undefined || client.state !== State.Running) {
      return null;
    }
    return await client.sendRequest<Preview | null>("workspace/executeCommand", { command, arguments: [argument] });
  }

  private async launch(command: Command): Promise<void> {
    this.output.info(`starting ${command.program} ${command.args.join(" ")} (${command.origin})`);
    this.status.show({ state: "starting" });
    const client = new LanguageClient("pto", "PTO", serverOptions(command), this.clientOptions());
    this.client = client;
    client.onDidChangeState((change) => {
      if (change.newState === State.Stopped && this.client === client) {
        this.status.show({ state: "stopped" });
      }
    });
    try {
      await client.start();
    } catch (error) {
      this.report(`${command.program} did not start: ${String(error)}\n${ADVICE}`);
      return;
    }
    const version = client.initializeResult?.serverInfo?.version ?? "of unknown version";
    this.output.info(`pto-lsp ${version} is running`);
    this.status.show({ state: "running", version, program: command.program });
  }

  private clientOptions(): LanguageClientOptions {
    return {
      documentSelector: [{ language: "python" }, { language: "pto" }],
      outputChannel: this.output,
      diagnosticPullOptions: { onChange: true, onSave: true, onTabs: false },
      initializationOptions: vscode.workspace.getConfiguration("pto"),
      middleware: {
        executeCommand: (command, args, next) => {
          const kind = OPENING_COMMANDS[command];
          if (kind === undefined) {
            return next(command, args) as unknown;
          }
          this.openPreview(kind);
          return undefined;
        },
      },
    };
  }

  private report(reason: string): void {
    this.output.error(reason);
    this.status.show({ state: "missing", reason });
    const [headline] = reason.split("\n");
    void vscode.window
      .showWarningMessage(`${headline ?? reason} ${ADVICE}`, "Show Output", "Open Settings")
      .then((choice) => {
        if (choice === "Show Output") {
          this.output.show();
        } else if (choice === "Open Settings") {
          void vscode.commands.executeCommand("workbench.action.openSettings", "pto.server.path");
        }
      });
  }

  dispose(): void {
    void this.stop();
  }
}

function serverOptions(command: Command): ServerOptions {
  const executable = { command: command.program, args: [...command.args] };
  return { run: executable, debug: executable };
}
