// Builds the extension, what it loads only when asked for, and the command for the terminal.
import { chmod, rm } from "node:fs/promises";
import { basename } from "node:path";
import { build } from "esbuild";
import { common, extension } from "./build-options.mjs";

await rm(new URL("dist", import.meta.url), { recursive: true, force: true });
await build({
  ...extension,
  outfile: "dist/turn-limit.cjs",
  // Pi reads it at every start. With the map, which Node reads only if it is told to, a stack names files and lines.
  minify: true,
  sourcemap: "linked",
  sourcesContent: false,
});
for (const screen of ["src/stats/show-stats.ts", "src/display/limits-panel/show-limits-panel.ts"]) {
  await build({ ...common, entryPoints: [screen], outfile: `dist/${basename(screen, ".ts")}.cjs` });
}
await build({
  ...common,
  entryPoints: ["src/stats/cli.ts"],
  outfile: "dist/cli.cjs",
  banner: { js: "#!/usr/bin/env node" },
});
await chmod(new URL("dist/cli.cjs", import.meta.url), 0o755);
