import assert from "node:assert/strict";
import type { LimitName, Max, Reply, StepDecision, Stop, TurnDecision } from "../../src/index.ts";
import type { Settings } from "./world.ts";

const WATCHED = ["turns", "steps", "tools.read"] as const;
type Watched = (typeof WATCHED)[number];

/** A turn, and how it came to be decided. */
export interface DecidedTurn {
  decision: TurnDecision;
  /** Is it the same turn once more? A tools-free turn in place of one that failed is a new one. */
  isRetry: boolean;
  /** Did a person let it begin? */
  isConfirmed: boolean;
  /** The limits of tokens, cost and time that were used up, as the governor shows them. */
  full: readonly string[];
}

/** Someone who only sees what goes in and what comes out, knows nothing of the rules, and counts along. */
export class Onlooker {
  #limits: Settings["limits"];
  readonly #admitted: Record<Watched, number> = { turns: 0, steps: 0, "tools.read": 0 };
  readonly #granted: Partial<Record<string, Max>> = {};
  #wrapUps = 0;
  /** Has the host done what nobody admitted? */
  isRogue = false;

  constructor({ limits }: Settings) {
    this.#limits = limits;
  }

  sawTurn({ decision: { kind }, isRetry, isConfirmed, full }: DecidedTurn): void {
    if (kind === "ask" || kind === "stop") return;
    if (isConfirmed) this.#wrapUps = 0;
    if (kind === "wrap-up") this.sawWrapUp();
    const mustFit = kind !== "synthesize" && !isConfirmed;
    if (mustFit) assert.deepEqual(full, [], "a turn at a boundary");
    if (mustFit && !isRetry) this.#assertRoom("turns");
    if (!isRetry) this.#admitted.turns += 1;
  }

  sawStep({ kind }: StepDecision, tool: string): void {
    if (kind !== "proceed") return;
    const counting: Watched[] = tool === "read" ? ["steps", "tools.read"] : ["steps"];
    for (const limit of counting) {
      this.#assertRoom(limit);
      this.#admitted[limit] += 1;
    }
  }

  /** Something is really done. */
  sawWork(decision: Stop | undefined): void {
    assert.ok(this.isRogue || !decision, "an overrun of a host that does what it says");
  }

  sawWrapUp(): void {
    this.#wrapUps += 1;
    assert.equal(this.#wrapUps, 1, "wrap-ups in a round");
  }

  /** This number of turns was taken back, and with them, perhaps, what the model was to be told. */
  sawTakenBack(turns: number, isWrapUpTakenBack: boolean): void {
    this.#admitted.turns -= turns;
    if (isWrapUpTakenBack) this.#wrapUps = 0;
  }

  /** A person lets the run go on. `isTurnHeld`: a new turn waits. */
  sawYes(reply: Reply, asked: LimitName, isTurnHeld: boolean): void {
    for (const limit of WATCHED) {
      const isFull = this.#admitted[limit] >= this.#maxOf(limit);
      if (isFull && this.#limits[limit]?.onExhausted === "ask" && (isTurnHeld || limit !== "turns"))
        this.#startOver(limit);
    }
    this.#wrapUps = 0;
    if (reply === "unlimited") this.#granted[asked] = reply;
    if (typeof reply === "object") this.#granted[asked] = reply.more;
  }

  sawSettings({ limits }: Settings): void {
    for (const limit of WATCHED) {
      const before = this.#limits[limit]?.max ?? "unlimited";
      const after = limits[limit]?.max ?? "unlimited";
      if (before !== after) delete this.#granted[limit];
      if (before === "unlimited" && after !== "unlimited") this.#startOver(limit);
    }
    this.#limits = limits;
  }

  sawReset(): void {
    for (const limit of WATCHED) this.#startOver(limit);
  }

  #startOver(limit: Watched): void {
    this.#admitted[limit] = 0;
    delete this.#granted[limit];
    if (limit === "turns") this.#wrapUps = 0;
  }

  #assertRoom(limit: Watched): void {
    assert.ok(this.#admitted[limit] < this.#maxOf(limit), `one of ${limit} too many`);
  }

  #maxOf(limit: Watched): number {
    const max = this.#granted[limit] ?? this.#limits[limit]?.max ?? "unlimited";
    return max === "unlimited" ? Infinity : max;
  }
}
