import type { Boundary, Reply } from "../../src/index.ts";
import type { Action, Budget, Reached, Terms, Totals } from "./limits.ts";
import type { Run, Settings, World } from "./world.ts";

/** What an event brings along. */
interface Details {
  settings: Settings;
  limit: Terms | null;
  budget: Budget;
  grant: Budget["grant"];
  reached: Reached;
  reply: Reply;
  ask: { id: number; midTurn?: true } | undefined;
  /** A tool call that the model wants to make; `key` tells what it is, `id` which one. */
  call: { id: string; tool: string; key: string };
  id: string | undefined;
  result: string;
  spent: Partial<Totals>;
  time: number;
  waiting: boolean;
  canGoOn: boolean;
  isIdle: boolean;
  covered: boolean;
  what: "turns" | "steps";
  boundary: Boundary;
  outcome: NonNullable<Run["outcome"]>;
  raises: boolean;
}

/** The world when something happens. A rule only reads the details that its event has. */
export interface Scene extends Details {
  world: World;
  run: Run;
}

export type Condition = (scene: Scene) => boolean;
type Consequence = (scene: Scene) => unknown;

/** One rule of the specification: on this event, and only if `requires` holds, `ensures` comes true. */
interface Rule {
  when: string;
  requires: Condition;
  ensures: Consequence;
}

const rulesOn = new Map<string, [string, Rule][]>();

/** How often each rule has fired so far. */
export const timesFired = new Map<string, number>();

/** States rules of the specification. No order among them matters. */
export function define(stated: Record<string, Rule>): void {
  for (const [name, rule] of Object.entries(stated)) {
    timesFired.set(name, 0);
    rulesOn.set(rule.when, [...(rulesOn.get(rule.when) ?? []), [name, rule]]);
  }
}

/** Where a run stands that is not being ended and of which no turn is held. */
export const WORKING: Run["status"][] = ["running", "synthesis_due", "synthesizing"];
/** Where a run stands that has not settled. */
export const OPEN: Run["status"][] = [...WORKING, "asking", "ending"];
/** It makes no difference where the run stands, and whether there is one. */
export const ANY = null;

/** A rule about a run that stands in one of these. */
export function on(
  when: string,
  statuses: Run["status"][] | typeof ANY,
  requires: Condition,
  ensures: Consequence,
): Rule {
  if (!statuses) return { when, requires, ensures };
  const stands: Condition = ({ run }) => run !== undefined && statuses.includes(run.status);
  return { when, requires: and(stands, requires), ensures };
}

export const always: Condition = () => true;

export function and(...conditions: Condition[]): Condition {
  return (scene) => conditions.every((holds) => holds(scene));
}

export function or(...conditions: Condition[]): Condition {
  return (scene) => conditions.some((holds) => holds(scene));
}

export function not(condition: Condition): Condition {
  return (scene) => !condition(scene);
}

/** Is this what is done about the limit that was reached? */
export function does(action: Action): Condition {
  return ({ reached }) => reached.action === action;
}

/** A run that took no turn and ran no call has nothing to answer from. */
export const hasEvidence: Condition = ({ run }) => run.totals.turns >= 1 || run.totals.steps >= 1;

/** Lets `event` happen and returns the rule that it fired, if any. Two would be an ambiguous specification. */
export function happens(world: World, event: string, details: Partial<Details> = {}): string | undefined {
  const scene = { ...details, world, run: world.run } as Scene;
  const known = rulesOn.get(event);
  if (!known) throw new Error(`There is no rule about ${event}`);
  const fitting = known.filter(([, { requires }]) => requires(scene));
  if (fitting.length > 1) throw new Error(`${event} fires ${fitting.map(([name]) => name).join(" and ")}`);
  const [[name, rule] = []] = fitting;
  if (!name) return undefined;
  world.fired.push(name);
  timesFired.set(name, (timesFired.get(name) ?? 0) + 1);
  rule?.ensures(scene);
  return name;
}

/** This happens next, with the same details. */
export function to(event: string): Consequence {
  return ({ world, run: _, ...details }) => happens(world, event, details);
}

/** The run is over because of the limit that was reached. */
export function mustEnd(outcome: "declined" | "stopped", raises = false): Consequence {
  return ({ world, reached: { boundary } }) => happens(world, "RunMustEnd", { boundary, outcome, raises });
}

/** The run is over because of what made its last turn due. */
export function mustEndWithoutAnswer({ world, run: { endedBy } }: Scene): void {
  if (endedBy) happens(world, "RunMustEnd", { boundary: endedBy, outcome: "stopped", raises: false });
}

/** A question arises about what was reached. One about the same budget is open still, and shows how things are. */
export function arises({ world, reached }: Scene): void {
  happens(world, "QuestionArises", { reached });
  Object.assign(world.run?.question ?? {}, reached.boundary);
}
