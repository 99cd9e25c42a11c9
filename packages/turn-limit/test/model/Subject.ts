import assert from "node:assert/strict";
import { type BudgetSettings, createGovernor, type Governor } from "../../src/index.ts";
import type { BudgetName, Terms } from "./Budget.ts";
import { Onlooker } from "./Onlooker.ts";
import type { Settings } from "./World.ts";

/** The governor under test, with someone looking on. */
export class Subject {
  readonly canAsk: boolean;
  readonly onlooker = new Onlooker();
  governor: Governor;
  offeredGrace: number | undefined;
  /** What time the host says it is. */
  now = 0;

  constructor({ hasUi, max, steps, grace, headless, terms }: Settings) {
    this.canAsk = hasUi;
    this.governor = createGovernor({
      canAsk: hasUi,
      turns: { max, grace, headless, wrapUp: this.#wrapUp },
      steps: steps ?? "unlimited",
      ...settingOf("tokens", terms.tokens),
      ...settingOf("cost", terms.cost),
      ...settingOf("time", terms.time),
      ...settingOf("tools.read", terms["tools.read"]),
    });
    this.governor.timeIs(this.now);
  }

  /** A new governor, made of nothing but what the old one's state looks like on paper. */
  saveAndRestore(): void {
    this.governor = this.#copy();
  }

  /** Makes the governor decide, and a copy of it too: they cannot differ. */
  decide<Decision>(call: (governor: Governor) => Decision): Decision {
    const copy = this.#copy();
    const decision = call(this.governor);
    assert.deepEqual(call(copy), decision);
    assert.deepEqual(copy.state, this.governor.state);
    return decision;
  }

  #copy(): Governor {
    const state = JSON.parse(JSON.stringify(this.governor.state));
    return createGovernor({ canAsk: this.canAsk, turns: { wrapUp: this.#wrapUp }, state });
  }

  get #wrapUp() {
    return { grace: () => this.offeredGrace };
  }
}

/** How the governor is told about a budget. */
export function settingOf(name: BudgetName, terms: Terms | null): BudgetSettings {
  if (name === "tools.read") return { tools: terms ? { read: withoutReserve(terms) } : {} };
  return { [name]: terms ?? "unlimited" };
}

function withoutReserve({ max, onExhausted, headless }: Terms) {
  return { max, onExhausted, headless };
}
