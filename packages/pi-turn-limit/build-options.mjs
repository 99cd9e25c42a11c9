// How the parts of the package are built: CommonJS files with the core inside, which install on their own.
import { basename } from "node:path";

/** @satisfies {import("esbuild").BuildOptions} */
export const common = {
  absWorkingDir: import.meta.dirname,
  bundle: true,
  format: "cjs",
  platform: "node",
  target: "node22",
  external: ["@earendil-works/*"],
  logLevel: "warning",
};

/** @type {import("esbuild").Plugin} */
const loadedWhenAskedFor = {
  name: "loaded-when-asked-for",
  setup(build) {
    build.onResolve({ filter: /\/show-[a-z-]+\.ts$/ }, ({ kind, path }) =>
      kind === "dynamic-import" ? { path: `./${basename(path, ".ts")}.cjs`, external: true } : undefined,
    );
  },
};

/**
 * The extension, which Pi loads without transpiling.
 *
 * @satisfies {import("esbuild").BuildOptions}
 */
export const extension = {
  ...common,
  entryPoints: ["src/turn-limit.ts"],
  plugins: [loadedWhenAskedFor],
  // A `require` of the neighbour, which works however Pi loads the extension.
  supported: { "dynamic-import": false },
  define: { "import.meta.filename": "__filename" },
  // Pi takes what `require` returns for the extension, so the function itself has to be what is exported.
  footer: { js: "module.exports = Object.assign(module.exports.default, module.exports);" },
};
