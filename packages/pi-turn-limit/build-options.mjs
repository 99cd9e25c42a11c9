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
    build.onResolve({ filter: /\.ts$/ }, ({ kind, path }) =>
      kind === "dynamic-import" ? { path: `./${basename(path, ".ts")}.cjs`, external: true } : undefined,
    );
  },
};

/**
 * The dashboard, which reads its page from beside it.
 *
 * @satisfies {import("esbuild").BuildOptions}
 */
export const besideItsPage = {
  ...common,
  entryPoints: ["src/commands/open-dashboard.ts"],
  define: { "import.meta.url": "__url" },
  banner: { js: 'const __url = require("node:url").pathToFileURL(__filename).href;' },
};

/** Pi takes what `require` returns for the extension, so the function itself has to be what is exported. */
const loadedByPi = {
  ...common,
  define: { "import.meta.filename": "__filename" },
  footer: { js: "module.exports = Object.assign(module.exports.default, module.exports);" },
};

/**
 * The extension, which Pi loads without transpiling.
 *
 * @satisfies {import("esbuild").BuildOptions}
 */
export const extension = {
  ...loadedByPi,
  entryPoints: ["src/turn-limit.ts"],
  plugins: [loadedWhenAskedFor],
  // A `require` of the neighbour, which works however Pi loads the extension.
  supported: { "dynamic-import": false },
};

/**
 * What the package names as the extension: it loads the one above.
 *
 * @satisfies {import("esbuild").BuildOptions}
 */
export const loader = {
  ...loadedByPi,
  entryPoints: ["src/load-compiled.ts"],
  footer: {
    // Node finds the names that can be imported by reading, and these come from the other file. It is never run.
    js: `${loadedByPi.footer.js}\n0 && (module.exports = { DEFAULT_MAX_TURNS, checkTurnLimit, getMaxTurns });`,
  },
};
