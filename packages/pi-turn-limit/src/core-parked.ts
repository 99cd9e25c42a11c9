/** How a run is parked in a store. It is loaded when one is: most never are. */
export { questionOf } from "../../turn-limit/src/core/limits/boundary.ts";
export { knownOptionsIn } from "../../turn-limit/src/launch/command-line.ts";
export { parkRun } from "../../turn-limit/src/pools/listing/parked-runs.ts";
export { snapshotOf } from "../../turn-limit/src/pools/listing/run-snapshot.ts";
