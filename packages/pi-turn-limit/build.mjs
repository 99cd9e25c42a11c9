// One CommonJS file with the core inside: Pi loads it without transpiling and it installs on its own.
import { rm } from "node:fs/promises";
import { build } from "esbuild";

await rm(new URL("dist", import.meta.url), { recursive: true, force: true });
await build({
  absWorkingDir: import.meta.dirname,
  entryPoints: ["src/turn-limit.ts"],
  outfile: "dist/turn-limit.cjs",
  bundle: true,
  format: "cjs",
  platform: "node",
  target: "node22",
  external: ["@earendil-works/*"],
  // Pi takes what `require` returns for the extension, so the function itself has to be what is exported.
  footer: { js: "module.exports = Object.assign(module.exports.default, module.exports);" },
  logLevel: "warning",
});
