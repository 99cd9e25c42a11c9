import type { LimitIdentity } from "turn-limit";
import { counted, listed } from "../core.ts";
import { type Period, perText } from "./periods.ts";
import type { PiLimit } from "./pi-limit.ts";
import { fixedMaximum } from "./setting.ts";

// What can hold a run, and is no limit of the table.

/** A limit that this version does not have. A session may have been written by a newer one. */
export function unknownLimit(key: string): PiLimit {
  return {
    ...{ key, label: key, noun: key, unit: key, about: "", example: ["", ""] },
    settings: { max: fixedMaximum(counted(0)) },
    asked: (used) => `${key}: ${used}.`,
    total: () => 0,
  };
}

/** The store of a shared budget cannot be used. */
export function storeGate(key: string): PiLimit {
  return {
    ...unknownLimit(key),
    because: "the store of your shared budgets could not be used",
    remedy: "Without it, the limits that hold over several sessions cannot hold this one.",
    goOn: "Go on, with these limits for this session by itself?",
    heading: "shared budget",
    hidden: "always",
  };
}

/** A shared budget is frozen. */
export function freezeGate(key: string, pool: string): PiLimit {
  return {
    ...unknownLimit(key),
    because: "a shared budget is frozen",
    remedy: `To let its agents go on, use npx turn-limit pools unfreeze "${pool}".`,
    goOn: "Go on all the same?",
    heading: "shared budget",
    hidden: "always",
  };
}

/** A person froze this session from elsewhere. */
export function frozenSession(key: string): PiLimit {
  return {
    ...unknownLimit(key),
    because: "it was frozen from elsewhere",
    remedy: "To let it go on, unfreeze it there, or prompt again.",
    goOn: "Go on all the same?",
    heading: "frozen",
    hidden: "always",
  };
}

/** A person stopped this session from elsewhere. */
export function stoppedSession(key: string): PiLimit {
  return {
    ...unknownLimit(key),
    because: "it was stopped from elsewhere",
    remedy: "Prompt again to go on.",
    heading: "stopped",
    hidden: "always",
  };
}

/** Where a limit was set to something that cannot be used. */
export interface RefusedSource {
  /** In words: `PI_MAX_COST`, `"cost" in <file>`, or a whole file. */
  readonly source: string;
  /** The command that sets the limit in the session, if there is one: `/cost-limit $5`. */
  readonly command?: string | undefined;
}

/** What the boundary is known by that stands for limits that cannot be used: where they were set. */
export interface RefusedIdentity extends LimitIdentity {
  readonly kind: "custom";
  readonly sources: readonly RefusedSource[];
}

/** The core's label for it. */
export function nameOfRefused(sources: readonly RefusedSource[]): string {
  return `refused.${sources.map(({ source }) => source).join(", ")}`;
}

/** Where a limit was set, with its period where it has one: `--max-cost (per day)`. */
export function sourceWithPeriod(source: string, per: Period | undefined): string {
  return per === undefined ? source : `${source} (${perText(per)})`;
}

/** The command that sets a limit, with an amount to go by. */
export function commandFor({ command, example: [max] }: PiLimit): string | undefined {
  return command && `/${command} ${max}`;
}

/** Limits that cannot be used. */
export function refusedLimit(key: string, { sources }: RefusedIdentity): PiLimit {
  const isOne = sources.length === 1;
  const named = sources.map(({ source }) => source);
  const because = `${listed(named, "and")} cannot be used`;
  const limitsNothing = `${because}, so ${isOne ? "it limits" : "they limit"} nothing.`;
  return {
    ...unknownLimit(key),
    unit: "turns",
    heading: isOne ? "a limit cannot be used" : "limits cannot be used",
    asked: () => [limitsNothing, ...waysToSet(sources)].join(" "),
    exceeded: () => `${because}, so nothing was sent.`,
    because,
    remedy: isOne ? "Correct it, or leave it out." : "Correct them, or leave them out.",
    hidden: "always",
  };
}

/** How a person can set in the session what these sources were to set. */
function waysToSet(sources: readonly RefusedSource[]): string[] {
  const commands = sources.flatMap(({ command }) => command ?? []);
  if (commands.length === 0) return ["To set it right, correct the file, then use /reload."];
  return [
    `Use ${listed(commands, "and")} to set ${commands.length === 1 ? "the limit" : "these limits"}.`,
    ...(commands.length < sources.length ? ["To set the others, correct the file, then use /reload."] : []),
  ];
}
