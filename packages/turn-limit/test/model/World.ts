import type { Boundary, Headless, Max, OnExhausted, OutcomeKind } from "../../src/index.ts";

/** What a session is set up with. */
export interface Settings {
  hasUi: boolean;
  max: Max;
  budget: Budget | null;
  grace: number;
  headless: Headless;
}

export interface Budget {
  max: number;
  onExhausted: OnExhausted;
}

/** A run as the specification sees it. */
export interface Run {
  status: "running" | "awaiting_confirmation" | "synthesis_due" | "synthesizing" | "declining" | "stopping";
  mishap: "absent" | "failed" | "aborted";
  inFlight: boolean;
  retryDue: boolean;
  turns: number;
  rounds: number;
  steps: number;
  wrapUpTold: boolean;
  touched: boolean;
  /** Where the limit stood that ended the run, or made its tools-free turn due. */
  endedAt?: Boundary;
}

/** A session as the specification sees it, with its one open run. */
export interface World extends Settings {
  used: number;
  completed: number;
  stepsUsed: number;
  stepsExceeded: boolean;
  wrapUpSent: boolean;
  wrapUpRequested: boolean;
  declined: boolean;
  /** What the dynamic grace says at the moment. */
  offeredGrace: number | undefined;
  run?: Run | undefined;
  outcome?: { kind: OutcomeKind; run: Run } | undefined;
}

export function newWorld(settings: Settings): World {
  return {
    ...settings,
    used: 0,
    completed: 0,
    stepsUsed: 0,
    stepsExceeded: false,
    wrapUpSent: false,
    wrapUpRequested: false,
    declined: false,
    offeredGrace: undefined,
  };
}

export function newRun(): Run {
  return {
    status: "running",
    mishap: "absent",
    inFlight: false,
    retryDue: false,
    turns: 0,
    rounds: 0,
    steps: 0,
    wrapUpTold: false,
    touched: false,
  };
}

export function turnBoundary({ used, max }: World): Boundary {
  return { limit: "turns", used, max };
}

export function stepBoundary({ stepsUsed, budget }: World): Boundary {
  return { limit: "steps", used: stepsUsed, max: budget?.max ?? "unlimited" };
}
