import type { OutcomeKind } from "../../core/governor/outcome.ts";
import { boundaryAlone, isOwn } from "../../core/limits/boundary.ts";
import { countOf } from "../../core/text/number-text.ts";
import { oneLine } from "../../core/text/text-width.ts";
import { noPrice, phrase, standingText } from "../../core/words.ts";
import type { GatewaySummary } from "../../gateway/requests/summary.ts";
import { amountText } from "../measures.ts";
import { type Ended, exitCodeOf } from "./start-agent.ts";

/** The exit code when a limit ended the run. */
export const LIMIT_EXIT_CODE = 86;

/** How a run ends at a limit, in words. */
const AT_LIMIT: Readonly<Partial<Record<OutcomeKind, string>>> = {
  stopped: "stopped",
  declined: "stopped by a person",
  salvaged: "answered without tools",
  "limit-overrun": "ended over the limit",
};

/** How a limit ended the run. `undefined`: none did. */
function atLimit({ outcome }: GatewaySummary): string | undefined {
  return outcome && AT_LIMIT[outcome.kind];
}

/** The exit code when nothing passed through the gateway, so that nothing was held. */
const NOTHING_HELD_EXIT_CODE = 1;

/**
 * The exit code of `turn-limit run`: its own if a limit ended the run, else the agent's. An agent that was interrupted did
 * not succeed, whatever it says, and a run in which nothing was held did not either.
 */
export function runExitCode(summary: GatewaySummary, ended: Ended): number {
  if (atLimit(summary) !== undefined) return LIMIT_EXIT_CODE;
  if (ended.code === 0 && !ended.interruptedBy && summary.requests === 0) return NOTHING_HELD_EXIT_CODE;
  return ended.code === 0 && ended.interruptedBy
    ? exitCodeOf({ code: null, signal: ended.interruptedBy })
    : exitCodeOf(ended);
}

/** `stopped at 25/25 turns (Claude Code) · 31 requests · 1.2m tokens · about $4.12 · 12m 3s` */
export function summaryLine(summary: GatewaySummary, ended: Ended, profile: string | undefined): string {
  const { turns, time, endedBy } = summary;
  const how = howItEnded(summary, ended);
  const areTurnsSaid = endedBy !== undefined && isOwn(endedBy.identity, "turns") && endedBy.used === turns;
  const parts = [
    profile === undefined ? how : `${how} (${profile})`,
    ...overTheLimit(summary),
    ...(summary.problem === undefined ? [] : [phrase(summary.problem)]),
    ...(profile === undefined || areTurnsSaid ? [] : [countOf(turns, "turn")]),
    requestsSent(summary, ended),
    ...spent(summary),
    amountText("time", time),
  ];
  return oneLine(parts.join(" · "));
}

function overTheLimit({ over, endedBy }: GatewaySummary): string[] {
  const others = over.filter(({ limit }) => limit !== endedBy?.limit);
  const texts = others.map((boundary) => `${standingText(boundary)} ${boundary.limit}`);
  return texts.length > 0 ? [`over the limit: ${texts.join(", ")}`] : [];
}

function howItEnded(summary: GatewaySummary, ended: Ended): string {
  const { outcome, endedBy } = summary;
  const how = atLimit(summary);
  if (how !== undefined) {
    const why = outcome?.why ?? endedBy?.why;
    if (why !== undefined) return `${how}: ${phrase(why)}`;
    if (!endedBy) return outcome?.limit === undefined ? how : `${how} at the limit of ${outcome.limit}`;
    const { limit, unpriced } = endedBy;
    return unpriced ? `${how}: ${noPrice()}` : `${how} at ${standingText(endedBy)} ${limit}`;
  }
  if (ended.signal !== null) return `ended by ${ended.signal}`;
  const after = ended.interruptedBy === undefined ? "" : ` after ${ended.interruptedBy}`;
  if (ended.code !== 0) return `ended with exit code ${ended.code}${after}`;
  if (after !== "") return `ended${after}`;
  return outcome?.kind === "wrapped-up" ? "wrapped up" : "completed";
}

const NOTHING_HELD =
  "no request came through the gateway, so nothing was held: check which address the agent's settings name, or give it " +
  "with --route";

// An agent that ends by itself without a request has probably talked to its provider another way.
function requestsSent(summary: GatewaySummary, { signal, interruptedBy }: Ended): string {
  const wasEnded = atLimit(summary) !== undefined || signal !== null || interruptedBy !== undefined;
  const isExplained = summary.requests > 0 || wasEnded || summary.problem !== undefined;
  return isExplained ? countOf(summary.requests, "request") : NOTHING_HELD;
}

function spent({ usage, isEstimate, isUnpriced }: GatewaySummary): string[] {
  if (!usage) return [];
  const about = isEstimate ? "about " : "";
  const { cost } = usage;
  const known = cost === undefined ? [] : [`${isUnpriced ? "at least " : about}${amountText("cost", cost)}`];
  return [
    `${about}${amountText("tokens", usage.input + usage.output)} tokens`,
    ...(cost === undefined && isUnpriced ? ["cost not known"] : known),
  ];
}

/** The same for scripts. Every field is always there. Cost is in US dollars, time in milliseconds. */
export function summaryJson(summary: GatewaySummary, ended: Ended, profile: string | undefined): string {
  const { outcome, endedBy, usage, isEstimate, isUnpriced, over, problem, requests, turns, time } = summary;
  return JSON.stringify({
    exitCode: runExitCode(summary, ended),
    agent: { profile: profile ?? null, exitCode: ended.code, signal: ended.signal },
    outcome: outcome?.kind ?? null,
    limit: endedBy?.limit ?? outcome?.limit ?? null,
    identity: endedBy?.identity ?? outcome?.identity ?? null,
    used: endedBy?.used ?? null,
    max: endedBy?.max ?? null,
    why: outcome?.why ?? endedBy?.why ?? null,
    turns,
    requests,
    tokens: {
      input: usage?.input ?? 0,
      output: usage?.output ?? 0,
      cacheRead: usage?.cacheRead ?? 0,
      cacheWrite: usage?.cacheWrite ?? 0,
    },
    cost: usage?.cost ?? null,
    estimate: isEstimate,
    unpriced: isUnpriced,
    over: over.map(boundaryAlone),
    problem: problem ?? null,
    time,
  });
}
