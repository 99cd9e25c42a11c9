/** The core's store in a SQLite file. It is loaded when a limit first needs it: most sessions have none that does. */
export { isUnusableFile } from "../../turn-limit/src/pools/stores/sqlite/failures.ts";
export { sqliteStore } from "../../turn-limit/src/pools/stores/sqlite/index.ts";
