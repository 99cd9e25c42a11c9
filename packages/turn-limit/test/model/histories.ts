import fc from "fast-check";
import { anyCommands, anySettings } from "./commands.ts";
import type { InvariantName, Watch } from "./invariants.ts";
import "./call-rules.ts";
import "./counting-rules.ts";
import "./question-rules.ts";
import "./turn-rules.ts";
import { Subject } from "./subject.ts";
import { World } from "./world.ts";

const isMirrored = fc.integer({ min: 0, max: 11 }).map((number) => number === 11);
const anyHost = fc.record({ reports: fc.constantFrom("never", "at once", "late"), isMirrored });
const anyHistory = fc.commands(anyCommands, { maxCommands: 40, size: "max" });

/** Runs that many histories, each against the model, event by event. */
export function compareHistories(numRuns: number, watch?: Watch): void {
  const sameAsTheModel = fc.property(anySettings, anyHost, anyHistory, (settings, host, commands) => {
    const real = new Subject(settings, { ...host, watch });
    fc.modelRun(() => ({ model: new World(settings), real }), commands);
  });
  fc.assert(sameAsTheModel, { numRuns });
}

/** Looks at one invariant after every event of some histories: more of them until it had something to say. */
export function watchHistories(invariant: InvariantName): Watch {
  const watch = { invariant, applied: 0 };
  compareHistories(30, watch);
  for (let more = 0; watch.applied === 0 && more < 50; more++) compareHistories(10, watch);
  return watch;
}
