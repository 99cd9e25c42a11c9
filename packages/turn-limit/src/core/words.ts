import { text } from "./checks.ts";
import {
  type Boundary,
  type Extended,
  type LimitIdentity,
  labelOf,
  type Max,
  type Waits,
} from "./limits/boundary.ts";
import { kindOf } from "./limits/kinds.ts";
import type { OnExhausted } from "./limits/policy.ts";
import { IN_BRACES, type Placeholder, type TellMessage, type ToldLimit } from "./limits/tell.ts";
import { MEASURES } from "./measures/measures.ts";
import { maxText } from "./measures/write-amounts.ts";
import { momentText } from "./measures/write-moments.ts";

// What is said of a limit, in parts that each screen puts together: nobody cuts a sentence apart again.

/** What a limit is called in a sentence: `turn limit`, `cost limit of pool research`. */
export function limitTitle({ limit, identity }: Pick<Boundary, "limit" | "identity">): string {
  const noun = kindOf(identity)?.noun;
  // One that was given a name is called by it.
  if (noun === undefined || limit !== labelOf(identity)) return `${limit} limit`;
  const { tool, pool, per } = identity;
  const title = tool === undefined ? `${noun} limit` : `limit for ${tool}`;
  if (pool !== undefined)
    return `${title}${identity.kind === "plan" && per !== undefined ? ` per ${per}` : ""} of pool ${pool}`;
  return per === undefined ? title : `${title} per ${per}`;
}

/** What is used of a limit, and of how much: `25/25`, `182.3k/200k`, `$0.93/$5.00`, `31/∞`. */
export function standingText({ identity, used, max }: Pick<Boundary, "identity" | "used" | "max">): string {
  return `${usedText(identity, used, max)}/${maxText(measureOf(identity), max)}`;
}

/** What is used of a limit. `max`: what it is shown beside. */
export function usedText(identity: LimitIdentity, used: number, max?: Max): string {
  return measureOf(identity).show(used, max);
}

// The numbers of a limit of one's own are written as they are.
function measureOf(identity: LimitIdentity) {
  return MEASURES[kindOf(identity)?.measure ?? "turns"];
}

/** What the model reads as the result of a tool call that was not run. */
export function notRun(boundary: Boundary): string {
  return `Not run: the ${isReached(boundary)}`;
}

/** The same where the run is over. */
export function notRunAnymore(boundary: Boundary): string {
  return `${notRun(boundary)} ${NO_MORE.calls}`;
}

/** What the model reads as the result of a tool call that was stopped in the middle. */
export function cutOff(boundary: Boundary): string {
  return `Cut off before it had a result: the ${isReached(boundary)} ${NO_MORE.calls}`;
}

/** A loop that the model is in: the same call, in a cycle of so many, or the same error of a tool. */
export type Loop =
  | { readonly kind: "call"; readonly times: number; readonly cycle: number }
  | { readonly kind: "error"; readonly times: number; readonly tool: string };

/** What the model reads as the result of a call that goes on with a loop. */
export function notRunAgain(loop: Loop): string {
  return `Not run: ${loopText(loop, "these", "this call")}`;
}

/** What the model reads beside the result of a call that went on with a loop. */
export function ranAgain(loop: Loop): string {
  return loopText(loop, "The last", "The last call");
}

function loopText(loop: Loop, these: string, thisCall: string): string {
  const often = loop.times === 1 ? "already" : `${loop.times} times in a row`;
  if (loop.kind === "error")
    return `${loop.tool} failed ${often} with the same error, whatever its arguments were. Find out why, try something else, or answer.`;
  const what =
    loop.cycle > 1
      ? `${these} ${loop.cycle} calls in turn were made ${often} with the same results. They`
      : `${thisCall} was made ${often} with the same result. It`;
  return `${what} will not change. Try something else, or answer.`;
}

/** What an error says: `The turn limit is reached (25/25).` */
export function reachedError(boundary: Boundary): string {
  return `The ${isReached(boundary)}`;
}

function isReached(boundary: Boundary): string {
  if (boundary.why !== undefined) return `run is held. ${sentence(boundary.why)}`;
  return `${limitTitle(boundary)} is reached (${standingText(boundary)}).`;
}

/** What the model is told of what it has left: one line. `message`: what replaces it. */
export function toldText(limits: readonly ToldLimit[], message?: TellMessage): string {
  if (typeof message === "function") return text(message(limits), "tell.message");
  if (message === undefined) return `For information: ${limits.map(leftOf).join("; ")}.`;
  return limits.map((limit) => filledIn(message, limit)).join(" ");
}

function leftOf(limit: ToldLimit): string {
  const { unpriced, identity, left } = limit;
  const [used, rest] = [standingText(limit), usedText(identity, left)];
  const known = unpriced ? `at least ${used} used, at most ${rest} left` : `${used} used, ${rest} left`;
  return `${limitTitle(limit)} ${known}, then ${atEnd(limit)}`;
}

function filledIn(message: string, limit: ToldLimit): string {
  const { identity, used, max, left, share } = limit;
  const texts: Record<Placeholder, string> = {
    limit: limitTitle(limit),
    used: usedText(identity, used, max),
    max: maxText(measureOf(identity), max),
    left: usedText(identity, left),
    share: `${Math.floor(share)} %`,
    end: atEnd(limit),
  };
  return message.replace(IN_BRACES, (_, name: Placeholder) => texts[name]);
}

function atEnd({ end, mayExtend }: ToldLimit): string {
  return mayExtend ? `another round if there was progress, else ${AT_END[end]}` : AT_END[end];
}

/** What happens at the end of a limit, as the model is told. */
const AT_END: Record<OnExhausted, string> = {
  ask: "a person is asked",
  stop: "the run is stopped",
  raise: "the run is stopped",
  synthesize: "one last answer without tools follows",
  refuse: "further calls are refused",
  wait: "the run waits until the limit starts over",
};

/** What is not possible any more once a limit was reached. */
export const NO_MORE = {
  calls: "No more tool calls are possible in this run.",
  requests: "No more requests are sent in this run.",
  requestsOfPool: "Requests are refused until the pool admits more.",
} as const;

/** What the clients of a gateway read when the store of its budgets cannot be used. */
export const BUDGET_UNKNOWN =
  "The gateway cannot use its store of budgets, so requests are refused. Tell whoever runs it: its standard error says why.";

/** What a person reads above a question: `Turn limit reached`. */
export function reachedTitle(limit: Pick<Boundary, "limit" | "identity">): string {
  return `${capitalised(limitTitle(limit))} reached`;
}

/** What a person reads: `Turn limit reached (25/25).` `model`: the one whose price is not known. */
export function reachedText(boundary: Boundary, model?: string): string {
  if (boundary.why !== undefined) return sentence(boundary.why);
  if (boundary.unpriced) return unpricedText(model);
  const extended = boundary.extended ? ` · ${extensionText(boundary.extended)}` : "";
  return `${reachedTitle(boundary)} (${standingText(boundary)}${extended}).`;
}

/** A limit that a person is asked about, or that is waited for. */
export type Asked = Boundary & { readonly waits?: Waits | undefined };

/** What a person reads while a limit is waited for: `Waiting until 14:00 for the cost limit per day ($20.00/$20.00).` */
export function waitingText({ waits, ...boundary }: Asked): string {
  const until = waits?.until === undefined ? "" : ` until ${momentText(waits.until)}`;
  return `Waiting${until} for the ${limitTitle(boundary)} (${standingText(boundary)}).`;
}

/** What a person reads beside what they are asked then: `It goes on by itself at 14:00.` */
export function goesOnText({ until }: Waits): string {
  return `It goes on by itself ${until === undefined ? "when the limit starts over" : `at ${momentText(until)}`}.`;
}

/** What a person reads of a limit that starts over by itself: `The limit starts over at 14:00.` */
export function startsOverText(until: number): string {
  return `The limit starts over at ${momentText(until)}.`;
}

/** The same for whoever may be in another time zone: `The limit starts over in 9h 32m.` */
export function startsOverInText(until: number, now: number): string {
  return `The limit starts over in ${MEASURES.time.show(Math.ceil((until - now) / MINUTE) * MINUTE)}.`;
}

const MINUTE = 60_000;

/** What a person is asked: `Turn limit reached (25/25). Continue?` */
export function questionText(asked: Asked): string {
  return asked.waits ? `${waitingText(asked)} ${CONTINUE_NOW}` : `${reachedText(asked)} ${CONTINUE}`;
}

/** What a person reads of a model whose price is not known. */
export function unpricedText(model?: string): string {
  return `${capitalised(noPrice(model))}, so the cost limit cannot hold the run.`;
}

/** `the model gpt-5 has no price` */
export function noPrice(model?: string): string {
  return `the model ${model === undefined ? "" : `${model} `}has no price`;
}

/** What a person reads of a value that cannot be used: `Invalid turn limit from --max-turns. Use a whole number, …` */
export function invalid(name: string, why: string, source?: string): string {
  return `Invalid ${name}${source === undefined ? "" : ` from ${source}`}. ${why}`;
}

/** How often a limit was extended without a question, and what for: `extended 1×: 3 files changed`. */
export function extensionText({ times, what }: Extended): string {
  return `extended ${times}×${what === undefined ? "" : `: ${what}`}`;
}

/** What a person reads when that happens: `Turn limit extended 1×: 3 files changed.` */
export function wasExtendedText(boundary: Boundary, what: string | undefined): string {
  const times = (boundary.extended?.times ?? 0) + 1;
  return `${capitalised(limitTitle(boundary))} ${sentence(extensionText({ times, ...(what !== undefined && { what }) }))}`;
}

/** What a person is asked after what was reached. */
export const CONTINUE = "Continue?";

/** The same where the run will go on by itself. */
export const CONTINUE_NOW = "Continue now?";

/** Where a run was stopped, and by whom. */
export const STOPPED_HERE = {
  stopped: "The run was stopped here.",
  unanswered: "Nobody answered, so the run was stopped here.",
  declined: "A person stopped the run here.",
  parked: "Nobody answered, so the run is parked here.",
  waits: "The run is parked here until the limit starts over.",
} as const;

/** Somebody else's words as a sentence. */
export function sentence(words: string): string {
  return /[.!?]$/.test(words) ? words : `${words}.`;
}

/** The same without the end, to be continued. */
export function phrase(words: string): string {
  return words.endsWith(".") ? words.slice(0, -1) : words;
}

export function capitalised(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
