// The HTML around a preview. Nothing is loaded and nothing runs: the content policy allows inline style only.

export interface Rendered {
  readonly html: string;
}

const POLICY = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:;">`;

const STYLE = `<style>
body { color: var(--vscode-editor-foreground); background: var(--vscode-editor-background); padding: 8px; }
pre { font-family: var(--vscode-editor-font-family, monospace); font-size: var(--vscode-editor-font-size, 13px); white-space: pre; }
.stale { border-left: 3px solid var(--vscode-editorWarning-foreground); padding: 4px 8px; margin-bottom: 8px; }
</style>`;

const STALE = `<div class="stale">The kernel does not parse at the moment; this is the last good preview.</div>`;

export function page(format: "markdown" | "text" | "svg" | "html", content: string, stale: boolean): Rendered {
  const notice = stale ? STALE : "";
  if (format === "html" && /<html[\s>]/i.test(content)) {
    return { html: intoDocument(content, notice) };
  }
  const body = format === "svg" || format === "html" ? content : `<pre>${escapeHtml(content)}</pre>`;
  return { html: `<!DOCTYPE html><html><head>${POLICY}${STYLE}</head><body>${notice}${body}</body></html>` };
}

function intoDocument(content: string, notice: string): string {
  const withPolicy = content.replace(/<head[^>]*>/i, (head) => `${head}${POLICY}`);
  return notice === "" ? withPolicy : withPolicy.replace(/<body[^>]*>/i, (body) => `${body}${STYLE}${notice}`);
}

export function escapeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
