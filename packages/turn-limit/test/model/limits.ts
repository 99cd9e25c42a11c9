import type { Boundary, Headless, Max, OnExhausted, Unpriced } from "../../src/index.ts";
import { named } from "../helpers/named.ts";
import { Row } from "./row.ts";
import type { World } from "./world.ts";

/** The limits of the model, in the order in which they are reported. The last two are groups. */
const SINGLE = ["steps", "turns", "tokens", "cost", "time", "tools.read", "repeats", "own"] as const;
const GROUPS = ["output or writes", "output and writes"] as const;
export const NAMES = [...SINGLE, ...GROUPS] as const;
export type Name = (typeof NAMES)[number];

/** What a person says about a limit. Not every limit has all of it. */
export interface Terms {
  /** Of a cost limit in dimes, so that sums are exact. */
  max: Max;
  onExhausted: Exclude<OnExhausted, "wait">;
  headless: Exclude<Headless, "wait">;
  reserve: number;
  unpriced: Unpriced;
  cacheReads: boolean;
  /** What the limit of one's own stands before. */
  before: "turn" | "step";
  /** The maximum of a group's second member. */
  writes: number;
}

/** What is counted. Of the answers, how many were reported, and how many had a price. */
export function noTotals() {
  const ofTurns = { turns: 0, input: 0, output: 0, cacheRead: 0, dimes: 0, reports: 0, priced: 0, time: 0 };
  return { ...ofTurns, steps: 0, reads: 0, writes: 0 };
}
export type Totals = ReturnType<typeof noTotals>;

/** A limit in use. Without terms it is none, and counts all the same. */
export class Budget {
  readonly name: Name;
  terms: Terms | null;
  readonly totals = noTotals();
  /** What a person allowed for this round in place of the maximum. */
  grant: Max | null = null;
  /** Did it refuse a call? */
  exceeded = false;
  /** Of repeats: the calls, how often in a row the last refused one was made, and whether the model is told or was. */
  readonly row = new Row();
  inRow = 0;
  telling = false;
  told = false;
  /** Of which share of it the model was told in this round, in percent. */
  toldShare = 0;

  constructor(name: Name, terms: Terms | null) {
    this.name = name;
    this.terms = terms;
  }
}

/** A limit, or a member of a group. */
interface Part {
  limit: string;
  before: "turn" | "step";
  tool?: string;
  used: number;
  max: Max;
}

/** What is done at a boundary, from the mildest on. */
const SEVERITY = { refuse: 0, ask: 1, synthesize: 2, decline: 3, stop: 4, raise: 4 };
export type Action = keyof typeof SEVERITY;

/** A budget at its boundary, and what is done about that. */
export interface Reached {
  budget: Budget;
  boundary: Boundary;
  action: Action;
  isWarning?: boolean;
  /** Of repeats: in a cycle of how many calls. */
  cycle?: number;
}

const STEP_LIMITS: Name[] = ["steps", "tools.read", "repeats"];

export const isGroup = ({ name }: Budget) => GROUPS.some((group) => group === name);

/** Are whole units counted? */
export const isWhole = ({ name }: Budget) => ["turns", "tokens", ...STEP_LIMITS].includes(name);

export function usedOf({ name, totals, inRow, terms }: Budget): number {
  const { turns, steps, reads, input, output, cacheRead, dimes, time } = totals;
  const own = terms?.before === "step" ? steps + output : Math.max(0, turns - output);
  const tokens = input + output + (terms?.cacheReads ? cacheRead : 0);
  const all = { steps, turns, tokens, cost: dimes, time, "tools.read": reads, repeats: inRow, own };
  return all[name as keyof typeof all];
}

export const allowedOf = ({ terms, grant }: Budget): Max => grant ?? terms?.max ?? "unlimited";

function partsOf(budget: Budget): Part[] {
  const { name, terms, totals, grant } = budget;
  if (!terms) return [];
  if (isGroup(budget)) {
    return [
      { limit: "output", before: "turn", used: totals.output, max: allowedOf(budget) },
      { limit: "writes", before: "step", tool: "write", used: totals.writes, max: grant ?? terms.writes },
    ];
  }
  const before = STEP_LIMITS.includes(name) ? "step" : name === "own" ? terms.before : "turn";
  const only: Part = { limit: name, before, used: usedOf(budget), max: allowedOf(budget) };
  return [name === "tools.read" ? { ...only, tool: "read" } : only];
}

/** How much a yes allows, as the governor says it. A group has several limits. */
export function roundOf(budget: Budget): Max | undefined {
  if (isGroup(budget)) return undefined;
  const max = budget.terms?.max;
  return budget.name === "cost" && typeof max === "number" ? max / 10 : max;
}

/** Where a limit stands, as the governor says it. */
export function standingsOf(budget: Budget): Boundary[] {
  return partsOf(budget).map(({ limit, used, max }) => {
    if (limit !== "cost") return { ...named(limit), used, max };
    return { ...named(limit), used: used / 10, max: max === "unlimited" ? max : max / 10 };
  });
}

/** What the model can be told of a limit: of a group the member that decides. */
export function nearestOf(budget: Budget): { standing: Boundary; share: number } | undefined {
  if (budget.name === "repeats" || (isGroup(budget) && budget.grant === "unlimited")) return undefined;
  const all = standingsOf(budget).map((standing, index) => {
    const { used = 0, max = "unlimited" } = partsOf(budget)[index] ?? {};
    return { standing, share: max === "unlimited" || max === 0 ? undefined : (used * 100) / max };
  });
  const known = all.filter((one) => one.share !== undefined) as { standing: Boundary; share: number }[];
  if (budget.name === "output and writes" && known.length < all.length) return undefined;
  const order = budget.name === "output and writes" ? 1 : -1;
  return known.toSorted((one, other) => order * (one.share - other.share))[0];
}

/** The boundary, if the limit does not cover one more. `applies`: to which members of a group it matters. */
export function boundaryOf(
  budget: Budget,
  applies: (part: Part) => boolean = () => true,
): Boundary | undefined {
  const parts = partsOf(budget);
  const isFull = ({ used, max }: Part) => max !== "unlimited" && used >= max;
  // All members of such a group are full, and it is reported as the first.
  if (budget.name === "output and writes")
    return parts.some(applies) && parts.every(isFull) ? standingsOf(budget)[0] : undefined;
  return standingsOf(budget)[parts.findIndex((part) => applies(part) && isFull(part))];
}

export const isFull = (budget: Budget) => boundaryOf(budget) !== undefined;

/** The boundary before the next turn. A limit of calls is there once it had to refuse one. */
export function outOf(budget: Budget): Boundary | undefined {
  const inTheWay = boundaryOf(budget, ({ before }) => before === "turn");
  return inTheWay ?? (budget.exceeded ? boundaryOf(budget) : undefined);
}

/** Is no more left than what is kept back for the final answer? As much as the maximum, or more, is nothing. */
export function isShort(budget: Budget): boolean {
  const { reserve = 0 } = budget.terms ?? {};
  const max = allowedOf(budget);
  if (!["tokens", "cost", "time", "own"].includes(budget.name) || max === "unlimited") return false;
  return reserve > 0 && reserve < max && usedOf(budget) + reserve >= max;
}

/** What is done at the boundary of a budget, as things are. A no that stands answers every question. */
export function actionOf({ terms }: Budget, { canAsk, declined }: World): Action {
  const { onExhausted = "ask", headless = "stop" } = terms ?? {};
  if (onExhausted !== "ask") return onExhausted;
  if (!canAsk) return headless;
  return declined ? "decline" : "ask";
}

/** What stands before the next turn. Limits that a request made again does not count for have admitted it before. */
export function barring(world: World, isRetry = world.retryDue): Reached[] {
  return NAMES.flatMap((name): Reached[] => {
    const budget = world.budgets[name];
    const action = actionOf(budget, world);
    const [standing] = standingsOf(budget);
    if (isUnpriced(budget, world) && standing)
      return [{ budget, boundary: { ...standing, unpriced: true }, action: "stop" }];
    if (action === "refuse" || (isRetry && (name === "turns" || STEP_LIMITS.includes(name)))) return [];
    const boundary = action === "synthesize" && isShort(budget) ? standing : outOf(budget);
    return boundary ? [{ budget, boundary, action }] : [];
  });
}

/** The budgets that do not cover the call. */
export function uncovering(world: World, tool: string, call: string): Reached[] {
  return NAMES.flatMap((name): Reached[] => {
    const budget = world.budgets[name];
    const action = actionOf(budget, world);
    if (name !== "repeats") {
      const isAbout = (part: Part) => part.before === "step" && (part.tool ?? tool) === tool;
      const boundary = boundaryOf(budget, isAbout);
      return boundary ? [{ budget, boundary, action }] : [];
    }
    const max = allowedOf(budget);
    if (!budget.terms || max === "unlimited") return [];
    const { times: used, cycle } = budget.row.times(call);
    if (used < max) return [];
    const boundary = { ...named(name), used, max };
    const isWarning = !budget.told && !budget.exceeded;
    return [{ budget, boundary, action: isWarning ? "refuse" : action, isWarning, cycle }];
  });
}

/** The strictest of them, and among equals the first. */
export function decisive(all: Reached[]): Reached | undefined {
  return all.toSorted((one, other) => SEVERITY[other.action] - SEVERITY[one.action])[0];
}

/** Does the run end, at once or with a last answer? */
export const endsRun = ({ action }: Reached) => SEVERITY[action] > SEVERITY.ask;

/** A cost limit that must not let the run go on without knowing the price. */
function isUnpriced({ name, terms }: Budget, { priceUnknown, budgets }: World): boolean {
  if (name !== "cost" || !terms || !priceUnknown) return false;
  return terms.unpriced === "stop" || (terms.unpriced === "tokens" && !budgets.tokens.terms);
}
