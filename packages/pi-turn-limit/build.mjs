// CommonJS files with the core inside, which install on their own: the extension, which Pi loads without
// transpiling; what it loads only when asked for; and the command for the terminal.
import { chmod, rm } from "node:fs/promises";
import { basename } from "node:path";
import { build } from "esbuild";

const common = {
  absWorkingDir: import.meta.dirname,
  bundle: true,
  format: "cjs",
  platform: "node",
  target: "node22",
  external: ["@earendil-works/*"],
  logLevel: "warning",
};

const loadedWhenAskedFor = {
  name: "loaded-when-asked-for",
  setup(build) {
    build.onResolve({ filter: /\/show-[a-z-]+\.ts$/ }, ({ kind, path }) =>
      kind === "dynamic-import" ? { path: `./${basename(path, ".ts")}.cjs`, external: true } : undefined,
    );
  },
};

await rm(new URL("dist", import.meta.url), { recursive: true, force: true });
await build({
  ...common,
  entryPoints: ["src/turn-limit.ts"],
  outfile: "dist/turn-limit.cjs",
  plugins: [loadedWhenAskedFor],
  // A `require` of the neighbour, which works however Pi loads the extension.
  supported: { "dynamic-import": false },
  // Pi takes what `require` returns for the extension, so the function itself has to be what is exported.
  footer: { js: "module.exports = Object.assign(module.exports.default, module.exports);" },
});
for (const screen of ["src/stats/show-stats.ts", "src/ui/limits-panel/show-limits-panel.ts"]) {
  await build({ ...common, entryPoints: [screen], outfile: `dist/${basename(screen, ".ts")}.cjs` });
}
await build({
  ...common,
  entryPoints: ["src/stats/cli.ts"],
  outfile: "dist/cli.cjs",
  banner: { js: "#!/usr/bin/env node" },
});
await chmod(new URL("dist/cli.cjs", import.meta.url), 0o755);
