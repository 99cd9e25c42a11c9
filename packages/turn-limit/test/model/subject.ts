import assert from "node:assert/strict";
import {
  type Ask,
  allOf,
  anyOf,
  type Boundary,
  createGovernor,
  type Governor,
  type GovernorSettings,
  type GovernorState,
  type Limit,
  type Totals,
} from "../../src/index.ts";
import type { Watch } from "./invariants.ts";
import { NAMES, type Name, type Terms } from "./limits.ts";
import { Onlooker } from "./onlooker.ts";
import type { Settings } from "./world.ts";

interface Host {
  /** When does it say what it really sends and executes? */
  reports: "never" | "at once" | "late";
  /** Is there a copy, made of the saved state, that has to decide the same? */
  isMirrored: boolean;
  /** An invariant to look at after every event. */
  watch?: Watch | undefined;
}

/** The governor under test, with its host and someone looking on. */
export class Subject {
  governor: Governor;
  readonly onlooker: Onlooker;
  settings: Settings;
  offeredGrace: number | undefined;
  /** What time the host says it is. */
  now = 0;
  /** Every question that was asked. */
  readonly asks: Ask[] = [];
  calls = 0;
  /** What was done, and the host has yet to say so. */
  readonly unreported: ("turns" | "steps")[] = [];
  readonly host: Host;

  constructor(settings: Settings, host: Host) {
    this.settings = settings;
    this.host = host;
    this.onlooker = new Onlooker(settings);
    this.governor = createGovernor(this.governorSettings(settings));
    this.governor.timeIs(this.now);
  }

  decide<Decision>(call: (governor: Governor) => Decision): Decision {
    const { status, question } = this.governor.view;
    // Who asked in the middle of a turn is not there after a reload.
    const copy = this.host.isMirrored && (status === "asking" || !question) ? this.copy() : undefined;
    const decision = call(this.governor);
    if (!copy) return decision;
    assert.deepEqual(call(copy), decision);
    assert.deepEqual(copy.state, this.governor.state);
    return decision;
  }

  /** A new governor, made of nothing but what the old one's state looks like on paper, and what is no data. */
  copy(canAsk = this.settings.canAsk): Governor {
    const state: GovernorState = JSON.parse(JSON.stringify(this.governor.state));
    const limits = ownLimits(this.settings.limits);
    const { tell } = this.governorSettings(this.settings);
    return createGovernor({ limits, canAsk, tell, turns: { wrapUp: this.#wrapUp }, state });
  }

  governorSettings({ canAsk, grace, tell, limits }: Settings): GovernorSettings {
    const told = tell !== null && { at: tell, message: lineOf };
    const settings: Record<string, unknown> = { canAsk, tell: told, limits: ownLimits(limits) };
    for (const name of NAMES.slice(0, 5)) if (limits[name]) settings[name] = optionsOf(name, limits[name]);
    if (limits["tools.read"]) settings.tools = { read: optionsOf("tools.read", limits["tools.read"]) };
    if (limits.repeats) settings.repeats = optionsOf("repeats", limits.repeats);
    return { ...settings, turns: { ...(settings.turns as object), grace, wrapUp: this.#wrapUp } };
  }

  get #wrapUp() {
    return { grace: () => this.offeredGrace };
  }
}

function optionsOf(name: Name, { max, onExhausted, headless, reserve, unpriced, cacheReads }: Terms): object {
  const policy = { max, onExhausted, headless };
  if (name === "tokens") return { ...policy, reserve, cacheReads };
  if (name === "cost") return { ...policy, max: Number(max) / 10, reserve: reserve / 10, unpriced };
  return name === "time" ? { ...policy, reserve } : policy;
}

function ownLimits(limits: Settings["limits"]): Limit[] {
  const own = limits.own;
  const groups = (["output or writes", "output and writes"] as const).flatMap((name) => {
    const terms = limits[name];
    if (!terms) return [];
    const { max, writes, onExhausted, headless } = terms;
    const members: Limit[] = [
      { name: "output", max, used: ({ output }) => output },
      { name: "writes", max: writes, tool: "write", used: ({ calls }) => calls.write ?? 0 },
    ];
    return [(name === "output or writes" ? anyOf : allOf)(members, { onExhausted, headless })];
  });
  if (!own) return groups;
  const { max, onExhausted, headless, reserve, before } = own;
  // Of turns without output there may be fewer later.
  const used = ({ turns, steps, output }: Totals) =>
    before === "step" ? steps + output : Math.max(0, turns - output);
  return [{ name: "own", max, onExhausted, headless, reserve, before, used }, ...groups];
}

/** The line of the model's governors. */
export function lineOf(limits: readonly Pick<Boundary, "limit" | "used" | "max">[]): string {
  return limits.map(({ limit, used, max }) => `${limit} ${used}/${max}`).join(", ");
}
