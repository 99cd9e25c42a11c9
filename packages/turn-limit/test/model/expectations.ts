import { standingText } from "../../src/core/words.ts";
import {
  type Boundary,
  DEFAULT_SYNTHESIS_MESSAGE,
  DEFAULT_WRAP_UP_MESSAGE,
  type Outcome,
  type OverdueDecision,
  type StepDecision,
  type Stop,
  type TurnDecision,
} from "../../src/index.ts";
import { roundOf, standingsOf } from "./limits.ts";
import type { Question, World } from "./world.ts";

/** What the governor has to decide about a turn, as the model stands after it. */
export function turn(world: World): TurnDecision {
  const { status, question, endedBy } = world.run ?? {};
  if (status === "asking" && question) return askOf(world, question);
  if (status === "synthesizing" && endedBy)
    return { kind: "synthesize", ...endedBy, message: DEFAULT_SYNTHESIS_MESSAGE };
  if (status !== "running") return stop(world);
  const message = wrapUp(world);
  const told = world.fired.includes("WhatIsLeftIsTold") && { told: world.run?.line ?? "" };
  return message ? { kind: "wrap-up", message, ...told } : { kind: "proceed", ...told };
}

export function wrapUp({ fired }: World): string | undefined {
  const isTold = fired.includes("WrapUpIsSent") || fired.includes("HeldTurnWrapsUp");
  return isTold ? DEFAULT_WRAP_UP_MESSAGE : undefined;
}

/** What a reply comes to. To a question that is not open it is a stop, unless it is about a turn of this run. */
export function reply(world: World, ask: { id: number; midTurn?: true } | undefined): TurnDecision {
  const { run, fired } = world;
  if (fired.includes("TimeGoesOn")) return { kind: "proceed" };
  if (!fired.includes("LateReplyDecidesNothing") || fired.includes("WaiterDecidedAnew")) return turn(world);
  const isOfThisRun = run && ask && ask.id > run.earlierQuestions;
  return isOfThisRun && run.status !== "ending" ? { kind: "proceed" } : stop(world);
}

export function step({ fired, run }: World): StepDecision {
  if (fired.includes("StepTaken")) return { kind: "proceed" };
  const over = run?.endedBy ?? (run?.status === "asking" ? run.question : null);
  if (over) return refused(fired.includes("CallSynthesizes") ? "synthesize" : "refuse", over, NOT_RUN, true);
  const { boundary, isWarning, cycle = 1 } = run?.refused ?? {};
  if (!boundary) throw new Error("The model says nothing about the call");
  if (!isWarning) return refused("refuse", boundary, NOT_RUN, false);
  const often = boundary.used === 1 ? "already" : `${boundary.used} times in a row`;
  const again =
    cycle === 1
      ? `this call was made ${often} with the same result. It`
      : `these ${cycle} calls in turn were made ${often} with the same results. They`;
  const reason = `Not run: ${again} will not change. Try something else, or answer.`;
  return { kind: "refuse", ...boundary, reason };
}

export function overdue(world: World): OverdueDecision | undefined {
  const { fired, run } = world;
  if (fired.length === 0) return undefined;
  if (run?.question) return { ...askOf(world, run.question), midTurn: true };
  if (run?.status === "synthesis_due" && run.endedBy)
    return refused("synthesize", run.endedBy, "Cut off before it had a result", true);
  return stop(world);
}

export function stop({ run, budgets }: World): Stop {
  const neutral = standingsOf(budgets.turns)[0] as Boundary;
  const { endedBy, outcome, raises } = run ?? {};
  if (!outcome || !endedBy) return { kind: "stop", ...neutral, outcome: "stopped", raises: false };
  return { kind: "stop", ...endedBy, outcome, raises: raises === true };
}

export function outcome(world: World): Outcome | undefined {
  const { ended, priceUnknown, budgets } = world;
  if (!ended) return undefined;
  const { rounds, intervened, endedBy, totals } = ended.run;
  const { turns, steps, time, reports, priced, input, output, cacheRead, dimes } = totals;
  const usage = { input, output, cacheRead, ...(priced && { cost: dimes / 10 }) };
  return {
    kind: ended.kind,
    ...(endedBy && { limit: endedBy.limit, identity: endedBy.identity }),
    ...{ turns, rounds, steps, time, intervened },
    ...(reports && { usage }),
    ...(priceUnknown && budgets.cost.terms && { unpriced: true }),
    maxTurns: budgets.turns.terms?.max ?? "unlimited",
    maxSteps: budgets.steps.terms?.max ?? "unlimited",
  };
}

function askOf({ budgets }: World, { limit, identity, used, max, id, budget }: Question) {
  const round = roundOf(budgets[budget]);
  const isAnother = round !== undefined && round !== max;
  return { kind: "ask" as const, limit, identity, used, max, id, ...(isAnother && { round }) };
}

const NOT_RUN = "Not run";

const TITLES: Record<string, string> = {
  turns: "turn limit",
  steps: "step limit",
  tokens: "token limit",
  cost: "cost limit",
  time: "time limit",
  repeats: "repeat limit",
  "tools.read": "limit for read",
};

function refused<Kind extends "refuse" | "synthesize">(
  kind: Kind,
  { limit, identity, used, max }: Boundary,
  what: string,
  isOver: boolean,
) {
  const title = TITLES[limit] ?? `${limit} limit`;
  const reason = `${what}: the ${title} is reached (${standingText({ identity, used, max })}).`;
  return {
    kind,
    limit,
    identity,
    used,
    max,
    reason: isOver ? `${reason} No more tool calls are possible in this run.` : reason,
  };
}
