import type { Boundary, Max, OutcomeKind } from "../../src/index.ts";

/** A run as the specification sees it. */
export interface Run {
  status: "running" | "awaiting_confirmation" | "declining" | "stopping";
  mishap: "none" | "failed" | "aborted";
  inFlight: boolean;
  retryDue: boolean;
  turns: number;
  rounds: number;
  touched: boolean;
  /** Where the limit stood when it ended the run. */
  endedAt?: Boundary;
}

/** A session as the specification sees it, with its one open run. */
export interface World {
  readonly hasUi: boolean;
  max: Max;
  used: number;
  completed: number;
  run?: Run | undefined;
  outcome?: { kind: OutcomeKind; run: Run } | undefined;
}

export function newWorld(hasUi: boolean, max: Max): World {
  return { hasUi, max, used: 0, completed: 0 };
}

export function newRun(): Run {
  return {
    status: "running",
    mishap: "none",
    inFlight: false,
    retryDue: false,
    turns: 0,
    rounds: 0,
    touched: false,
  };
}

export function boundaryOf({ used, max }: World): Boundary {
  return { limit: "turns", used, max };
}
