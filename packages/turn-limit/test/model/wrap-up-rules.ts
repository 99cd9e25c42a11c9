import { onRun, type Rules } from "./Rule.ts";
import type { Run, World } from "./World.ts";

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
};

/** Another turn will begin, and nobody has told the model yet. */
function isListening({ max, used, stepsExceeded, wrapUpSent }: World): boolean {
  return (max === "unlimited" || used < max) && !stepsExceeded && !wrapUpSent;
}

function isTime({ max, grace, offeredGrace, completed }: World): boolean {
  if (max === "unlimited" || grace < 1 || grace >= max) return false;
  const wanted = offeredGrace ?? grace;
  const clamped = Math.min(Math.max(wanted, 1), max - 1);
  return completed >= max - clamped;
}

function tell(run: Run, world: World): void {
  Object.assign(world, { wrapUpSent: true, wrapUpRequested: false });
  Object.assign(run, { wrapUpTold: true, touched: true });
}
