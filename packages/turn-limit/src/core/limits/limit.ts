import { amount, isPlainObject, object, oneOf, optional, text } from "../checks.ts";
import { InvalidLimit, unknownSetting } from "../errors/invalid-limit.ts";
import { newHiddenField } from "../hidden-field.ts";
import { MEASURES, type Measure } from "../measures/measures.ts";
import { Difference, type Reading, type Totals } from "../meter/meter.ts";
import { amountMax, type LimitIdentity, type Max } from "./boundary.ts";
import {
  type Extension,
  type ExtensionOptions,
  extensionChecks,
  type Policy,
  type PolicyOptions,
  policyChecks,
  requireNoExtension,
} from "./policy.ts";

/**
 * A limit of your own: a maximum, and a function that reads the usage.
 *
 * @example
 * const outputTokens: CustomLimit = {
 *   name: "output tokens",
 *   max: 50_000,
 *   used: ({ output }) => output,
 *   onExhausted: "synthesize",
 * };
 */
export interface CustomLimit extends PolicyOptions, ExtensionOptions {
  /** What it is called in decisions and outcomes. */
  readonly name: string;
  readonly max: Max;
  /** The usage, by the totals since it last started over. Must be cheap, and depend on nothing else. */
  used(totals: Totals): number;
  /** Does it stand before each turn, or before each tool call? Default: before turns, or before calls of its `tool`. */
  readonly before?: "turn" | "step" | undefined;
  /** It stands before calls of this tool only. */
  readonly tool?: string | undefined;
  /** How much is kept back for the final answer. Default: nothing. */
  readonly reserve?: number | undefined;
}

/** Limits of which one is enough to be at the boundary. They start over together. */
export interface AnyOf extends PolicyOptions, Pick<ExtensionOptions, "extend"> {
  readonly anyOf: readonly Limit[];
}

/** Limits that are a boundary only when all of them are reached. They start over together. */
export interface AllOf extends PolicyOptions, Pick<ExtensionOptions, "extend"> {
  readonly allOf: readonly Limit[];
}

/** A limit, or several. Within a group the policy is the group's. */
export type Limit = CustomLimit | SingleLimit | AnyOf | AllOf;

/** A limit that is not a group: checked, complete and frozen. */
export interface SingleLimit extends Policy, Partial<Extension> {
  /** What it is called. */
  readonly name: string;
  readonly identity: LimitIdentity;
  readonly max: Max;
  /** How much of it was used between two readings of the meter. */
  readonly usedBetween: (since: Reading, now: Reading) => number;
  /** Of one's own: does it need the host to tell the time, or which tool is called? */
  readonly needs?: (part: "time" | "calls") => boolean;
  readonly before: "turn" | "step";
  readonly tool?: string | undefined;
  readonly reserve?: number;
  /** What it measures, if that is known: it does not hold an activity that does not count for it. */
  readonly measure?: Measure;
  /** Of a cost limit: what to do about a model without a price. */
  readonly unpriced?: string;
  /**
   * Its budget is shared, so how much is used is observed from outside. A `gate` has no amount: it is open or closed.
   */
  readonly shared?: "amount" | "gate";
  /** Makes such a budget: a run that shares none does without its code. */
  readonly budget?: (limit: SingleLimit, meter: { readonly current: Reading }, since: Reading) => object;
}

/** A group: checked, complete and frozen. */
export type LimitGroup = Policy &
  Extension & { readonly name: string } & (
    | { readonly anyOf: readonly CheckedLimit[] }
    | { readonly allOf: readonly CheckedLimit[] }
  );

export type CheckedLimit = SingleLimit | LimitGroup;

const isChecked = newHiddenField<true>();
const builtInNames = new Set<string>();

/** Reserves a name, or a prefix that ends with a dot, for built-in limits. */
export function reserveName(name: string): void {
  builtInNames.add(name);
}

/** Marks a limit as checked. Built-in limits are checked when they are made, and only they may have reserved names. */
export function checkedLimit<L extends CheckedLimit>(limit: L): L {
  isChecked.set(limit, true);
  return Object.freeze(limit);
}

/** A boundary as soon as one of the limits is reached; it is reported as the first of those that are. */
export function anyOf(limits: readonly Limit[], policy: Omit<AnyOf, "anyOf"> = {}): AnyOf {
  return requireLimit({ ...policy, anyOf: limits }, "") as AnyOf;
}

/** A boundary once every one of the limits is reached; it is reported as the first. */
export function allOf(limits: readonly Limit[], policy: Omit<AllOf, "allOf"> = {}): AllOf {
  return requireLimit({ ...policy, allOf: limits }, "") as AllOf;
}

/** The limit, checked and complete. Throws {@link InvalidLimit} for what could not be enforced. */
export function requireLimit(limit: unknown, name: string): CheckedLimit {
  if (!isPlainObject(limit)) throw new InvalidLimit(name, limit, "a limit");
  if (isChecked.get(limit)) return limit as unknown as CheckedLimit;
  return checkedLimit(
    "anyOf" in limit || "allOf" in limit ? requireGroup(limit, name) : requireSingle(limit, name),
  );
}

function requireGroup(given: Record<string, unknown>, path: string): LimitGroup {
  const { onExhausted, headless, extend, ...rest } = given;
  const word = "anyOf" in given ? "anyOf" : "allOf";
  const { [word]: limits, ...others } = rest;
  const prefix = path && `${path}.`;
  for (const [key, value] of Object.entries(others))
    throw new InvalidLimit(prefix + key, value, "left out of a group");
  if (!Array.isArray(limits) || limits.length === 0)
    throw new InvalidLimit(prefix + word, limits, "a list of at least one limit");
  const members = Object.freeze(
    limits.map((member, index) => requireLimit(member, `${prefix}${word}[${index}]`)),
  );
  const singles = members.flatMap(singlesOf);
  for (const { name, reserve = 0 } of singles) {
    if (reserve > 0) throw new InvalidLimit(`${name}.reserve`, reserve, "0 within a group");
  }
  for (const member of members)
    requireNoExtension(member, member.name, "left out within a group, which is extended as a whole");
  const name = members.map((member) => member.name).join(word === "anyOf" ? " or " : " and ");
  const before = singles.every((single) => single.before === "step") ? "step" : "turn";
  if (singles.some((single) => single.before === "step")) requireNoExtension({ extend }, name);
  const group = {
    name,
    ...requirePolicy(name, before, { onExhausted, headless }),
    ...requireExtension({ extend }, name),
  };
  return word === "anyOf" ? { ...group, anyOf: members } : { ...group, allOf: members };
}

function requirePolicy(
  name: string,
  before: "turn" | "step",
  given: { onExhausted?: unknown; headless?: unknown },
): Policy {
  const { onExhausted, headless } = policyChecks(before);
  return {
    onExhausted: optional(onExhausted, "ask")(given.onExhausted, `${name}.onExhausted`),
    headless: optional(headless, "stop")(given.headless, `${name}.headless`),
  };
}

const CUSTOM: LimitIdentity = Object.freeze({ kind: "custom" });
const KNOWN = [
  "name",
  "max",
  "used",
  "before",
  "tool",
  "reserve",
  "onExhausted",
  "headless",
  "extend",
  "extendBy",
];
const requireExtension = object(extensionChecks(amount));

function requireSingle(given: Record<string, unknown>, path: string): SingleLimit {
  const { name, max, used, before, tool, reserve } = given;
  if (typeof name !== "string" || name === "") throw new InvalidLimit(`${path}.name`, name, "a text");
  if (builtInNames.has(name) || builtInNames.has(name.slice(0, name.indexOf(".") + 1)))
    throw new InvalidLimit(`${path}.name`, name, "a name of its own: this one is built in");
  if (typeof used !== "function") throw new InvalidLimit(`${name}.used`, used, "a function");
  const unknown = Object.keys(given).find((key) => !KNOWN.includes(key));
  if (unknown) throw unknownSetting(`${name}.${unknown}`, given[unknown], KNOWN);
  const stands = optional(oneOf("turn", "step"), tool === undefined ? "turn" : "step")(
    before,
    `${name}.before`,
  );
  if (tool !== undefined && stands === "turn")
    throw new InvalidLimit(`${name}.before`, before, '"step" for the limit of a tool');
  if (stands === "step") requireNoExtension(given, name);
  const { extend, extendBy } = given;
  const read = new Set<string>(tool === undefined ? [] : ["calls"]);
  return {
    name,
    identity: CUSTOM,
    max: amountMax(max, `${name}.max`),
    // A custom limit may combine any of the totals, so it gets all of them.
    usedBetween(since: Reading, now: Reading): number {
      const totals = new Difference(since, now, (part) => read.add(part));
      let amountUsed: unknown;
      try {
        amountUsed = used.call(given, totals);
      } catch (cause) {
        throw new Error(`The limit "${name}" cannot tell its usage: ${cause}`, { cause });
      }
      // A limit that cannot tell its usage must not become one that is never reached.
      return amount(amountUsed, `${name}.used`);
    },
    needs: (part: string) => read.has(part),
    before: stands,
    tool: optional(text, undefined)(tool, `${name}.tool`),
    reserve: optional(amount, 0)(reserve, `${name}.reserve`),
    ...requirePolicy(name, stands, given),
    ...requireExtension({ extend, extendBy }, name),
  };
}

/** A limit of one's own that is known by more than its name. Throws {@link InvalidLimit} for what could not be enforced. */
export function identifiedLimit(limit: CustomLimit, identity: LimitIdentity): SingleLimit {
  return checkedLimit({ ...requireSingle({ ...limit }, "limit"), identity });
}

/** The limits of a group. */
export function membersOf(group: LimitGroup): readonly CheckedLimit[] {
  return "anyOf" in group ? group.anyOf : group.allOf;
}

export function isGroup(limit: CheckedLimit): limit is LimitGroup {
  return !("max" in limit);
}

/** Is it a limit that is never reached? A shared one may have its maximum from others. */
export function isUnlimited(limit: CheckedLimit): boolean {
  if (!isGroup(limit)) return limit.max === "unlimited" && !limit.shared;
  return "anyOf" in limit ? limit.anyOf.every(isUnlimited) : limit.allOf.some(isUnlimited);
}

/** Is it a limit of whole numbers? What a custom one counts is not known, and a group has several. */
export function isWhole(limit: CheckedLimit): boolean {
  return !isGroup(limit) && limit.measure !== undefined && MEASURES[limit.measure].whole;
}

/** The limits that a limit is made of. */
export function singlesOf(limit: CheckedLimit): SingleLimit[] {
  return isGroup(limit) ? membersOf(limit).flatMap(singlesOf) : [limit];
}
