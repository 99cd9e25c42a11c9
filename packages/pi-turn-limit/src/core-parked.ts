/** How a run is parked in a store, and held there when it goes on. It is loaded when one is: most never are. */
export { questionOf } from "../../turn-limit/src/core/limits/boundary.ts";
export { knownOptionsIn } from "../../turn-limit/src/launch/command-line.ts";
export { HELD_FOR, HeldRecord, parkRun } from "../../turn-limit/src/pools/listing/parked-runs.ts";
export { ownProcess } from "../../turn-limit/src/pools/listing/process-mark.ts";
export { snapshotOf } from "../../turn-limit/src/pools/listing/run-snapshot.ts";
