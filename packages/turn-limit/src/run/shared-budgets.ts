import type { Reply } from "../core/governor/decision.ts";
import type { RequestKind } from "../core/governor/run-state.ts";
import type { Observed } from "../core/governor/shared-budget.ts";
import type { SingleLimit } from "../core/limits/limit.ts";
import type { Activity } from "../core/measures/measures.ts";
import type { Reading } from "../core/meter/meter.ts";

/** Who draws from shared budgets: an id, and a name for people. The name may change. */
export interface Member {
  readonly id: string;
  name: string;
}

/** How much of a window of a subscription is used, as its provider told with an answer. */
export interface WindowUse {
  /** Whose subscription: `anthropic`, `openai`. */
  readonly subscription: string;
  /** The length of the window: `5h`, `7d`. */
  readonly window: string;
  /** In per cent. */
  readonly used: number;
  /** When the window starts over, in milliseconds since 1970. */
  readonly resets: number;
}

/** What the part of a run in shared budgets may know of the run, and tell it. */
export interface DrawingRun {
  readonly member: Member;
  /** What the run's meter reads now. */
  readonly reading: Reading;
  /** What is known of a shared limit. `since`: the reading up to which the run's own usage is in it. */
  observe(limit: string, observed: Observed, since: Reading): void;
  /** Tells a person something, once in a run. */
  warn(message: string): void;
}

/** A budget that others draw from too, as a run is given it. It brings the code for its part: a pool does. */
export interface BudgetSource {
  readonly id: string;
  /** The limits that hold a run which draws from it. */
  readonly sharedLimits: readonly SingleLimit[];
  /** Makes the part of a run in these budgets, all of which are of the same kind as this one. */
  join(sources: readonly BudgetSource[], run: DrawingRun): SharedBudgets;
}

/** What shared budgets granted for one turn or one tool call. */
export interface Reservation {
  /** What it is for begins. */
  begin(): void;
  /** What it is for does not begin, or takes no step after all: gives back what was granted. To be called in its turn. */
  release(): Promise<void>;
  /** The turn has its answer, or will get none. */
  end(): void;
}

/** The part of a run in the budgets that others draw from too. */
export interface SharedBudgets {
  /** How many members draw from each of them, by its id, as far as is known. */
  readonly members: ReadonlyMap<string, number>;
  /** Does one of them limit tool calls? */
  readonly limitsCalls: boolean;
  /** How many milliseconds may pass until usage is settled again. */
  readonly settleEvery: number;
  /** Does the run take part, so that it has to leave? */
  readonly takesPart: boolean;
  /** Are turns under way that were granted? */
  readonly hasTurns: boolean;
  /** Is it one of their limits? */
  has(limit: string): boolean;
  /** Draws from these from now on. */
  change(sources: readonly BudgetSource[]): void;
  /** Runs one piece of work after the other. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  /** Reserves what a request needs. `undefined`: it is not covered. */
  reserveTurn(kind: RequestKind): Promise<Reservation | undefined>;
  /** Counts a request that is not covered and made all the same, because a person or a policy allows it. */
  forceTurn(activity: Activity): Promise<Reservation>;
  /** Reserves a tool call. `undefined`: it is not covered. */
  reserveCall(tool: string | undefined): Promise<Reservation | undefined>;
  /** Settles what was used, and holds no more than the turns under way need. */
  settle(): Promise<void>;
  /** Reads where they stand, without taking part. */
  look(): Promise<void>;
  /** A reply about one of their limits, checked. Throws `InvalidLimit`. */
  checkedReply(limit: string, reply: unknown): Reply;
  /** What an answer told of the windows of subscriptions. */
  read(windows: readonly WindowUse[]): Promise<void>;
  /** A person allows more of one of their limits. */
  allow(limit: string, reply: Reply): Promise<void>;
  /** Resolves to `true` once there is room again of a limit, to `false` when the signal is aborted. */
  untilRoom(limit: string, signal: AbortSignal): Promise<boolean>;
  /** Another member has settled what the run counts as its own between these readings. */
  settledByAnother(before: Reading, after: Reading): void;
  /** The run rests, or `isOver`: everything is settled, and nothing held. */
  leave(isOver?: boolean): void;
  /** Resolves when everything that was begun is done; `undefined` if nothing ever was. */
  done(): Promise<void> | undefined;
}
