import { onRun, type Rules } from "./Rule.ts";
import { isAnyShort, strictest } from "./strictness.ts";
import { type Run, turnsAllowed, type World } from "./World.ts";

/** When the model is told to wrap up. */
export const WRAP_UP_RULES: Rules = {
  WrapUpRequested: onRun("UserRequestsWrapUp", ["running", "awaiting_confirmation"], {
    requires: (_run, world) => !world.wrapUpSent,
    ensures: (_run, world) => {
      world.wrapUpRequested = true;
    },
  }),
  WrapUpDelivered: onRun("SteeringPolled", ["running"], {
    requires: (_run, world) => isListening(world) && !world.wrapUpRequested && isTime(world),
    ensures: tell,
  }),
  WrapUpDeliveredOnRequest: onRun("SteeringPolled", ["running"], {
    requires: (_run, world) => isListening(world) && world.wrapUpRequested,
    ensures: tell,
  }),
  ReserveTellsToWrapUp: onRun("SteeringPolled", ["running"], {
    requires: (_run, world) =>
      isListening(world) && !world.wrapUpRequested && !isTime(world) && isAnyShort(world),
    ensures: tell,
  }),
};

/** Nobody has told the model in this round, and there is a reason to. */
export function isToBeTold(world: World): boolean {
  return !world.wrapUpSent && (world.wrapUpRequested || isTime(world) || isAnyShort(world));
}

export function tell(run: Run, world: World): void {
  Object.assign(world, { wrapUpSent: true, wrapUpRequested: false });
  Object.assign(run, { wrapUpTold: true, touched: true });
}

/** Another turn will begin, and nobody has told the model yet. */
function isListening(world: World): boolean {
  return !world.wrapUpSent && strictest(world, false) === undefined;
}

function isTime(world: World): boolean {
  const max = turnsAllowed(world);
  const { grace, offeredGrace, completed } = world;
  if (max === "unlimited" || grace < 1 || grace >= max) return false;
  const wanted = offeredGrace ?? grace;
  const clamped = Math.min(Math.max(wanted, 1), max - 1);
  return completed >= max - clamped;
}
