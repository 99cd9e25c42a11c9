import type { Boundary, Headless, Max, OnExhausted, OutcomeKind, Usage } from "../../src/index.ts";
import { type Budget, type BudgetName, newBudgets, type Terms } from "./Budget.ts";

/** What a session is set up with. */
export interface Settings {
  hasUi: boolean;
  max: Max;
  steps: StepTerms | null;
  grace: number;
  headless: Headless;
  terms: Record<BudgetName, Terms | null>;
  /** Does the host say what it really sends and executes? */
  audited: boolean;
}

export interface StepTerms {
  max: number;
  onExhausted: OnExhausted;
}

/** A run as the specification sees it. */
export interface Run {
  status:
    | "running"
    | "awaiting_confirmation"
    | "synthesis_due"
    | "synthesizing"
    | "declining"
    | "stopping"
    | "overrunning";
  mishap: "absent" | "failed" | "aborted";
  inFlight: boolean;
  /** Does a turn wait to be decided? */
  held: boolean;
  retryDue: boolean;
  turns: number;
  rounds: number;
  steps: number;
  wrapUpTold: boolean;
  touched: boolean;
  /** The limit that a person is being asked about, as it stood. */
  question: Boundary | null;
  /** How much a person allows of that, in the new round. */
  allowance: Max | null;
  waiting: boolean;
  time?: number;
  usage: Usage | null;
  requestsAdmitted: number;
  requestsSent: number;
  /** Is the request that was admitted last one that the turn limit does not apply to? */
  exempt: boolean;
  callsExecuted: number;
  /** Was one admitted although as many as the limit admits had really been made? */
  breached: { requests: boolean; calls: boolean };
  /** Where the limit stood that ended the run, or made its tools-free turn due. */
  endedAt?: Boundary;
}

/** A session as the specification sees it, with its one open run. */
export interface World extends Omit<Settings, "terms"> {
  used: number;
  completed: number;
  /** What a person allowed for this round in the place of `max`. */
  turnAllowance: Max | null;
  stepsUsed: number;
  stepsExceeded: boolean;
  budgets: Record<BudgetName, Budget>;
  priceUnknown: boolean;
  clock: number;
  wrapUpSent: boolean;
  wrapUpRequested: boolean;
  declined: boolean;
  /** Requests that were really sent in this round, and calls that were executed since the last prompt. */
  sentInRound: number;
  executed: number;
  /** What the dynamic grace says at the moment. */
  offeredGrace: number | undefined;
  run?: Run | undefined;
  outcome?: { kind: OutcomeKind; run: Run } | undefined;
}

export function newWorld({ terms, ...settings }: Settings): World {
  return {
    ...settings,
    used: 0,
    completed: 0,
    turnAllowance: null,
    stepsUsed: 0,
    stepsExceeded: false,
    budgets: newBudgets(terms),
    priceUnknown: false,
    clock: 0,
    wrapUpSent: false,
    wrapUpRequested: false,
    declined: false,
    sentInRound: 0,
    executed: 0,
    offeredGrace: undefined,
  };
}

export function newRun(): Run {
  return {
    status: "running",
    mishap: "absent",
    inFlight: false,
    held: false,
    retryDue: false,
    turns: 0,
    rounds: 0,
    steps: 0,
    wrapUpTold: false,
    touched: false,
    question: null,
    allowance: null,
    waiting: false,
    usage: null,
    requestsAdmitted: 0,
    requestsSent: 0,
    exempt: false,
    callsExecuted: 0,
    breached: { requests: false, calls: false },
  };
}

/** How many turns this round admits. */
export function turnsAllowed({ turnAllowance, max }: World): Max {
  return turnAllowance ?? max;
}

/** Has the round no turn left? */
export function isOutOfTurns(world: World): boolean {
  const allowed = turnsAllowed(world);
  return allowed !== "unlimited" && world.used >= allowed;
}

export function turnBoundary(world: World): Boundary {
  return { limit: "turns", used: world.used, max: turnsAllowed(world) };
}

export function stepBoundary({ stepsUsed, steps }: World): Boundary {
  return { limit: "steps", used: stepsUsed, max: steps?.max ?? "unlimited" };
}
