import { type Details, type Event, type Rules, settles } from "./Rule.ts";
import { SETTING_RULES } from "./setting-rules.ts";
import { STEP_RULES } from "./step-rules.ts";
import { TURN_RULES } from "./turn-rules.ts";
import type { World } from "./World.ts";
import { WRAP_UP_RULES } from "./wrap-up-rules.ts";

const OUTCOME_RULES: Rules = {
  RunEndsNaturally: settles("completed", ["running"], (run) => run.mishap === "absent" && !run.wrapUpTold),
  RunEndsWarned: settles("wrapped-up", ["running"], (run) => run.mishap === "absent" && run.wrapUpTold),
  RunEndsSalvaged: settles("salvaged", ["synthesizing"], (run) => run.mishap === "absent"),
  RunEndsUnsalvaged: settles("stopped", ["synthesis_due"], (run) => run.mishap === "absent"),
  RunEndsUnanswered: settles("aborted", ["awaiting_confirmation"]),
  RunEndsDeclined: settles("declined", ["declining"]),
  RunEndsStopped: settles("stopped", ["stopping"]),
  RunFails: settles("failed", ["running", "synthesis_due", "synthesizing"], (run) => run.mishap === "failed"),
  RunAborted: settles(
    "aborted",
    ["running", "synthesis_due", "synthesizing"],
    (run) => run.mishap === "aborted",
  ),
};

/** The rules of the specification, restated: no order among them matters. */
export const RULES: Rules = {
  ...TURN_RULES,
  ...STEP_RULES,
  ...WRAP_UP_RULES,
  ...SETTING_RULES,
  ...OUTCOME_RULES,
};

/** The rules that have fired so far. */
export const fired = new Set<string>();

/** Lets `event` happen in `world` and returns the rule it fired, if any. Two would be an ambiguous specification. */
export function happens(world: World, event: Event, details: Details = {}): string | undefined {
  const fitting = Object.entries(RULES).filter(
    ([, rule]) => rule.when === event && rule.requires(world, details),
  );
  if (fitting.length > 1) throw new Error(`${event} fires ${fitting.map(([name]) => name).join(" and ")}`);
  const [name, rule] = fitting[0] ?? [];
  rule?.ensures(world, details);
  if (name) fired.add(name);
  return name;
}
