import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type Ask,
  type CheckProgress,
  createGovernor,
  type Governor,
  type GovernorSettings,
  type TurnDecision,
} from "../../src/index.ts";

/** What can happen between two turns. Whatever does not fit changes nothing. */
type Step =
  | "turn"
  | "two turns"
  | "progress"
  | "none"
  | "yes"
  | "more"
  | "no"
  | "prompt"
  | "settle"
  | "reload";

// Turns and progress come most often, so that limits are reached and extended.
const STEPS: readonly Step[] = [
  ...(["turn", "turn", "turn", "two turns", "progress", "progress", "progress", "none"] as const),
  ...(["yes", "more", "no", "prompt", "settle", "reload"] as const),
];
const MORE = 2;

interface Terms {
  max: number;
  extend: number;
  extendBy: number;
  onExhausted: "ask" | "stop" | "synthesize";
}

const anyTerms = fc.record<Terms>({
  max: fc.integer({ min: 0, max: 3 }),
  extend: fc.integer({ min: 0, max: 3 }),
  extendBy: fc.integer({ min: 0, max: 3 }),
  onExhausted: fc.constantFrom("ask", "stop", "synthesize"),
});

/** Counts along, by the rules of the specification, and knows nothing else of the governor. */
class Model {
  readonly #terms: Terms;
  used = 0;
  extensions = 0;
  stalled = false;
  declined = false;
  #room: number;

  constructor(terms: Terms) {
    this.#terms = terms;
    this.#room = terms.max;
  }

  /** What the next turn comes to. */
  get next(): "covered" | "check-progress" | "ask" | "end" {
    if (this.used < this.#room) return "covered";
    const { extend, onExhausted } = this.#terms;
    if (this.extensions < extend && !this.stalled && !this.declined) return "check-progress";
    return onExhausted === "ask" && !this.declined ? "ask" : "end";
  }

  extended(): void {
    const { max, extendBy } = this.#terms;
    Object.assign(this, { used: 0, extensions: this.extensions + 1, stalled: false });
    this.#room = extendBy > 0 ? extendBy : max;
  }

  /** A person begins a round. */
  begins(room = this.#terms.max): void {
    Object.assign(this, { used: 0, extensions: 0, stalled: false });
    this.#room = room;
  }
}

class Scene {
  readonly #settings: GovernorSettings;
  readonly model: Model;
  #governor: Governor;
  /** The turns that are held, each with its question. */
  #held: (Ask | CheckProgress)[] = [];
  #isOver = false;

  constructor(terms: Terms) {
    this.#settings = { turns: terms, canAsk: true };
    this.model = new Model(terms);
    this.#governor = createGovernor(this.#settings);
    this.#governor.prompt();
  }

  take(step: Step): void {
    const question = this.#held[0];
    if (step === "prompt" || step === "settle") this.#settle(step);
    else if (step === "reload")
      this.#governor = createGovernor({ state: this.#governor.state, canAsk: true });
    else if (step === "turn" || step === "two turns") {
      if (this.#isOver || question) return;
      for (let turn = 0; turn < (step === "turn" ? 1 : 2); turn += 1)
        this.#decided(this.#governor.beforeTurn());
    } else if (question?.kind === "check-progress") {
      if (step === "progress" || step === "none") this.#found(step === "progress");
    } else if (question && (step === "yes" || step === "more" || step === "no")) this.#replied(step);
  }

  #settle(step: "prompt" | "settle"): void {
    this.#held = [];
    this.#isOver = false;
    if (step === "settle") this.#governor.settled();
    else {
      this.model.declined = false;
      this.model.begins();
      this.#governor.prompt();
    }
  }

  // Whoever waits is decided anew, one by one.
  #found(progress: boolean): void {
    if (progress) this.model.extended();
    else this.model.stalled = true;
    for (const held of this.#held.splice(0))
      this.#decided(this.#governor.answer(progress, held as CheckProgress));
  }

  #replied(step: "yes" | "more" | "no"): void {
    const [first, ...others] = this.#held.splice(0) as Ask[];
    const reply = step === "yes" ? true : step === "more" ? { more: MORE } : false;
    if (step === "no") this.model.declined = true;
    else this.model.begins(step === "more" ? MORE : undefined);
    const decision = this.#governor.answer(reply, first);
    if (step === "no") this.#ended(decision);
    else {
      // A yes lets the held turn begin, also where the limit is 0.
      expect(decision.kind).toBe("proceed");
      this.model.used += 1;
      this.#governor.turnEnded();
    }
    for (const other of others) this.#decided(this.#governor.answer(reply, other));
  }

  #ended(decision: TurnDecision): void {
    expect(["stop", "synthesize"]).toContain(decision.kind);
    this.#isOver = true;
  }

  #decided(decision: TurnDecision): void {
    const expected = this.#isOver ? "end" : this.model.next;
    if (expected === "end") this.#ended(decision);
    else if (expected === "covered") {
      expect(decision.kind).toBe("proceed");
      this.model.used += 1;
      this.#governor.turnEnded();
    } else {
      expect(decision).toMatchObject({ kind: expected, used: this.model.used });
      this.#held.push(decision as Ask | CheckProgress);
    }
    // The answer without tools counts, too.
    if (this.#isOver) return;
    const [turns] = this.#governor.view.standings;
    expect([turns?.used, turns?.extended?.times ?? 0]).toEqual([this.model.used, this.model.extensions]);
  }
}

test("in any history a limit is extended as often as the rules say, and each round admits exactly what it may [LimitExtended] [ExtensionsStartOver]", () => {
  let extensions = 0;
  fc.assert(
    fc.property(
      anyTerms,
      fc.array(fc.constantFrom(...STEPS), { minLength: 20, maxLength: 60 }),
      (terms, steps) => {
        const scene = new Scene(terms);
        for (const step of steps) {
          scene.take(step);
          extensions += scene.model.extensions;
        }
      },
    ),
    { numRuns: 1_000 },
  );
  expect(extensions).toBeGreaterThan(3_000);
});
