import type { Boundary, OutcomeKind } from "../../src/index.ts";
import { Budget, NAMES, type Name, noTotals, type Reached, type Terms, type Totals } from "./limits.ts";

/** What a session is set up with, and what can be changed in it. */
export interface Settings {
  canAsk: boolean;
  grace: number;
  /** At which shares the model is told what is left, if it is. */
  tell: readonly number[] | "every turn" | null;
  limits: Record<Name, Terms | null>;
}

/** A turn that has been admitted, and is neither sent nor ended. */
interface Admitted {
  isNew: boolean;
  isExempt: boolean;
  tells: boolean;
  before: Pick<Run, "mishap" | "inFlight"> & Pick<World, "retryDue">;
}

/** What a turn told of a limit: the share that had been told of before, and the one that was told then. */
export interface ToldShare {
  budget: Budget;
  before: number;
  now: number;
}

/** A question that is open: of which budget, and where that stood. */
export type Question = Boundary & { id: number; budget: Name };

/** A run as the specification sees it. */
export class Run {
  status: "running" | "asking" | "synthesis_due" | "synthesizing" | "ending" = "running";
  mishap: "absent" | "failed" | "aborted" = "absent";
  inFlight = false;
  /** Does a turn wait to be decided? */
  held = false;
  waiting = false;
  /** The turn that was admitted last, as long as it can be taken back: what it is, and how things were before it. */
  admitted: Admitted | undefined;
  /** What was told in each turn that was admitted and has not ended. */
  readonly open: ToldShare[][] = [];
  /** The line of the turn that was admitted last. */
  line = "";
  rounds = 0;
  wrapUpTold = false;
  intervened = false;
  question: Question | null = null;
  /** How many questions there were before this run. */
  readonly earlierQuestions: number;
  /** What ends the run, or made its last turn due. */
  endedBy: Boundary | null = null;
  outcome: "declined" | "stopped" | "limit-overrun" | null = null;
  raises = false;
  readonly totals = noTotals();
  /** What the last call was refused by, if nothing else came of that. */
  refused: Reached | undefined;

  constructor(earlierQuestions: number) {
    this.earlierQuestions = earlierQuestions;
  }
}

/** A session as the specification sees it, with its one open run. */
export class World {
  canAsk: boolean;
  grace: number;
  tell: Settings["tell"];
  /** What the dynamic grace says at the moment. */
  offeredGrace: number | undefined;
  readonly budgets: Record<Name, Budget>;
  /** What was used since the last prompt. */
  totals = noTotals();
  declined = false;
  retryDue = false;
  completed = 0;
  /** Was a turn of this round taken back? */
  turnAbandoned = false;
  wrapUpSent = false;
  wrapUpRequested = false;
  priceUnknown = false;
  clock = 0;
  questions = 0;
  /** The second count, of what is really done. */
  readonly counts = { turns: noCount(), steps: noCount() };
  run: Run | undefined;
  /** How the last run ended, until the next event. */
  ended: { kind: OutcomeKind; run: Run } | undefined;
  /** The rules that have fired since the last action began. */
  fired: string[] = [];

  constructor({ canAsk, grace, tell, limits }: Settings) {
    this.canAsk = canAsk;
    this.grace = grace;
    this.tell = tell;
    const budgets = NAMES.map((name) => [name, new Budget(name, limits[name])]);
    this.budgets = Object.fromEntries(budgets);
  }

  /** Counts for every budget: each keeps its own sum since it started over. */
  count(amounts: Partial<Totals>): void {
    for (const { totals } of [this, ...Object.values(this.budgets), ...(this.run ? [this.run] : [])]) {
      for (const name of Object.keys(amounts) as (keyof Totals)[]) totals[name] += amounts[name] ?? 0;
    }
  }
}

export function noCount() {
  return { admitted: 0, done: 0, counted: 0, exempt: 0, isBroken: false };
}
