import type { Max } from "../limits/Max.ts";
import { DEFAULT_MAX_TURNS, TurnLimit } from "../limits/TurnLimit.ts";
import type { Ask, Proceed, Stop, TurnDecision } from "./Decision.ts";
import type { GovernorState, Mishap, RunStatus } from "./GovernorState.ts";
import type { Outcome, OutcomeKind } from "./Outcome.ts";

/** What a governor is made of. */
export interface GovernorOptions {
  /** The turn limit. Default 25. */
  turns?: Max;
  /** Is there a person who can be asked at the boundary? Default: no, and the run is stopped instead. */
  canAsk?: boolean;
  /** Go on from what an earlier governor's `state` said. Wins over `turns`. */
  state?: GovernorState;
}

const PROCEED: Proceed = Object.freeze({ kind: "proceed" });

/**
 * Holds the limits of one run. Tell it what happens, do what it decides; it never calls the host.
 *
 * @example
 * const governor = createGovernor({ turns: 25 });
 * governor.prompt();
 * while (work.isLeft && governor.beforeTurn().kind === "proceed") {
 *   await callTheModel();
 *   governor.turnEnded();
 * }
 * const outcome = governor.settled();
 */
export function createGovernor(options: GovernorOptions = {}): Governor {
  return new Governor(options);
}

/** Made by {@link createGovernor}. Deterministic: the same events give the same decisions. */
export class Governor {
  readonly #turns: TurnLimit;
  readonly #canAsk: boolean;
  #status: RunStatus = "idle";
  #mishap: Mishap | null = null;
  #unanswered = false;
  #runTurns = 0;
  #rounds = 0;
  #touched = false;
  #stop: Stop | null = null;

  constructor({ turns = DEFAULT_MAX_TURNS, canAsk = false, state }: GovernorOptions) {
    this.#canAsk = canAsk;
    this.#turns = state ? TurnLimit.from(state.turns) : new TurnLimit(turns);
    if (!state) return;
    this.#status = state.status;
    this.#mishap = state.mishap;
    this.#unanswered = state.unanswered;
    this.#runTurns = state.runTurns;
    this.#rounds = state.rounds;
    this.#touched = state.touched;
    this.#stop = state.stop;
  }

  /** Where the run stands. */
  get status(): RunStatus {
    return this.#status;
  }

  /** Turns begun in this round. */
  get turnsUsed(): number {
    return this.#turns.used;
  }

  /** The turn limit. Setting it counts from the next turn on; see {@link TurnLimit.max}. */
  get maxTurns(): Max {
    return this.#turns.max;
  }

  set maxTurns(max: Max) {
    this.#turns.max = max;
    if (this.#status === "asking" && !this.#turns.reached) this.#status = "running";
  }

  /** The decision that is ending the run, until it has settled. */
  get stop(): Stop | null {
    return this.#stop;
  }

  /** Would the next turn be stopped without a question, unless a person prompts first? */
  get exhausted(): boolean {
    return this.#turns.reached && !this.#canAsk;
  }

  /** Everything the governor knows, as plain data. */
  get state(): GovernorState {
    return {
      status: this.#status,
      turns: this.#turns.toJSON(),
      mishap: this.#mishap,
      unanswered: this.#unanswered,
      runTurns: this.#runTurns,
      rounds: this.#rounds,
      touched: this.#touched,
      stop: this.#stop,
    };
  }

  /** A person's prompt: a new run, and the only everyday event that refreshes the budget. */
  prompt(): void {
    this.#open();
    this.#turns.restart();
  }

  /** A turn is about to begin. A run that no person's prompt began goes on with the budget that is left. */
  beforeTurn(): TurnDecision {
    if (this.#status === "idle") this.#open();
    if (this.#stop) return this.#stop;
    if (this.#unanswered && this.#mishap === "failed") return this.#requestAgain();
    this.#unanswered = false;
    if (!this.#turns.reached) return this.#begin();
    return this.#canAsk ? this.#ask() : this.#end({ ...this.#boundary(), kind: "stop", outcome: "stopped" });
  }

  /**
   * The person's reply to the question. Dismissing it, letting it time out or failing to ask it is a no.
   * A reply that comes too late decides nothing: a turn still held is decided anew, a run that is over stays over.
   */
  answer(yes: boolean): TurnDecision {
    if (this.#status === "idle") return { ...this.#boundary(), kind: "stop", outcome: "stopped" };
    if (this.#status !== "asking") return this.#inFlight ? PROCEED : this.beforeTurn();
    if (!yes) return this.#end({ ...this.#boundary(), kind: "stop", outcome: "declined" });
    this.#status = "running";
    this.#turns.restart();
    return this.#begin();
  }

  /** The turn in flight ended: answered, or as the mishap says. */
  turnEnded(mishap?: Mishap): void {
    if (this.#status !== "running" || (!mishap && !this.#unanswered)) return;
    this.#mishap = mishap ?? null;
    if (!mishap) this.#turns.complete();
    if (mishap !== "failed") this.#unanswered = false;
  }

  /** The host threw the last answer away and asks for it again, for example after a compaction. */
  turnDiscarded(): void {
    if (this.#status !== "running" || this.#mishap || this.#unanswered || this.#runTurns === 0) return;
    this.#turns.uncomplete();
    this.#mishap = "failed";
    this.#unanswered = true;
  }

  /** The agent is idle again: why, and what the run took. `undefined` if no run was under way. */
  settled(): Outcome | undefined {
    if (this.#status === "idle") return undefined;
    const outcome: Outcome = {
      kind: this.#outcomeKind(),
      ...(this.#stop && { limit: this.#stop.limit }),
      turns: this.#runTurns,
      rounds: this.#rounds,
      maxTurns: this.#turns.max,
      touched: this.#touched,
    };
    this.#status = "idle";
    this.#stop = null;
    return outcome;
  }

  /** Start the counters over, without a prompt. */
  reset(): void {
    this.#turns.restart();
    if (this.#status === "asking") this.#status = "running";
  }

  get #inFlight(): boolean {
    return this.#unanswered && !this.#mishap;
  }

  #open(): void {
    this.#status = "running";
    this.#mishap = null;
    this.#unanswered = false;
    this.#runTurns = 0;
    this.#rounds = 0;
    this.#touched = false;
    this.#stop = null;
  }

  #begin(): Proceed {
    if (this.#turns.used === 0 || this.#rounds === 0) this.#rounds += 1;
    this.#turns.begin();
    this.#runTurns += 1;
    this.#mishap = null;
    this.#unanswered = true;
    return PROCEED;
  }

  #requestAgain(): Proceed {
    this.#mishap = null;
    return PROCEED;
  }

  #ask(): Ask {
    this.#status = "asking";
    this.#touched = true;
    return { ...this.#boundary(), kind: "ask" };
  }

  #end(stop: Stop): Stop {
    this.#status = "ending";
    this.#touched = true;
    this.#stop = stop;
    return stop;
  }

  #boundary() {
    return { limit: "turns", used: this.#turns.used, max: this.#turns.max } as const;
  }

  #outcomeKind(): OutcomeKind {
    if (this.#stop) return this.#stop.outcome;
    if (this.#status === "asking") return "aborted";
    return this.#mishap ?? "completed";
  }
}
