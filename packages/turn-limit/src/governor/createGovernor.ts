import { Governor } from "./Governor.ts";
import type { GovernorOptions } from "./GovernorOptions.ts";

/**
 * Makes what holds the limits of a run. Tell it what happens, do what it decides; it never calls the host.
 *
 * @example
 * const governor = createGovernor({ turns: 25, steps: 40 });
 * governor.prompt();
 * while (work.isLeft && governor.beforeTurn().kind === "proceed") {
 *   await callTheModel();
 *   governor.turnEnded();
 * }
 * const outcome = governor.settled();
 */
export function createGovernor(options: GovernorOptions = {}): Governor {
  return new Governor(options);
}
