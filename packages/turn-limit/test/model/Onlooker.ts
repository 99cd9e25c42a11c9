import assert from "node:assert/strict";
import type { LimitName, Max, StepDecision, TurnDecision } from "../../src/index.ts";

/** What someone can tell who only sees the decisions, and who has never heard of the rules. */
export class Onlooker {
  #turnsInRound = 0;
  #wrapUpsInRound = 0;
  #steps = 0;
  #outOfSteps = false;
  /** The limit whose last request was sent. */
  #spent: LimitName | null = null;
  #passDue = false;
  #passBegun = false;
  #refused = false;
  #stopped = false;

  /** A turn was decided about; `retry` if it is one that began before. */
  sawTurn(decision: TurnDecision, max: Max, retry: boolean): void {
    const { kind } = decision;
    if (this.#stopped) assert.equal(kind, "stop", "a run that was stopped goes on");
    if (this.#passDue) assert.equal(kind, "synthesize", "the tools-free turn was due");
    if (this.#passBegun && !retry) assert.equal(kind, "stop", "something follows the tools-free turn");
    if (this.#passBegun && retry)
      assert.equal(kind, "synthesize", "the tools-free turn is retried with tools");
    if (kind === "proceed" || kind === "wrap-up") this.#sawWork(max, retry);
    if (kind === "wrap-up") this.sawWrapUp();
    if (kind === "synthesize" && !retry) this.#sawPass(decision.limit);
    this.#stopped = kind === "stop";
  }

  /** A person's yes let a turn begin. */
  sawYes(decision: TurnDecision): void {
    this.sawNewRound();
    this.sawTurn(decision, "unlimited", false);
  }

  sawWrapUp(): void {
    this.#wrapUpsInRound += 1;
    assert.ok(this.#wrapUpsInRound <= 1, "two wrap-ups in a round");
    assert.ok(!this.#outOfSteps, "a wrap-up for a run that is out of steps");
  }

  sawStep({ kind, ...rest }: StepDecision, max: Max): void {
    if (kind === "proceed") {
      this.#steps += 1;
      assert.ok(!this.#stopped && !this.#passDue && !this.#passBegun, "a step of a run that is over");
      assert.ok(max === "unlimited" || this.#steps <= max, `step ${this.#steps} of ${max}`);
      return;
    }
    if (kind === "synthesize") {
      assert.ok(!this.#passDue && !this.#passBegun && !this.#outOfSteps, "a second tools-free turn");
      this.#passDue = true;
    }
    const wasOver = this.#refused || this.#stopped;
    if (!wasOver && "limit" in rest && rest.limit === "steps") this.#outOfSteps = true;
    this.#refused = true;
  }

  sawPrompt(): void {
    this.sawReset();
    this.sawRunEnd();
  }

  sawReset(): void {
    this.sawNewRound();
    this.#steps = 0;
    this.sawNewStepBudget();
  }

  sawNewStepBudget(): void {
    this.#outOfSteps = false;
    if (this.#spent === "steps") this.#spent = null;
  }

  sawNewRound(): void {
    this.#turnsInRound = 0;
    this.#wrapUpsInRound = 0;
    this.sawNewTurnLimit();
  }

  sawNewTurnLimit(): void {
    if (this.#spent === "turns") this.#spent = null;
  }

  sawRunEnd(): void {
    this.#passDue = false;
    this.#passBegun = false;
    this.#refused = false;
    this.#stopped = false;
  }

  #sawWork(max: Max, retry: boolean): void {
    assert.ok(!this.#outOfSteps, "a turn with tools for a run that is out of steps");
    if (retry) return;
    assert.equal(this.#spent, null, "a request after the last one");
    this.#turnsInRound += 1;
    assert.ok(max === "unlimited" || this.#turnsInRound <= max, `turn ${this.#turnsInRound} of ${max}`);
  }

  #sawPass(limit: LimitName): void {
    assert.equal(this.#spent, null, "a second last request");
    const isRefreshed = limit === "steps" && !this.#outOfSteps;
    this.#spent = isRefreshed ? null : limit;
    this.#passDue = false;
    this.#passBegun = true;
    this.#turnsInRound += 1;
  }
}
