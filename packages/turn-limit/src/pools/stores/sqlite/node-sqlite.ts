import { StoreError } from "../../../core/errors/store-error.ts";

type NodeSqlite = typeof import("node:sqlite");

let loaded: NodeSqlite | undefined;

/** SQLite as it comes with Node.js. It is loaded when it is first used, for older versions of Node.js have none. */
export function nodeSqlite(store: string): NodeSqlite {
  loaded ??= sqliteOf(store, load);
  return loaded;
}

/** What `load` returns, unless that is nothing. A warning that SQLite is an experiment is not shown meanwhile. */
export function sqliteOf<T>(store: string, load: () => T | undefined): T {
  const sqlite = withoutExperimentalWarning(load);
  if (sqlite) return sqlite;
  const needed = `needs Node.js 22.15 or later, and this is ${process.version}`;
  throw new StoreError(store, needed, "Use a later Node.js, or another store.");
}

function load(): NodeSqlite | undefined {
  return process.getBuiltinModule?.("node:sqlite");
}

// Some versions of Node.js warn that SQLite is an experiment, in the middle of somebody's screen.
function withoutExperimentalWarning<T>(run: () => T): T {
  const { emitWarning } = process;
  process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
    if (rest[0] !== "ExperimentalWarning") Reflect.apply(emitWarning, process, [warning, ...rest]);
  };
  try {
    return run();
  } finally {
    process.emitWarning = emitWarning;
  }
}
