import assert from "node:assert/strict";
import { createGovernor, type Governor, type GovernorOptions } from "../../src/index.ts";
import { Onlooker } from "./Onlooker.ts";
import type { Settings } from "./World.ts";

/** The governor under test, with someone looking on. */
export class Subject {
  readonly canAsk: boolean;
  readonly onlooker = new Onlooker();
  governor: Governor;
  offeredGrace: number | undefined;

  constructor({ hasUi, max, budget, grace, headless }: Settings) {
    this.canAsk = hasUi;
    this.governor = createGovernor({
      canAsk: hasUi,
      turns: { max, grace, headless, wrapUp: this.#wrapUp },
      steps: budget ?? "unlimited",
    });
  }

  /** A new governor, made of nothing but what the old one's state looks like on paper. */
  saveAndRestore(): void {
    this.governor = this.#copy(JSON.parse(JSON.stringify(this.governor.state)));
  }

  /** Makes the governor decide, and a copy of it too: they cannot differ. */
  decide<Decision>(call: (governor: Governor) => Decision): Decision {
    const copy = this.#copy(structuredClone(this.governor.state));
    const decision = call(this.governor);
    assert.deepEqual(call(copy), decision);
    assert.deepEqual(copy.state, this.governor.state);
    return decision;
  }

  #copy(state: NonNullable<GovernorOptions["state"]>): Governor {
    return createGovernor({ canAsk: this.canAsk, turns: { wrapUp: this.#wrapUp }, state });
  }

  get #wrapUp() {
    return { grace: () => this.offeredGrace };
  }
}
