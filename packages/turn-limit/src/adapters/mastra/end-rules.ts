import type { Hooks } from "./run-options.ts";

type EndRules = Pick<Hooks, "maxSteps" | "stopWhen">;

const never = () => false;

/**
 * The rules by which the host ends a run, those of the caller: its number of steps, and its conditions. Without any, the host
 * has a limit of 5 steps of its own.
 *
 * After its number of steps the host cannot be made to go on, and so it could not end a stream with the error of a limit that
 * raises. So where there may be one, the number is a condition, and the host's own is one more.
 */
export function endRules({ maxSteps, stopWhen = never }: EndRules, mayRaise: boolean): EndRules {
  if (typeof maxSteps !== "number" || maxSteps <= 0 || !mayRaise) return { maxSteps, stopWhen };
  const areUsed = ({ steps }: { steps: readonly unknown[] }) => steps.length >= maxSteps;
  return { maxSteps: maxSteps + 1, stopWhen: [stopWhen, areUsed].flat() };
}
