import type { Boundary, Max, OutcomeKind } from "../../src/index.ts";
import { type BudgetName, startOver, type Terms } from "./Budget.ts";
import { type Run, type StepTerms, turnsAllowed, type World } from "./World.ts";

/** What can happen, in the words of the specification. */
export type Event =
  | "PromptReceived"
  | "ContinuationReceived"
  | "TurnRequested"
  | "UserAllows"
  | "UserConfirmsContinuation"
  | "ContinuationReleased"
  | "UserDeclinesContinuation"
  | "UserWrapsUp"
  | "TurnAnswered"
  | "TurnFailed"
  | "TurnAborted"
  | "TurnDiscarded"
  | "ToolCallRequested"
  | "UsageReported"
  | "PriceMissing"
  | "ClockRead"
  | "WaitingChanged"
  | "TimeChecked"
  | "RequestSent"
  | "CallExecuted"
  | "SteeringPolled"
  | "UserRequestsWrapUp"
  | "RunSettled"
  | "UserSetsLimit"
  | "UserRemovesLimit"
  | "UserSetsStepBudget"
  | "UserSetsBudget"
  | "UserRemovesBudget"
  | "UserSetsWrapUp"
  | "UserSetsHeadlessPolicy"
  | "LimitsChanged"
  | "ResetRequested";

/** What an event brings along. */
export interface Details {
  max?: Max;
  steps?: StepTerms | null;
  grace?: number;
  headless?: World["headless"];
  budget?: BudgetName;
  terms?: Terms;
  amount?: number;
  /** How much a person allows of the limit that was asked about. */
  allowance?: Max | undefined;
  tool?: string | undefined;
  now?: number;
  waiting?: boolean;
  canGoOn?: boolean;
}

/** One rule of the specification: on this event, and only if `requires` holds, `ensures` comes true. */
export interface Rule {
  when: Event;
  requires(world: World, details: Details): boolean;
  ensures(world: World, details: Details): void;
}

export type Rules = Record<string, Rule>;

/** Where a run stands that is not being ended and of which no turn is held. */
export const WORKING: Run["status"][] = ["running", "synthesis_due", "synthesizing"];

/** Where a run stands whose next turn can be decided. */
export const DECIDABLE: Run["status"][] = ["running", "awaiting_confirmation"];

/** A rule about the open run, if it stands in one of these. */
export function onRun(
  when: Event,
  statuses: Run["status"][],
  rule: {
    requires?(run: Run, world: World, details: Details): boolean;
    ensures(run: Run, world: World, details: Details): void;
  },
): Rule {
  return {
    when,
    requires: (world, details) =>
      world.run !== undefined &&
      statuses.includes(world.run.status) &&
      (rule.requires?.(world.run, world, details) ?? true),
    ensures: (world, details) => rule.ensures(world.run as Run, world, details),
  };
}

/** A rule about how the run ends. */
export function settles(
  kind: OutcomeKind,
  statuses: Run["status"][],
  requires?: (run: Run) => boolean,
): Rule {
  return onRun("RunSettled", statuses, {
    ...(requires && { requires }),
    ensures: (run, world) => {
      world.outcome = { kind, run };
      world.run = undefined;
    },
  });
}

/** One more turn begins, which the turn limit covers. */
export function beginTurn(run: Run, world: World): void {
  if (world.sentInRound >= Number(turnsAllowed(world))) run.breached.requests = true;
  beginTurnBeyond(run, world);
  run.exempt = false;
}

/** One more turn begins, whatever the turn limit says. */
export function beginTurnBeyond(run: Run, world: World): void {
  if (world.used === 0 || run.rounds === 0) run.rounds += 1;
  world.used += 1;
  run.turns += 1;
  beginAgain(run);
}

/** The last turn begins once more. */
export function beginAgain(run: Run): void {
  run.requestsAdmitted += 1;
  Object.assign(run, { mishap: "absent", inFlight: true, held: false, retryDue: false, exempt: true });
}

/** The tools-free turn begins. */
export function beginLast(run: Run, world: World, boundary: Boundary | undefined = run.endedAt): void {
  Object.assign(run, { status: "synthesizing", touched: true, question: null, endedAt: boundary });
  startOver(world.budgets.time);
  beginTurnBeyond(run, world);
}

/** The next turn is held, and a person asked. */
export function hold(run: Run, question: Boundary): void {
  Object.assign(run, {
    status: "awaiting_confirmation",
    inFlight: false,
    held: true,
    touched: true,
    question,
  });
}

/** The run is over, as soon as the host has said so. */
export function end(
  run: Run,
  status: "stopping" | "declining" | "overrunning",
  endedAt: Boundary | undefined,
): void {
  Object.assign(run, { status, inFlight: false, held: false, touched: true, question: null, endedAt });
}

/** The turn counter is zero again. */
export function startRound(world: World): void {
  Object.assign(world, { used: 0, completed: 0, turnAllowance: null, sentInRound: 0 });
  if (world.run) world.run.breached.requests = false;
  rearm(world);
}

/** The model can be told to wrap up once more. */
export function rearm(world: World): void {
  world.wrapUpSent = false;
  if (world.run) world.run.wrapUpTold = false;
}

export function withdrawQuestion({ run }: World): void {
  if (!run) return;
  Object.assign(run, { question: null, allowance: null });
  if (run.status === "awaiting_confirmation") run.status = "running";
}

/** Everything that is counted is zero again. */
export function startEverythingOver(world: World): void {
  startRound(world);
  Object.assign(world, { stepsUsed: 0, stepsExceeded: false, executed: 0, declined: false });
  world.priceUnknown = false;
  if (world.run) world.run.breached.calls = false;
  for (const budget of Object.values(world.budgets)) startOver(budget);
}
