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
import { boundaryOf } from "./Budget.ts";
import { type Run, turnBoundary, type World } from "./World.ts";

/** What the governor has to decide about a turn, as the model stands after it. */
export function expectedTurn(world: World, told: boolean): TurnDecision {
  const { status, question, endedAt = turnBoundary(world) } = world.run ?? {};
  if (status === "running")
    return told ? { kind: "wrap-up", message: DEFAULT_WRAP_UP_MESSAGE } : { kind: "proceed" };
  if (status === "awaiting_confirmation" && question) return { kind: "ask", ...question };
  if (status === "synthesizing")
    return { kind: "synthesize", message: DEFAULT_SYNTHESIS_MESSAGE, ...endedAt };
  return stopOf(world);
}

export function expectedWrapUp(told: boolean): string | undefined {
  return told ? DEFAULT_WRAP_UP_MESSAGE : undefined;
}

export function expectedStep(world: World, rule: string | undefined): StepDecision {
  if (rule === "StepUnbudgeted" || rule === "StepTaken") return { kind: "proceed" };
  if (rule === "CallRefused") return refused("refuse", boundaryOf(world.budgets["tools.read"]), false);
  const { endedAt, question } = world.run ?? {};
  const kind = rule === "StepBudgetSynthesizes" || rule === "CallSynthesizes" ? "synthesize" : "refuse";
  return refused(kind, endedAt ?? question ?? turnBoundary(world), true);
}

export function expectedOverdue(world: World, rule: string | undefined): OverdueDecision | undefined {
  if (!rule) return undefined;
  const boundary = boundaryOf(world.budgets.time);
  if (rule === "TimeUpAsks") return { kind: "ask", ...boundary };
  if (rule === "TimeUpHastensSynthesis") return refused("synthesize", world.run?.endedAt ?? boundary, true);
  return rule === "TimeUpSynthesizes" ? refused("synthesize", boundary, true) : stopOf(world);
}

export function expectedOverrun(world: World, overruns: boolean): Stop | undefined {
  return overruns ? stopOf(world) : undefined;
}

export function expectedOutcome(world: World): Outcome | undefined {
  const { outcome, max, steps: budget, priceUnknown, budgets } = world;
  if (!outcome) return undefined;
  const { turns, rounds, steps, touched, time, usage, endedAt } = outcome.run;
  return {
    kind: outcome.kind,
    ...(endedAt && { limit: endedAt.limit }),
    turns,
    rounds,
    steps,
    touched,
    ...(time !== undefined && { time }),
    ...(usage && { usage }),
    ...(priceUnknown && budgets.cost.terms && { unpriced: true }),
    maxTurns: max,
    maxSteps: budget ? budget.max : "unlimited",
  };
}

const OUTCOMES: Partial<Record<Run["status"], Stop["outcome"]>> = {
  declining: "declined",
  stopping: "stopped",
  overrunning: "limit-overrun",
};

function stopOf(world: World): Stop {
  const { status = "stopping", endedAt = turnBoundary(world) } = world.run ?? {};
  return { kind: "stop", ...endedAt, outcome: OUTCOMES[status] ?? "stopped" };
}

function refused<Kind extends "refuse" | "synthesize">(
  kind: Kind,
  { limit, used, max }: Boundary,
  isOver: boolean,
) {
  const shown =
    limit === "time" ? [seconds(used), seconds(max)] : [used, max].map(limit === "cost" ? dollars : String);
  const reason = `Not run: the ${TITLES[limit]} is reached (${shown.join("/")}).`;
  return {
    kind,
    limit,
    used,
    max,
    reason: isOver ? `${reason} No more tool calls are possible in this run.` : reason,
  };
}

const TITLES: Record<string, string> = {
  turns: "turn limit",
  steps: "step limit",
  tokens: "token limit",
  cost: "cost limit",
  time: "time limit",
  "tools.read": "limit for read",
};

function seconds(milliseconds: number | "unlimited"): string {
  return `${Math.round(Number(milliseconds) / 1000)}s`;
}

function dollars(amount: number | "unlimited"): string {
  return `$${amount}`;
}
