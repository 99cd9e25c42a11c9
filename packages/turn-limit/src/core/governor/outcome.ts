import type { LimitIdentity, Max } from "../limits/boundary.ts";
import type { LimitName } from "../limits/kinds.ts";
import type { Usage } from "../meter/usage.ts";
import type { ExtendedLimit, RunState } from "./run-state.ts";

/**
 * Why a run ended.
 *
 * - `completed`: the agent finished by itself
 * - `wrapped-up`: it finished after it had been told to
 * - `salvaged`: out of budget, it answered from what it had, without tools, or with the one that gives its answer
 * - `declined`: a person said no at the boundary
 * - `stopped`: a limit ended it; if the outcome names none, it was one of the host's own
 * - `aborted`: a person or program cancelled it
 * - `failed`: a request failed and was not retried
 * - `limit-overrun`: more was sent or executed than had been admitted, so it was stopped at once
 */
export type OutcomeKind =
  | "completed"
  | "wrapped-up"
  | "salvaged"
  | "declined"
  | "stopped"
  | "aborted"
  | "failed"
  | "limit-overrun";

/** How a run ended, and what it took. */
export interface Outcome {
  kind: OutcomeKind;
  /** The limit that ended the run, or made it end early, if one did. */
  limit?: LimitName;
  identity?: LimitIdentity;
  /** Why, where the limit does not say it: a pool is frozen, or its store cannot be reached. */
  why?: string;
  /** Turns of the whole run, over all its rounds. */
  turns: number;
  /** How often the counter went up from zero: once, and again after each yes, re-enabled limit or reset. */
  rounds: number;
  /** Tool calls of the whole run that were admitted. */
  steps: number;
  /** The turn limit at the end of the run. */
  maxTurns: Max;
  /** The step limit at the end of the run. */
  maxSteps: Max;
  /** What the run spent, if the host said: its answers, compactions, and what its tool calls spent by themselves. */
  usage?: Usage;
  /** Milliseconds from the prompt to the end, without those in which it waited for a person, if the host said. */
  time?: number;
  /** Is there a cost limit, and was something spent whose price is not known? Then `usage.cost` is not all of it. */
  unpriced?: true;
  /** Did a limit intervene: was there a question, an extension, a wrap-up, a refused step or a stop? */
  intervened: boolean;
  /** The limits that were extended without a question, because the run got somewhere: how often, in the whole run. */
  extensions?: readonly ExtendedLimit[];
}

/** Why a run ends, if it settles in this state. */
export function outcomeKind(run: Readonly<RunState>): OutcomeKind {
  const { status, stop, request, synthesis, delivered, wrapUpSentInRun } = run;
  if (stop) return stop.outcome;
  if (status === "asking" || request === "aborted") return "aborted";
  if (request === "failed" || request === "retry-due") return "failed";
  if (synthesis) return synthesis.begun || delivered ? "salvaged" : "stopped";
  return wrapUpSentInRun ? "wrapped-up" : "completed";
}
