// Builds the extension, what it loads only when asked for, and the command for the terminal.
import { chmod, cp, rm, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { build } from "esbuild";
import { besideItsPage, common, extension, loader } from "./build-options.mjs";

await rm(new URL("dist", import.meta.url), { recursive: true, force: true });
const built = await build({
  ...extension,
  metafile: true,
  outfile: "dist/extension.cjs",
  // Pi reads it at every start. With the map, which Node reads only if it is told to, a stack names files and lines.
  minify: true,
  sourcemap: "linked",
  sourcesContent: false,
});
await build({ ...loader, outfile: "dist/turn-limit.cjs", minify: true });
const loadedLater = [
  "src/core-notify.ts",
  "src/core-parked.ts",
  "src/core-progress.ts",
  "src/core-sqlite.ts",
  "src/stats/past-runs.ts",
  "src/stats/show-stats.ts",
  "src/display/limits-panel/show-limits-panel.ts",
];
const parts = await Promise.all(
  loadedLater.map((part) =>
    build({
      ...common,
      metafile: true,
      entryPoints: [part],
      outfile: `dist/${basename(part, ".ts")}.cjs`,
    }),
  ),
);
await build({ ...besideItsPage, outfile: "dist/open-dashboard.cjs" });
for (const made of ["page", "licences.txt"])
  await cp(
    new URL(`../turn-limit/dist/command/dashboard/${made}`, import.meta.url),
    new URL(`dist/${made}`, import.meta.url),
    { recursive: true },
  );
await build({
  ...common,
  entryPoints: ["src/stats/cli.ts"],
  outfile: "dist/cli.cjs",
  banner: { js: "#!/usr/bin/env node" },
});
await chmod(new URL("dist/cli.cjs", import.meta.url), 0o755);
// Last: it says that everything was built, and when.
const sources = new Set([built, ...parts].flatMap(({ metafile }) => Object.keys(metafile.inputs)));
await writeFile(new URL("dist/sources.json", import.meta.url), JSON.stringify([...sources]));
