import assert from "node:assert/strict";
import { createGovernor, type Governor, type Max, type TurnDecision } from "../../src/index.ts";

/** The governor under test, and what an onlooker who only sees its decisions can tell of it. */
export class Subject {
  readonly canAsk: boolean;
  governor: Governor;
  #begunInRound = 0;
  #stopped = false;

  constructor(canAsk: boolean, max: Max) {
    this.canAsk = canAsk;
    this.governor = createGovernor({ canAsk, turns: max });
  }

  /** A new governor, made of nothing but what the old one's state looks like on paper. */
  saveAndRestore(): void {
    const paper = JSON.stringify(this.governor.state);
    this.governor = createGovernor({ canAsk: this.canAsk, state: JSON.parse(paper) });
  }

  /** Makes the governor decide, and a copy of it too: they cannot differ. */
  decide(call: (governor: Governor) => TurnDecision): TurnDecision {
    const copy = createGovernor({ canAsk: this.canAsk, state: structuredClone(this.governor.state) });
    const decision = call(this.governor);
    assert.deepEqual(call(copy), decision);
    if (decision.kind === "ask") assert.ok(this.canAsk, "nobody can be asked");
    if (this.#stopped) assert.equal(decision.kind, "stop", "a run that was stopped goes on");
    this.#stopped = decision.kind === "stop";
    return decision;
  }

  /** A turn was let begin that the limit, and nobody's yes, has to cover. */
  sawTurnBegin(): void {
    this.#begunInRound += 1;
    const max = this.governor.maxTurns;
    if (max !== "unlimited") assert.ok(this.#begunInRound <= max, `turn ${this.#begunInRound} of ${max}`);
  }

  /** The counter starts over, with so many turns already begun. */
  sawNewRound(begun = 0): void {
    this.#begunInRound = begun;
  }

  /** The run that was stopped is over. */
  sawRunEnd(): void {
    this.#stopped = false;
  }
}
