import fc from "fast-check";
import { expect, test } from "vitest";
import type { Ask, Reply } from "../../src/core/governor/decision.ts";
import type { GovernorSettings } from "../../src/core/governor/settings.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { Driver } from "../helpers/driver.ts";
import { rest } from "../helpers/person.ts";

/** A host with any number of turns that want to begin at the same time, and somebody who replies sooner or later. */
class Host {
  readonly clock = new ManualClock();
  readonly driver: Driver;
  readonly questions: { ask: Ask; signal: AbortSignal; reply?: (reply: Reply) => void }[] = [];
  readonly #waiters = new Set<AbortController>();
  begun = 0;

  constructor(settings: GovernorSettings) {
    this.driver = new Driver({
      ...settings,
      clock: this.clock,
      onWarning: () => {},
      ask: (ask, signal) =>
        new Promise((resolve) => {
          this.questions.push({ ask, signal, reply: resolve });
        }),
    });
    this.driver.begin();
  }

  get open() {
    return this.questions.filter(({ reply, signal }) => reply && !signal.aborted);
  }

  get waiting(): number {
    return this.#waiters.size;
  }

  wantTurn(): void {
    const waiter = new AbortController();
    this.#waiters.add(waiter);
    void this.driver.admitTurn(waiter.signal).then(({ kind }) => {
      this.#waiters.delete(waiter);
      if (kind === "stop") return;
      this.begun += 1;
      this.driver.requestSent();
    });
  }

  /** Whoever waits longest gives up. */
  giveUp(): void {
    const [waiter] = this.#waiters;
    waiter?.abort();
  }

  /** To the latest question, whether or not it is still open. */
  reply(reply: Reply): void {
    const question = this.questions.findLast((asked) => asked.reply);
    question?.reply?.(reply);
    delete question?.reply;
  }
}

const EVENTS: Record<string, (host: Host) => void> = {
  "a turn is wanted": (host) => host.wantTurn(),
  "three turns are wanted": (host) => {
    for (let turn = 0; turn < 3; turn += 1) host.wantTurn();
  },
  "a turn is answered": ({ driver }) => driver.turnEnded({ usage: { input: 1, output: 0 } }),
  "a turn fails": ({ driver }) => driver.turnEnded("failed"),
  yes: (host) => host.reply(true),
  more: (host) => host.reply({ more: 2 }),
  "wrap up": (host) => host.reply("wrap-up"),
  unlimited: (host) => host.reply("unlimited"),
  no: (host) => host.reply(false),
  perhaps: (host) => host.reply("perhaps" as Reply),
  "one gives up": (host) => host.giveUp(),
  "more turns": ({ driver }) => driver.configure({ turns: 3, time: 50 }),
  "fewer turns": ({ driver }) => driver.configure({ turns: 1, time: 20, canAsk: true }),
  "no time limit": ({ driver }) => driver.configure({ turns: 2 }),
  "time passes": ({ clock }) => clock.pass(7),
  "a person is waited for": ({ driver }) => driver.waiting(true),
  "nobody is waited for": ({ driver }) => driver.waiting(false),
  "a prompt": ({ driver }) => driver.begin(),
  "the end": ({ driver }) => void driver.end(),
};

test("whatever happens in whatever order, one question is open for all who wait, nobody waits for none, and each turn is counted", async () => {
  const settings = fc.record({
    turns: fc.record({ max: fc.nat(2), onExhausted: fc.constantFrom("ask", "stop") }),
    time: fc.constantFrom("unlimited" as const, 20, 50),
    tokens: fc.constantFrom("unlimited" as const, 3),
  }) as fc.Arbitrary<GovernorSettings>;
  const events = fc.array(fc.constantFrom(...Object.keys(EVENTS)), { maxLength: 40, size: "max" });
  const property = fc.asyncProperty(settings, events, async (given, life) => {
    const host = new Host(given);
    const { view } = host.driver;
    let turns = 0;
    for (const event of life) {
      const isNewRun = event === "a prompt" || event === "the end";
      if (isNewRun) turns += view.outcome?.turns ?? 0;
      EVENTS[event]?.(host);
      await rest();
      expect(host.open.length).toBeLessThanOrEqual(1);
      expect(host.clock.timers).toBeLessThanOrEqual(1);
      const { question } = view;
      if (!question) expect(host.open).toEqual([]);
      if (host.open[0]) expect(question?.id).toBe(host.open[0].ask.id);
      if (host.waiting > 0) expect(host.open).toHaveLength(1);
      expect(view.stop?.outcome).not.toBe("limit-overrun");
    }
    expect(turns + (view.outcome?.turns ?? 0)).toBeLessThanOrEqual(host.begun);
  });
  await fc.assert(property, { numRuns: 150 });
});
