import type { LimitIdentity, Max, Totals } from "turn-limit";
import { KINDS, type KindName, limitTitle } from "../core.ts";
import type { Period } from "./periods.ts";
import type { Maximum, Setting } from "./setting.ts";

/** Whose run a question is about: the person's own, or that of an agent below it. */
export type Who = "You've" | "It has";

/** Everything that the extension knows about one kind of limit. */
export interface PiLimit {
  /** Its key in the settings, and the core's label for it. */
  readonly key: string;
  /** The kind of limit that it is, where that is not its key: `cost` for `cost per day`. */
  readonly kind?: string;
  /** Which member of its family it is: `bash` of the limits of tools. */
  readonly member?: string;
  /** In the widget and the panel, for example `Tokens`; `rowLabel` where the panel has another one. */
  readonly label: string;
  readonly rowLabel?: string;
  /** The period that it holds for; left out where that is one prompt. */
  readonly per?: Period;
  /** Settings that only the limit for a prompt has, such as `reserve`. */
  readonly ofOneRun?: readonly string[];
  /** What it counts, in the singular: it has a `token limit`, a `token policy`. */
  readonly noun: string;
  /** The unit in "How many more tokens?", for example `tokens`. */
  readonly unit: string;
  /** By their names in the settings, in the order in which a text says them. */
  readonly settings: { readonly max: Maximum } & Readonly<Record<string, Setting>>;
  /** What it limits, for the JSON schema. */
  readonly about: string;
  /** A text with everything that a text can say: how much, and what may follow. */
  readonly example: readonly [max: string, following: string];
  /** Slash command as it is typed, with the texts that it offers, flag and environment variable, where it has them. */
  readonly command?: string;
  readonly suggestions?: readonly string[];
  readonly flag?: string;
  readonly env?: string;
  /** The title of the question, where it is not `token limit reached`. */
  readonly heading?: string;
  /** What a person is told in the question. `who`: whose run it is. */
  asked(used: number, max: Max, who: Who): string;
  /**
   * What was used of it, as a sentence that goes on with the period: `You've used 25 turns`. Left out where the limit
   * can only hold for a prompt.
   */
  spent?(used: number, max: Max, who: Who): string;
  /** Why a run ended, in parentheses, where `used/max` does not say it. */
  reached?(used: number): string;
  /** What is said when it stops a run, where that is not `Token limit reached (…).` */
  exceeded?(max: Max): string;
  /** Why a run ended, where that is not `by the token limit`. */
  readonly because?: string;
  /** What to do about it, where that is not to allow more. */
  readonly remedy?: string;
  /** What a person is asked after the reason, where the core gives one instead of numbers. */
  readonly goOn?: string;
  /** What was done too often if the self-check finds more than was admitted: `requests were sent`. */
  readonly overrun?: string;
  /** Does its command show the maximum beside the usage? */
  readonly usedOfMax?: boolean;
  /** Usage in a run where the limit has no maximum. */
  total(totals: Totals): number;
  /** When it is left out of the widget. */
  readonly hidden?: "at zero" | "always";
}

/** Limits of one kind by names that a person chooses, such as `tools.bash`. */
export interface LimitFamily {
  readonly key: string;
  readonly noun: string;
  /** The same in one word, where the panel offers to add one. */
  readonly offered?: string;
  readonly about: string;
  /** A member that many will want, for examples. */
  readonly example: string;
  /** The slash command, which the name of the member follows. */
  readonly command: string;
  /** Flag and environment variable that set members, where there are some: `5h 80%, 7d 50%`. */
  readonly flag?: string;
  readonly env?: string;
  /** The names that many will want, where they are not those of Pi's tools. */
  readonly names?: readonly string[];
  /** What such names look like, for the JSON schema. */
  readonly namePattern?: string;
  /** Why it has no member of this name, in a sentence that says what to write; left out where it has one of any name. */
  whyNoMember?(name: string): string | undefined;
  member(name: string): PiLimit;
}

/** The key of the windows of a subscription. */
export const PLAN_KEY = "plan";

export function isFamily(row: PiLimit | LimitFamily): row is LimitFamily {
  return "member" in row;
}

/** What the core says of a kind of limit: its key in the settings, and what it counts. */
export function ofKind<Key extends KindName>(key: Key) {
  return { key, noun: KINDS[key].noun } as const;
}

/** Where the settings of a limit are: `["tokens"]`, `["tools", "bash"]`, `["cost per day"]`. */
export function pathOf({ key, kind = key, member }: PiLimit): string[] {
  return member === undefined ? [key] : [kind, member];
}

/** What the core knows the limit by. */
export function identityOf({ key, kind = key, member, per }: PiLimit): LimitIdentity {
  if (kind === PLAN_KEY) return { kind, ...(member !== undefined && { per: member }) };
  const of = { ...(member !== undefined && { tool: member }), ...(per && { per }) };
  return { kind: kind as LimitIdentity["kind"], ...of };
}

/** What a limit is called in a sentence: `token limit`, `limit for bash`, `cost limit per day`. */
export function titleOf(limit: PiLimit): string {
  return limitTitle({ limit: limit.key, identity: identityOf(limit) });
}
