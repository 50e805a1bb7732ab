// Drives the packaged extension in a real workbench and writes what it saw into a JSON file, one key a step.
// Usage: node scenario.mjs CACHE VSIX CHROMIUM FILES SERVER RESULT [SCREENSHOTS]
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { install, withWorkbench } from "./workbench.mjs";

const [cache, vsix, chromium, files, server, result, screenshots] = process.argv.slice(2);
const PATIENCE = { timeout: 60_000 };
const seen = {};

install(cache);
await withWorkbench({ cache, vsix, chromium, files, settings: { "pto.server.path": server } }, async (page) => {
  await open(page, "accumulator.py");
  await squiggle(page);
  await hover(page);
  await quickFix(page);
  await previews(page);
});
writeFileSync(result, JSON.stringify(seen));

async function open(page, name) {
  await page.locator(".explorer-folders-view .monaco-list-row", { hasText: name }).dblclick(PATIENCE);
  await page.locator(".monaco-editor .view-line").first().waitFor(PATIENCE);
}

async function squiggle(page) {
  await page.locator(".monaco-editor .squiggly-error").first().waitFor(PATIENCE);
  await page.keyboard.press("Control+Shift+M");
  const rows = page.locator(".markers-panel .monaco-list-row");
  await rows.filter({ hasText: "PTO201" }).first().waitFor(PATIENCE);
  seen.problems = await rows.allInnerTexts();
  await shoot(page, "problems");
  await page.keyboard.press("Control+J");
  await page.locator(".codelens-decoration", { hasText: "waits" }).first().waitFor(PATIENCE);
  seen.lenses = await page.locator(".codelens-decoration").allInnerTexts();
}

async function hover(page) {
  const box = page.locator(".monaco-hover", { hasText: "L0C" }).first();
  await insist(async (patience) => {
    await goTo(page, "band = ");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("Control+K");
    await page.keyboard.press("Control+I");
    await box.waitFor(patience);
  });
  seen.hover = await box.innerText();
  await shoot(page, "hover");
  await page.keyboard.press("Escape");
}

async function previews(page) {
  await goTo(page, "matmul_acc");
  await command(page, "PTO: Open Sync Preview to the Side");
  seen.sync = await previewWith(page, "MTE2");
  await shoot(page, "sync");
  await command(page, "PTO: Open Canonical Preview to the Side");
  seen.canonical = await previewWith(page, "left__ssa_v0: pl.Tile");
  await shoot(page, "canonical");
  await replaceSelection(page, "left = pl", "lhs = pl");
  await replaceSelection(page, "band, left", "band, lhs");
  seen.followed = await previewWith(page, "(band__ssa_v0, lhs__ssa_v0");
}

async function quickFix(page) {
  await applyFix(page, "PTO101", "Remove it");
  await page.locator(".view-line", { hasText: "PTO101" }).first().waitFor({ ...PATIENCE, state: "detached" });
  await applyFix(page, "matmul_acc", "Pack the windows", "quickfix");
  await page.locator(".monaco-editor .squiggly-error").first().waitFor({ ...PATIENCE, state: "detached" });
  seen.fixed = await page.locator(".view-line", { hasText: "tile.create" }).first().innerText();
  await shoot(page, "fixed");
}

/** Puts the cursor on a text and chooses the first fix that is offered there, which must have this title. */
async function applyFix(page, at, title, picture) {
  const first = page.locator(".action-widget .monaco-list-row.action").first();
  await insist(async (patience) => {
    await page.keyboard.press("Escape");
    await goTo(page, at);
    await page.keyboard.press("Control+.");
    await first.waitFor(patience);
  });
  const offered = await first.innerText();
  if (!offered.includes(title)) throw new Error(`the first fix is ${offered}, not ${title}`);
  if (picture !== undefined) await shoot(page, picture);
  await page.keyboard.press("Enter");
}

/** Tries a few keys again as a person would: a busy editor drops some, and widgets close when the focus moves. */
async function insist(attempt) {
  const tries = 8;
  for (let number = 1; ; number++) {
    try {
      await attempt({ timeout: PATIENCE.timeout / tries });
      return;
    } catch (error) {
      if (number === tries) throw error;
    }
  }
}

/** Selects the first occurrence of a text in the editor. */
async function goTo(page, text) {
  await page.locator(".monaco-editor .view-lines").first().click();
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("Control+F");
  await page.locator(".find-widget.visible").first().waitFor(PATIENCE);
  await page.keyboard.press("Control+A");
  await page.keyboard.type(text);
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape");
}

async function replaceSelection(page, from, to) {
  await goTo(page, from);
  await page.keyboard.insertText(to);
}

async function command(page, name) {
  await page.keyboard.press("F1");
  await page.locator(".quick-input-widget input").first().waitFor(PATIENCE);
  await page.keyboard.insertText(`>${name}`);
  await page.locator(".quick-input-list .monaco-list-row", { hasText: name }).first().waitFor(PATIENCE);
  await page.keyboard.press("Enter");
}

/** The text of the preview that holds some words; previews are frames inside frames. */
async function previewWith(page, words) {
  const deadline = Date.now() + PATIENCE.timeout;
  while (Date.now() < deadline) {
    for (const frame of page.frames()) {
      const text = await frame.evaluate(() => document.body?.innerText ?? "").catch(() => "");
      if (frame.parentFrame() !== null && text.includes(words)) return text;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`no preview shows ${words}`);
}

async function shoot(page, name) {
  if (screenshots === undefined) return;
  mkdirSync(screenshots, { recursive: true });
  await new Promise((resolve) => setTimeout(resolve, 800));
  await page.screenshot({ path: path.join(screenshots, `${name}.png`) });
}
