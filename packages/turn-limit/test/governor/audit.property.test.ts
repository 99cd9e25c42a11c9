import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { Meter } from "../../src/core/meter/meter.ts";
import {
  type Ask,
  createGovernor,
  type Governor,
  type GovernorOptions,
  type Reply,
  type Stop,
  type TurnDecision,
} from "../../src/index.ts";
import { change, prompted } from "../helpers/runs.ts";

afterEach(() => vi.restoreAllMocks());

test("a sound governor never says that something was too much, whatever happens in whatever order", () => {
  const anything = fc.property(
    anyOptions,
    fc.array(anyEvent, { maxLength: 60, size: "max" }),
    (options, events) => {
      const host = new Host(createGovernor(options));
      for (const event of events) EVENTS[event]?.(host);
      expect(host.overruns).toEqual([]);
    },
  );
  fc.assert(anything, { numRuns: 500 });
});

test("whatever happens in whatever order, a turn counter that is broken is noticed within the limit", () => {
  vi.spyOn(Meter.prototype, "turn").mockReturnValue();
  const anything = fc.property(
    fc.integer({ min: 0, max: 6 }),
    fc.integer({ min: 0, max: 6 }),
    (turns, failures) => {
      const governor = prompted({ turns });
      for (let turn = 0; turn < turns; turn += 1) {
        expect(sendTurns(governor, 1, turn < failures ? "failed" : undefined)).toEqual([undefined]);
        if (turn < failures) expect(sendTurns(governor, 1)).toEqual([undefined]);
      }
      const decision = governor.beforeTurn();
      expect(decision.kind === "stop" || governor.requestSent()?.outcome === "limit-overrun").toBe(true);
    },
  );
  fc.assert(anything);
});

/** Takes turns whose requests are really sent. Returns what is said to that. */
function sendTurns(governor: Governor, count: number, failure?: "failed"): (Stop | undefined)[] {
  return Array.from({ length: count }, () => {
    governor.beforeTurn();
    const stop = governor.requestSent();
    governor.turnEnded(failure);
    return stop;
  });
}

/** A host that sends what was admitted, sooner or later or never, and nothing else. */
class Host {
  readonly overruns: Stop[] = [];
  readonly #waiting: Ask[] = [];
  #toSend = 0;
  #toExecute = 0;
  #now = 0;
  readonly governor: Governor;

  constructor(governor: Governor) {
    this.governor = governor;
    this.pass(0);
  }

  pass(ms: number): void {
    this.#now += ms;
    this.governor.timeIs(this.#now);
  }

  turn(decision: TurnDecision): void {
    if (decision.kind === "ask") this.#waiting.push(decision);
    else if (decision.kind !== "stop") this.#toSend += 1;
  }

  overdue(): void {
    const decision = this.governor.overdue();
    if (decision?.kind === "ask") this.#waiting.push(decision);
  }

  /** Whoever waits longest gets a reply, if anybody waits: a held turn begins with it, one under way just goes on. */
  reply(reply: Reply): void {
    const ask = this.#waiting.shift();
    if (!ask) return void this.governor.answer(reply);
    const decision = this.governor.answer(reply, ask);
    if (!ask.midTurn) this.turn(decision);
  }

  step(): void {
    if (this.governor.beforeStep({ tool: "bash" }).kind === "proceed") this.#toExecute += 1;
  }

  send(): void {
    if (this.#toSend === 0) return;
    this.#toSend -= 1;
    this.#note(this.governor.requestSent());
  }

  execute(): void {
    if (this.#toExecute === 0) return;
    this.#toExecute -= 1;
    this.#note(this.governor.stepExecuted());
  }

  /** What was not sent until the run settled will not be. */
  settle(): void {
    this.governor.settled();
    this.#toSend = this.#toExecute = 0;
  }

  #note(stop: Stop | undefined): void {
    if (stop) this.overruns.push(stop);
  }
}

const EVENTS: Record<string, (host: Host) => void> = {
  prompt: ({ governor }) => governor.prompt(),
  turn: (host) => host.turn(host.governor.beforeTurn()),
  send: (host) => host.send(),
  "turn and send": (host) => {
    host.turn(host.governor.beforeTurn());
    host.send();
  },
  step: (host) => host.step(),
  execute: (host) => host.execute(),
  answered: ({ governor }) => governor.turnEnded({ usage: { input: 10, output: 0 } }),
  failed: ({ governor }) => governor.turnEnded({ failure: "failed", usage: { input: 5, output: 0 } }),
  aborted: ({ governor }) => governor.turnEnded("aborted"),
  discarded: ({ governor }) => governor.turnDiscarded(),
  yes: (host) => host.reply(true),
  no: (host) => host.reply(false),
  more: (host) => host.reply({ more: 2 }),
  unlimited: (host) => host.reply("unlimited"),
  "wrap up": (host) => host.reply("wrap-up"),
  "fewer turns": ({ governor }) => {
    change(governor, { turns: 1 });
  },
  "any turns": ({ governor }) => {
    change(governor, { turns: "unlimited" });
  },
  "fewer steps": ({ governor }) => {
    change(governor, { steps: 1 });
  },
  "fewer tokens": ({ governor }) => change(governor, { tokens: 10 }),
  "the same settings": ({ governor }) => change(governor, {}),
  reset: ({ governor }) => governor.reset(),
  "time passes": (host) => host.pass(30),
  overdue: (host) => host.overdue(),
  settled: (host) => host.settle(),
};

const anyEvent = fc.constantFrom(...Object.keys(EVENTS));

const anyPolicy = fc.constantFrom("ask", "stop", "raise", "synthesize");
const anyPolicyOfCalls = fc.constantFrom("ask", "stop", "raise", "synthesize", "refuse");
const anyOptions = fc.record({
  turns: fc.record({
    max: fc.integer({ min: 0, max: 4 }),
    onExhausted: anyPolicy,
    headless: fc.constantFrom("stop", "synthesize"),
  }),
  steps: fc.oneof(
    fc.constant("unlimited" as const),
    fc.record({ max: fc.integer({ min: 1, max: 4 }), onExhausted: anyPolicyOfCalls }),
  ),
  tokens: fc.record({ max: fc.integer({ min: 0, max: 40 }), onExhausted: anyPolicy }),
  time: fc.record({ max: fc.integer({ min: 30, max: 200 }), onExhausted: anyPolicy }),
  tools: fc.record({
    bash: fc.record({ max: fc.integer({ min: 0, max: 5 }), onExhausted: anyPolicyOfCalls }),
  }),
  canAsk: fc.boolean(),
}) as fc.Arbitrary<GovernorOptions>;
