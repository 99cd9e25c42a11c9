import type { Max, OutcomeKind } from "../../src/index.ts";
import type { Budget, Run, World } from "./World.ts";

/** What can happen, in the words of the specification. */
export type Event =
  | "PromptReceived"
  | "ContinuationReceived"
  | "TurnRequested"
  | "UserConfirmsContinuation"
  | "UserDeclinesContinuation"
  | "TurnAnswered"
  | "TurnFailed"
  | "TurnAborted"
  | "TurnDiscarded"
  | "ToolCallRequested"
  | "SteeringPolled"
  | "UserRequestsWrapUp"
  | "RunSettled"
  | "UserSetsLimit"
  | "UserRemovesLimit"
  | "UserSetsStepBudget"
  | "UserSetsWrapUp"
  | "UserSetsHeadlessPolicy"
  | "ResetRequested";

/** What an event brings along. */
export interface Details {
  max?: Max;
  budget?: Budget | null;
  grace?: number;
  headless?: World["headless"];
}

/** One rule of the specification: on this event, and only if `requires` holds, `ensures` comes true. */
export interface Rule {
  when: Event;
  requires(world: World, details: Details): boolean;
  ensures(world: World, details: Details): void;
}

export type Rules = Record<string, Rule>;

/** A rule about the open run, if it stands in one of these. */
export function onRun(
  when: Event,
  statuses: Run["status"][],
  rule: { requires?(run: Run, world: World): boolean; ensures(run: Run, world: World): void },
): Rule {
  return {
    when,
    requires: (world) =>
      world.run !== undefined &&
      statuses.includes(world.run.status) &&
      (rule.requires?.(world.run, world) ?? true),
    ensures: (world) => rule.ensures(world.run as Run, world),
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

/** One more turn begins. */
export function beginTurn(run: Run, world: World): void {
  if (world.used === 0 || run.rounds === 0) run.rounds += 1;
  world.used += 1;
  run.turns += 1;
  Object.assign(run, { mishap: "absent", inFlight: true, retryDue: false });
}

/** The turn counter is zero again. */
export function startRound(world: World): void {
  Object.assign(world, { used: 0, completed: 0, wrapUpSent: false });
  if (world.run) world.run.wrapUpTold = false;
}

export function startSteps(world: World): void {
  Object.assign(world, { stepsUsed: 0, stepsExceeded: false });
}
