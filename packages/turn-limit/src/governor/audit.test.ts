import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { prompted, takeTurns } from "../../test/runs.ts";
import { TurnLimit } from "../limits/TurnLimit.ts";
import { createGovernor } from "./createGovernor.ts";
import type { Stop, TurnDecision } from "./Decision.ts";
import type { Governor } from "./Governor.ts";
import type { GovernorOptions } from "./GovernorOptions.ts";
import { StepCounter } from "./StepCounter.ts";

afterEach(() => vi.restoreAllMocks());

test("a turn counter that is broken is noticed at the first request too many", () => {
  vi.spyOn(TurnLimit.prototype, "begin").mockImplementation(() => {});
  const governor = prompted({ turns: 3 });
  expect(sendTurns(governor, 3)).toEqual([undefined, undefined, undefined]);
  expect(sendTurns(governor, 1)).toEqual([
    { kind: "stop", outcome: "limit-overrun", limit: "turns", used: 4, max: 3 },
  ]);
  expect(governor.status).toBe("ending");
  expect(governor.beforeTurn()).toMatchObject({ kind: "stop", outcome: "limit-overrun" });
  expect(governor.settled()).toMatchObject({ kind: "limit-overrun", limit: "turns", touched: true });
});

test("a turn counter that breaks in a later round, or a later run of it, is noticed too", () => {
  const governor = prompted({ turns: 2, canAsk: true });
  sendTurns(governor, 2);
  governor.beforeTurn();
  governor.answer(true);
  governor.requestSent();
  governor.turnEnded();
  governor.settled();
  vi.spyOn(TurnLimit.prototype, "begin").mockImplementation(() => {});
  expect(sendTurns(governor, 2)).toEqual([undefined, expect.objectContaining({ outcome: "limit-overrun" })]);
});

test("a limit of 0 that admits all the same is noticed at the first request", () => {
  vi.spyOn(TurnLimit.prototype, "reached", "get").mockReturnValue(false);
  expect(sendTurns(prompted({ turns: 0 }), 1)).toEqual([
    { kind: "stop", outcome: "limit-overrun", limit: "turns", used: 1, max: 0 },
  ]);
});

test("a yes at another limit hides no broken turn counter", () => {
  vi.spyOn(TurnLimit.prototype, "begin").mockImplementation(() => {});
  const governor = prompted({ turns: 2, tools: { bash: 0 }, canAsk: true });
  sendTurns(governor, 1);
  governor.beforeStep({ tool: "bash" });
  expect(governor.beforeTurn()).toMatchObject({ kind: "ask", limit: "tools.bash" });
  governor.answer(true);
  expect(governor.requestSent()).toBeUndefined();
  governor.turnEnded();
  expect(sendTurns(governor, 1)).toEqual([expect.objectContaining({ outcome: "limit-overrun" })]);
});

test("a step counter that is broken is noticed at the first call too many", () => {
  vi.spyOn(StepCounter.prototype, "tick").mockReturnValue(true);
  const governor = prompted({ steps: 2 });
  governor.beforeTurn();
  expect(executeSteps(governor, 3)).toEqual([
    undefined,
    undefined,
    { kind: "stop", outcome: "limit-overrun", limit: "steps", used: 3, max: 2 },
  ]);
  expect(governor.beforeStep()).toMatchObject({ kind: "refuse", limit: "steps" });
  expect(governor.settled()).toMatchObject({ kind: "limit-overrun", limit: "steps" });
});

test("a step counter that breaks after a yes is noticed: a yes gives no new steps", () => {
  const governor = prompted({ turns: 1, steps: 2, canAsk: true });
  governor.beforeTurn();
  executeSteps(governor, 2);
  governor.turnEnded();
  governor.beforeTurn();
  governor.answer(true);
  vi.spyOn(StepCounter.prototype, "tick").mockReturnValue(true);
  expect(executeSteps(governor, 1)).toEqual([expect.objectContaining({ outcome: "limit-overrun" })]);
});

test("a request that nobody admitted is one too many, and so is a call", () => {
  const requests = prompted({});
  requests.beforeTurn();
  expect(requests.requestSent()).toBeUndefined();
  expect(requests.requestSent()).toMatchObject({
    outcome: "limit-overrun",
    limit: "turns",
    used: 2,
    max: 25,
  });

  const calls = prompted({});
  calls.beforeTurn();
  calls.beforeStep();
  expect(calls.stepExecuted()).toBeUndefined();
  expect(calls.stepExecuted()).toMatchObject({ outcome: "limit-overrun", limit: "steps", max: "unlimited" });
});

test("a call that was refused and is executed all the same is one too many", () => {
  const governor = prompted({ tools: { bash: 0 }, canAsk: true });
  governor.beforeTurn();
  governor.beforeStep({ tool: "bash" });
  expect(governor.stepExecuted()).toMatchObject({ outcome: "limit-overrun" });
});

test("a request for the answer without tools that is sent twice is one too many", () => {
  const governor = prompted({ turns: { max: 1, headless: "synthesize" } });
  sendTurns(governor, 2);
  expect(governor.requestSent()).toMatchObject({ outcome: "limit-overrun" });
});

test("a prompt begins anew after a run that was stopped that way", () => {
  const governor = prompted({ turns: 1 });
  governor.requestSent();
  governor.prompt();
  expect(sendTurns(governor, 1)).toEqual([undefined]);
});

test("what is sent or executed without a run is nobody's", () => {
  const governor = createGovernor({ turns: 1 });
  expect([governor.requestSent(), governor.stepExecuted()]).toEqual([undefined, undefined]);
  governor.prompt();
  expect(sendTurns(governor, 1)).toEqual([undefined]);
});

test("a host that says nothing of what it sends is not suspected of anything", () => {
  const governor = prompted({ turns: 3, canAsk: true });
  takeTurns(governor);
  governor.answer(true);
  expect(governor.requestSent()).toBeUndefined();
});

test("a retry, a wrap-up beyond the limit, and the answer without tools are not too many", () => {
  const governor = prompted({ turns: 1, steps: { max: 1, onExhausted: "synthesize" }, canAsk: true });
  const sent = sendTurns(governor, 1);
  governor.turnDiscarded();
  sent.push(...sendTurns(governor, 1));
  governor.beforeTurn();
  governor.answer("wrap-up");
  sent.push(governor.requestSent(), ...executeSteps(governor, 2));
  governor.turnEnded();
  sent.push(...sendTurns(governor, 1));
  expect(governor.settled()).toMatchObject({ kind: "salvaged", turns: 3 });
  expect(sent).toEqual(new Array(6).fill(undefined));
});

test("a limit lowered between the admission and the sending takes nothing back", () => {
  const governor = prompted({ turns: 5, steps: 5 });
  sendTurns(governor, 2);
  governor.beforeTurn();
  governor.beforeStep();
  governor.maxTurns = 1;
  governor.steps = 1;
  expect([governor.requestSent(), governor.stepExecuted()]).toEqual([undefined, undefined]);
});

test.each<[string, (governor: Governor) => void]>([
  ["a reset", (governor) => governor.reset()],
  ["a person's prompt", (governor) => governor.prompt()],
  [
    "a limit that comes into force again",
    (governor) => {
      governor.maxTurns = "unlimited";
      governor.maxTurns = 1;
    },
  ],
])(
  "%s between the admission and the sending does not make the next turn one too many",
  (_what, startOver) => {
    const governor = prompted({ turns: 1, steps: 1, canAsk: true });
    governor.beforeTurn();
    governor.beforeStep();
    startOver(governor);
    expect([governor.requestSent(), governor.stepExecuted()]).toEqual([undefined, undefined]);
    governor.turnEnded();
    expect(sendTurns(governor, 1)).toEqual([undefined]);
    expect(executeSteps(governor, 1)).toEqual([undefined]);
  },
);

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
  fc.assert(anything, { numRuns: 2_000 });
});

test("whatever happens in whatever order, a turn counter that is broken is noticed within the limit", () => {
  vi.spyOn(TurnLimit.prototype, "begin").mockImplementation(() => {});
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
function sendTurns(governor: Governor, count: number, mishap?: "failed"): (Stop | undefined)[] {
  return Array.from({ length: count }, () => {
    governor.beforeTurn();
    const stop = governor.requestSent();
    governor.turnEnded(mishap);
    return stop;
  });
}

function executeSteps(governor: Governor, count: number): (Stop | undefined)[] {
  return Array.from({ length: count }, () =>
    governor.beforeStep().kind === "proceed" ? governor.stepExecuted() : undefined,
  );
}

/** A host that sends what was admitted, sooner or later or never, and nothing else. */
class Host {
  readonly overruns: Stop[] = [];
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

  turn(decision: TurnDecision | undefined): void {
    if (decision && decision.kind !== "ask" && decision.kind !== "stop") this.#toSend += 1;
  }

  /** A held turn begins with the reply; in the middle of one none does. */
  reply(...[reply]: Parameters<Governor["answer"]>): void {
    const { held } = this.governor.state;
    const decision = this.governor.answer(reply);
    if (held) this.turn(decision);
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
  failed: ({ governor }) => governor.turnEnded({ mishap: "failed", usage: { input: 5, output: 0 } }),
  aborted: ({ governor }) => governor.turnEnded("aborted"),
  discarded: ({ governor }) => governor.turnDiscarded(),
  yes: (host) => host.reply(true),
  no: (host) => host.reply(false),
  more: (host) => host.reply({ more: 2 }),
  unlimited: (host) => host.reply("unlimited"),
  "wrap up": (host) => host.reply("wrap-up"),
  "fewer turns": ({ governor }) => {
    governor.maxTurns = 1;
  },
  "any turns": ({ governor }) => {
    governor.maxTurns = "unlimited";
  },
  "fewer steps": ({ governor }) => {
    governor.steps = 1;
  },
  "fewer tokens": ({ governor }) => governor.setBudgets({ tokens: 10 }),
  reset: ({ governor }) => governor.reset(),
  "time passes": (host) => host.pass(30),
  overdue: ({ governor }) => {
    governor.overdue();
  },
  settled: (host) => host.settle(),
};

const anyEvent = fc.constantFrom(...Object.keys(EVENTS));

const anyPolicy = fc.constantFrom("ask", "stop", "synthesize");
const anyOptions = fc.record<GovernorOptions>({
  turns: fc.record({ max: fc.integer({ min: 0, max: 4 }), headless: fc.constantFrom("stop", "synthesize") }),
  steps: fc.oneof(
    fc.constant("unlimited" as const),
    fc.record({ max: fc.integer({ min: 1, max: 4 }), onExhausted: fc.constantFrom("raise", "synthesize") }),
  ),
  tokens: fc.record({ max: fc.integer({ min: 0, max: 40 }), onExhausted: anyPolicy }),
  time: fc.record({ max: fc.integer({ min: 30, max: 200 }), onExhausted: anyPolicy }),
  tools: fc.record({ bash: fc.record({ max: fc.integer({ min: 0, max: 5 }), onExhausted: anyPolicy }) }),
  canAsk: fc.boolean(),
}) as fc.Arbitrary<GovernorOptions>;

test("a yes in the middle of the last turn covers that turn, and the next one is asked about", () => {
  const governor = prompted({ turns: 1, time: 9, canAsk: true });
  governor.timeIs(0);
  governor.beforeTurn();
  governor.timeIs(9);
  governor.overdue();
  governor.answer(true);
  expect(governor.requestSent()).toBeUndefined();
  governor.turnEnded();
  expect(governor.beforeTurn()).toMatchObject({ kind: "ask", limit: "turns" });
});
