import assert from "node:assert/strict";
import type { LimitName, Max, OverdueDecision, StepDecision, TurnDecision } from "../../src/index.ts";

/** What someone can tell who only sees the decisions, and who has never heard of the rules. */
export class Onlooker {
  #turnsInRound = 0;
  #wrapUpsInRound = 0;
  #steps = 0;
  #outOfSteps = false;
  /** The limit of turns or steps whose last request was sent. */
  #spent: LimitName | null = null;
  #passDue = false;
  #passBegun = false;
  #over = false;
  #stopped = false;
  #overrun = false;
  /** The budgets that were used up when the last turn with tools began, which nobody had let begin. */
  passed: readonly string[] = [];

  /** Was more sent or executed than had been admitted? */
  get overrun(): boolean {
    return this.#overrun;
  }

  /** A turn was decided about; `retry` if it is one that began before. Before it, these budgets were `full`. */
  sawTurn(decision: TurnDecision, max: Max, retry: boolean, full: readonly string[]): void {
    const { kind } = decision;
    if (this.#stopped) assert.equal(kind, "stop", "a run that was stopped goes on");
    if (this.#passDue)
      assert.equal(kind === "synthesize" || kind === "stop", true, "the tools-free turn was due");
    if (this.#passBegun && !retry) assert.equal(kind, "stop", "something follows the tools-free turn");
    if (this.#passBegun && retry)
      assert.equal(kind, "synthesize", "the tools-free turn is retried with tools");
    if (kind === "proceed" || kind === "wrap-up") this.#sawWork(max, retry, full);
    if (kind === "wrap-up") this.sawWrapUp();
    if (kind === "synthesize" && !retry) this.#sawPass(decision.limit);
    this.#stopped = kind === "stop";
  }

  /** A person's yes: whatever was used up starts over, perhaps the turns, too. */
  sawYes(turnsStartedOver: boolean): void {
    if (turnsStartedOver) this.sawNewRound();
    this.#wrapUpsInRound = 0;
  }

  /** A person wants the model to wrap up, whether or not it was told before. */
  sawWish(turnsStartedOver: boolean): void {
    this.sawYes(turnsStartedOver);
  }

  sawWrapUp(): void {
    this.#wrapUpsInRound += 1;
    assert.ok(this.#wrapUpsInRound <= 1, "two wrap-ups in a round");
    assert.ok(!this.#outOfSteps, "a wrap-up for a run that is out of steps");
  }

  sawStep(decision: StepDecision, max: Max): void {
    if (decision.kind === "proceed") {
      this.#steps += 1;
      assert.ok(!this.#stopped && !this.#passDue && !this.#passBegun, "a step of a run that is over");
      assert.ok(max === "unlimited" || this.#steps <= max, `step ${this.#steps} of ${max}`);
      return;
    }
    if (decision.kind === "synthesize") this.#sawPassDue();
    const wasOver = this.#over || this.#stopped;
    if (!wasOver && decision.limit === "steps") this.#outOfSteps = true;
    if (decision.reason.includes("No more tool calls")) this.#over = true;
  }

  /** The time was looked at in the middle of a turn. */
  sawOverdue(decision: OverdueDecision | undefined): void {
    if (decision) assert.ok(!this.#stopped, "a run that was stopped is stopped again");
    if (decision?.kind === "synthesize" && !this.#passDue) this.#sawPassDue();
    if (decision && decision.kind !== "ask") this.#over = true;
    if (decision?.kind === "stop") this.#stopped = true;
  }

  sawOverrun(): void {
    this.#stopped = true;
    this.#overrun = true;
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
    this.#over = false;
    this.#stopped = false;
    this.#overrun = false;
    this.passed = [];
  }

  #sawWork(max: Max, retry: boolean, full: readonly string[]): void {
    this.passed = full;
    assert.ok(!this.#outOfSteps, "a turn with tools for a run that is out of steps");
    if (retry) return;
    assert.equal(this.#spent, null, "a request after the last one");
    this.#turnsInRound += 1;
    assert.ok(max === "unlimited" || this.#turnsInRound <= max, `turn ${this.#turnsInRound} of ${max}`);
  }

  #sawPassDue(): void {
    assert.ok(!this.#passDue && !this.#passBegun && !this.#outOfSteps, "a second tools-free turn");
    this.#passDue = true;
  }

  #sawPass(limit: LimitName): void {
    assert.equal(this.#spent, null, "a second last request");
    const isRefreshed = limit === "steps" && !this.#outOfSteps;
    if ((limit === "turns" || limit === "steps") && !isRefreshed) this.#spent = limit;
    this.#passDue = false;
    this.#passBegun = true;
    this.#turnsInRound += 1;
  }
}
