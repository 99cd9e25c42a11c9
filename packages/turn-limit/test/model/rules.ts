import { BUDGET_RULES } from "./budget-rules.ts";
import { type Details, type Event, type Rule, type Rules, settles, WORKING } from "./Rule.ts";
import { REPLY_RULES } from "./reply-rules.ts";
import { SETTING_RULES } from "./setting-rules.ts";
import { SPENDING_RULES } from "./spending-rules.ts";
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
  RunEndsOverrun: settles("limit-overrun", ["overrunning"]),
  RunFails: settles("failed", WORKING, (run) => run.mishap === "failed"),
  RunAborted: settles("aborted", WORKING, (run) => run.mishap === "aborted"),
};

/** The rules of the specification, restated: no order among them matters. */
export const RULES: Rules = {
  ...TURN_RULES,
  ...BUDGET_RULES,
  ...REPLY_RULES,
  ...STEP_RULES,
  ...SPENDING_RULES,
  ...WRAP_UP_RULES,
  ...SETTING_RULES,
  ...OUTCOME_RULES,
};

/** How often each rule has fired so far. */
export const fired = new Map<string, number>();

const known = new Map<Event, [string, Rule][]>();

function rulesOn(event: Event): [string, Rule][] {
  const rules = known.get(event) ?? Object.entries(RULES).filter(([, { when }]) => when === event);
  known.set(event, rules);
  return rules;
}

/** Lets `event` happen in `world` and returns the rule it fired, if any. Two would be an ambiguous specification. */
export function happens(world: World, event: Event, details: Details = {}): string | undefined {
  const fitting = rulesOn(event).filter(([, rule]) => rule.requires(world, details));
  if (fitting.length > 1) throw new Error(`${event} fires ${fitting.map(([name]) => name).join(" and ")}`);
  const [name, rule] = fitting[0] ?? [];
  rule?.ensures(world, details);
  if (name) fired.set(name, (fired.get(name) ?? 0) + 1);
  return name;
}
