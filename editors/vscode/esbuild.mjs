// Bundles the extension to out/extension.js, or (--tests) each unit test to out/test/.
import { readdirSync } from "node:fs";
import { build } from "esbuild";

const common = { bundle: true, platform: "node", format: "cjs", target: "node18", sourcemap: true, external: ["vscode"] };

if (process.argv.includes("--tests")) {
  const tests = readdirSync("test/unit").filter((name) => name.endsWith(".test.ts"));
  await build({ ...common, entryPoints: tests.map((name) => `test/unit/${name}`), outdir: "out/test" });
} else {
  await build({ ...common, entryPoints: ["src/extension.ts"], outfile: "out/extension.js", minify: true });
}
