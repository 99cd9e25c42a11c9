import type { OutcomeKind } from "../../core/governor/outcome.ts";
import { type Boundary, boundaryAlone, isOwn } from "../../core/limits/boundary.ts";
import { countOf } from "../../core/text/number-text.ts";
import { oneLine } from "../../core/text/text-width.ts";
import { extensionText, noPrice, phrase, standingText } from "../../core/words.ts";
import type { GatewaySummary } from "../../gateway/requests/summary.ts";
import { amountText } from "../pool-measures.ts";
import { type Ended, exitCodeOf } from "./start-agent.ts";

/** The exit code when a limit ended the run. */
export const LIMIT_EXIT_CODE = 86;

/** The exit code when nobody answered in time, and the run is parked. */
export const PARKED_EXIT_CODE = 87;

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

/** A run that is parked: its id, and the command that goes on with it. */
export interface ParkedAs {
  readonly id: string;
  readonly resume: string;
}

/**
 * The exit code of `turn-limit run`: its own if a limit ended the run, else the agent's. An agent that was interrupted did
 * not succeed, whatever it says, and a run in which nothing was held did not either.
 */
export function runExitCode(summary: GatewaySummary, ended: Ended, parked?: ParkedAs): number {
  if (parked) return PARKED_EXIT_CODE;
  if (atLimit(summary) !== undefined) return LIMIT_EXIT_CODE;
  if (ended.code === 0 && !ended.interruptedBy && summary.sent === 0) return NOTHING_HELD_EXIT_CODE;
  return ended.code === 0 && ended.interruptedBy
    ? exitCodeOf({ code: null, signal: ended.interruptedBy })
    : exitCodeOf(ended);
}

/** `stopped at 25/25 turns (Claude Code) · 31 requests · 1.2m tokens · about $4.12 · 12m 3s` */
export function summaryLine(
  summary: GatewaySummary,
  ended: Ended,
  profile: string | undefined,
  parked?: ParkedAs,
): string {
  const { turns, time, endedBy } = summary;
  const how = howItEnded(summary, ended, parked);
  const areTurnsSaid =
    endedBy !== undefined &&
    isOwn(endedBy.identity, "turns") &&
    endedBy.used === turns &&
    how.endsWith(standing(endedBy));
  const parts = [
    profile === undefined ? how : `${how} (${profile})`,
    ...extensions(summary),
    ...overTheLimit(summary),
    ...(summary.problem === undefined ? [] : [phrase(summary.problem)]),
    ...(profile === undefined || areTurnsSaid ? [] : [countOf(turns, "turn")]),
    requestsSent(summary, ended),
    ...spent(summary),
    amountText("time", time),
    ...(parked ? [`to go on: ${parked.resume}`] : []),
  ];
  return oneLine(parts.join(" · "));
}

// `turns extended 2×: 3 files changed`
function extensions({ outcome }: GatewaySummary): string[] {
  return outcome?.extensions?.map((one) => `${one.limit} ${extensionText(one)}`) ?? [];
}

function overTheLimit({ over, endedBy }: GatewaySummary): string[] {
  const others = over.filter(({ limit }) => limit !== endedBy?.limit);
  const texts = others.map(standing);
  return texts.length > 0 ? [`over the limit: ${texts.join(", ")}`] : [];
}

function howItEnded(summary: GatewaySummary, ended: Ended, parked: ParkedAs | undefined): string {
  const { outcome, endedBy } = summary;
  const how = parked ? "parked" : atLimit(summary);
  if (how !== undefined) {
    const why = outcome?.why ?? endedBy?.why;
    // A person stopped it from elsewhere, and that says so.
    if (why !== undefined && outcome?.identity?.kind === "stop")
      return phrase(why).replace(/^Stopped/, "stopped");
    if (why !== undefined) return `${how}: ${phrase(why)}`;
    if (!endedBy) return outcome?.limit === undefined ? how : `${how} at the limit of ${outcome.limit}`;
    return endedBy.unpriced ? `${how}: ${noPrice()}` : `${how} at ${standing(endedBy)}`;
  }
  if (ended.signal !== null) return `ended by ${ended.signal}`;
  const after = ended.interruptedBy === undefined ? "" : ` after ${ended.interruptedBy}`;
  if (ended.code !== 0) return `ended with exit code ${ended.code}${after}`;
  if (after !== "") return `ended${after}`;
  return outcome?.kind === "wrapped-up" ? "wrapped up" : "completed";
}

function standing(boundary: Boundary): string {
  return `${standingText(boundary)} ${boundary.limit}`;
}

const NOTHING_HELD =
  "no request came through the gateway, so nothing was held: check which address the agent's settings name, or give it " +
  "with --route";

// An agent that ends by itself without a request has probably talked to its provider another way.
function requestsSent(summary: GatewaySummary, { signal, interruptedBy }: Ended): string {
  const wasEnded = atLimit(summary) !== undefined || signal !== null || interruptedBy !== undefined;
  const isExplained = summary.sent > 0 || wasEnded || summary.problem !== undefined;
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

/** How a run ended, for scripts. */
export type RunReport = ReturnType<typeof runReport>;

/** The same for scripts. Every field is always there. Cost is in US dollars, time in milliseconds. */
export function runReport(
  summary: GatewaySummary,
  ended: Ended,
  profile: string | undefined,
  parked?: ParkedAs,
) {
  const { outcome, endedBy, usage, isEstimate, isUnpriced, over, problem, requests, turns, time } = summary;
  return {
    text: summaryLine(summary, ended, profile, parked),
    limited: atLimit(summary) !== undefined,
    exitCode: runExitCode(summary, ended, parked),
    parked: parked ?? null,
    agent: { profile: profile ?? null, exitCode: ended.code, signal: ended.signal },
    outcome: outcome?.kind ?? null,
    limit: endedBy?.limit ?? outcome?.limit ?? null,
    identity: endedBy?.identity ?? outcome?.identity ?? null,
    extensions: (outcome?.extensions ?? []).map((one) => ({ ...one, what: one.what ?? null })),
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
  };
}
