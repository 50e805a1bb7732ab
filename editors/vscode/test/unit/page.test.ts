import assert from "node:assert/strict";
import { test } from "node:test";
import { page } from "../../src/page";

void test("text is escaped", () => {
  const { html } = page("text", "a < b & <script>", false);
  assert.match(html, /<pre>a &lt; b &amp; &lt;script&gt;<\/pre>/);
});

void test("svg is kept as it is", () => {
  assert.match(page("svg", "<svg></svg>", false).html, /<body><svg><\/svg><\/body>/);
});

void test("a whole document keeps its head and gets the content policy", () => {
  const { html } = page("html", "<html><head><title>t</title></head><body class='x'>b</body></html>", false);
  assert.match(html, /<head><meta http-equiv="Content-Security-Policy"[^>]*><title>t<\/title>/);
  assert.doesNotMatch(html, /stale/);
});

void test("a stale preview says so", () => {
  assert.match(page("text", "x", true).html, /last good preview/);
  assert.match(page("html", "<html><head></head><body>b</body></html>", true).html, /last good preview/);
});
