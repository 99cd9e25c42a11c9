import { InvalidLimit } from "../errors/InvalidLimit.ts";
import type { Boundary } from "../governor/Decision.ts";
import type { Policy } from "../governor/Policy.ts";
import { exact, type Spent } from "../governor/Spent.ts";
import { isReached, type Max, requireAmount, requireMaxAmount } from "./Max.ts";

/**
 * A limit of one's own: how much may be used of something, and how much of it has been.
 *
 * @example
 * const outputTokens: CustomLimit = {
 *   name: "output tokens",
 *   max: 50_000,
 *   used: ({ output }) => output,
 *   onExhausted: "synthesize",
 * };
 */
export interface CustomLimit extends Partial<Policy> {
  /** What it is called in decisions and outcomes. */
  readonly name: string;
  readonly max: Max;
  /** How much of it was used by what was spent. Must be cheap and always say the same of the same. */
  used(spent: Spent): number;
  /** Is it asked before each turn, or before each tool call? Default: before each turn, or before calls of its `tool`. */
  readonly before?: "turn" | "step";
  /** Before calls of this tool only. */
  readonly tool?: string;
  /** How much is kept back for the final answer. Default: nothing. */
  readonly reserve?: number;
}

/** Limits of which one is enough to be at the boundary. They start over together. */
export interface AnyOf extends Partial<Policy> {
  readonly anyOf: readonly Limit[];
}

/** Limits that only together are a boundary. They start over together. */
export interface AllOf extends Partial<Policy> {
  readonly allOf: readonly Limit[];
}

/** A limit, or several. Within a group the policy is the group's. */
export type Limit = CustomLimit | AnyOf | AllOf;

/** A boundary as soon as one of the limits is reached; it is reported as the first of those that are. */
export function anyOf(limits: readonly Limit[], policy: Partial<Policy> = {}): AnyOf {
  return requireLimit({ ...policy, anyOf: limits });
}

/** A boundary once every one of the limits is reached; it is reported as the first. */
export function allOf(limits: readonly Limit[], policy: Partial<Policy> = {}): AllOf {
  return requireLimit({ ...policy, allOf: limits });
}

/** How a limit is looked at. */
export interface Look {
  /** Which of the limits that it is made of have a say. Default: each. */
  asked?: (limit: CustomLimit) => boolean;
  /** What a person granted in the place of its maximum. */
  granted?: Max | undefined;
  /** How much of it is kept back. */
  kept?: number;
}

/** Where the limit stands if that is its boundary. */
export function boundaryOf(limit: Limit, spent: Spent, look: Look = {}): Boundary | undefined {
  const { asked = () => true, granted, kept = 0 } = look;
  if (granted === "unlimited") return undefined;
  if ("used" in limit) {
    const standing = standingOf(limit, spent, granted);
    return asked(limit) && isReached(exact(standing.used + kept), standing.max) ? standing : undefined;
  }
  if ("anyOf" in limit) return firstOf(limit.anyOf.map((member) => boundaryOf(member, spent, { asked })));
  const reached = limit.allOf.map((member) => boundaryOf(member, spent));
  return reached.includes(undefined) || !leavesOf(limit).some(asked) ? undefined : firstOf(reached);
}

/** Is the limit asked before each turn, or before tool calls? */
export function standsBefore({ before, tool }: CustomLimit): "turn" | "step" {
  return before ?? (tool === undefined ? "turn" : "step");
}

/** Does the limit stand before this call? */
export function concerns(limit: CustomLimit, tool: string | undefined): boolean {
  return standsBefore(limit) === "step" && (limit.tool === undefined || limit.tool === tool);
}

/** How much is used of the limit, or of each of its members. */
export function standingsOf(limit: Limit, spent: Spent, granted?: Max): Boundary[] {
  if ("used" in limit) return [standingOf(limit, spent, granted)];
  return membersOf(limit).flatMap((member) => standingsOf(member, spent, granted));
}

function standingOf(limit: CustomLimit, spent: Spent, max = limit.max): Boundary {
  // A limit that cannot say what is used must not be one that is never reached.
  return { limit: limit.name, used: requireAmount(`${limit.name}.used`, limit.used(spent)), max };
}

/** The name of a limit, or those of its members. */
export function nameOf(limit: Limit): string {
  if ("used" in limit) return limit.name;
  return membersOf(limit)
    .map(nameOf)
    .join("anyOf" in limit ? " or " : " and ");
}

/** The limits that a limit is made of. */
export function leavesOf(limit: Limit): CustomLimit[] {
  return "used" in limit ? [limit] : membersOf(limit).flatMap(leavesOf);
}

/** Returns the limit if it is one, otherwise throws {@link InvalidLimit}. */
export function requireLimit<L extends Limit>(limit: L): L {
  if ("anyOf" in limit || "allOf" in limit) {
    // No limits at all would be a limit that is never, or always, reached.
    if (membersOf(limit).length === 0)
      throw new InvalidLimit("anyOf" in limit ? "anyOf" : "allOf", "[]", "at least one limit");
    for (const { name, reserve = 0 } of membersOf(limit).map(requireLimit).flatMap(leavesOf)) {
      if (reserve !== 0) throw new InvalidLimit(`${name}.reserve`, reserve, "0 within a group");
    }
    return limit;
  }
  const { name, max, reserve = 0, used } = limit;
  if (typeof name !== "string" || name === "") throw new InvalidLimit("limits.name", name, "a text");
  if (typeof used !== "function") throw new InvalidLimit(`${name}.used`, used, "a function");
  requireMaxAmount(`${name}.max`, max);
  requireAmount(`${name}.reserve`, reserve);
  return limit;
}

function firstOf(boundaries: (Boundary | undefined)[]): Boundary | undefined {
  return boundaries.find((boundary) => boundary !== undefined);
}

function membersOf(limit: AnyOf | AllOf): readonly Limit[] {
  return "anyOf" in limit ? limit.anyOf : limit.allOf;
}
