import { createGovernor, type Governor, type GovernorOptions } from "../../src/index.ts";

/** A governor whose run a person has just prompted, and a clock for it. */
export function timed(options: GovernorOptions) {
  const governor = createGovernor(options);
  let now = 1_700_000_000_000;
  const pass = (ms: number) => {
    now += ms;
    governor.timeIs(now);
  };
  pass(0);
  governor.prompt();
  return { governor, pass, turnsOf: turnsOf(governor, pass) };
}

/** One in whose first turn the time is up: 1 second of 1, unless the options say otherwise. */
export function overdue(options: GovernorOptions) {
  const scene = timed({ time: 1_000, ...options });
  scene.governor.beforeTurn();
  scene.pass(1_000);
  return scene;
}

/** Takes turns of so many milliseconds, until one may not begin or `count` are done. Returns how many began. */
function turnsOf(governor: Governor, pass: (ms: number) => void) {
  return (ms: number, count = 1_000) => {
    for (let turn = 0; turn < count; turn += 1) {
      if (governor.beforeTurn().kind !== "proceed") return turn;
      pass(ms);
      governor.turnEnded();
    }
    return count;
  };
}
