import { expect, test } from "vitest";
import { limitLoop } from "../../src/adapters/loop/index.ts";
import { createPool, memoryStore, type PoolOptions } from "../../src/index.ts";
import type { AdapterOptions } from "../../src/run/index.ts";
import { Driver } from "../helpers/driver.ts";

let pools = 0;

function pool(options: Omit<PoolOptions, "id">) {
  pools += 1;
  return createPool({ id: `pool ${pools}`, store: memoryStore(), lookEvery: 1, ...options });
}

/** Runs a loop that wants this many turns, and says how many it took. */
async function turnsOf(options: AdapterOptions, wanted = 20, usage = { input: 10, output: 0 }) {
  const limits = limitLoop(options);
  limits.begin();
  let turns = 0;
  while (turns < wanted && (await limits.nextTurn())) {
    turns += 1;
    limits.turnEnded({ usage });
  }
  return { turns, outcome: limits.end() };
}

test("a run is a member of the pool while it works, and takes its turns from it [MemberJoins] [ReservationGranted]", async () => {
  const shared = pool({ turns: 5 });
  const limits = limitLoop({ pool: shared });
  limits.begin();
  expect(await limits.nextTurn()).toBeDefined();
  const { limits: standings, members } = await shared.read();
  expect(standings).toEqual([{ limit: "turns", used: 1, max: 5 }]);
  expect(members).toMatchObject([{ isPresent: true, used: { turns: 1 } }]);
});

test("runs one after the other take no more turns together than the pool admits [ReservationRefused]", async () => {
  const shared = pool({ turns: 5 });
  expect((await turnsOf({ pool: shared }, 3)).turns).toBe(3);
  const { turns, outcome } = await turnsOf({ pool: shared });
  expect(turns).toBe(2);
  expect(outcome).toMatchObject({ kind: "stopped", limit: `turns of pool ${shared.id}`, turns: 2 });
});

test("runs at once take no more turns together than the pool admits [CountedWithinAdmitted]", async () => {
  const shared = pool({ turns: 7 });
  const runs = await Promise.all([1, 2, 3, 4].map(() => turnsOf({ pool: shared })));
  expect(runs.reduce((all, { turns }) => all + turns, 0)).toBe(7);
});

test("a limit of the run's own that is reached takes nothing from the pool", async () => {
  const shared = pool({ turns: 5 });
  expect((await turnsOf({ pool: shared, turns: 2 })).turns).toBe(2);
  expect((await shared.read()).limits).toEqual([{ limit: "turns", used: 2, max: 5 }]);
});

test("tokens are settled with the next reservation, and what is left is known to all [RequestHeard] [UseCounts]", async () => {
  const shared = pool({ tokens: 35 });
  expect((await turnsOf({ pool: shared }, 2)).turns).toBe(2);
  expect((await turnsOf({ pool: shared })).turns).toBe(2);
  expect((await shared.read()).limits).toEqual([{ limit: "tokens", used: 40, max: 35 }]);
});

test("a yes admits another round for everyone [PoolExtended]", async () => {
  const shared = pool({ turns: 2 });
  let asked = 0;
  const ask = () => {
    asked += 1;
    return asked < 3;
  };
  const { turns, outcome } = await turnsOf({ pool: shared, ask });
  expect([turns, asked, outcome?.kind]).toEqual([6, 3, "declined"]);
  expect((await shared.read()).limits).toEqual([{ limit: "turns", used: 6, max: 6 }]);
});

test("a reply that allows more, or everything, is kept by the pool [PoolExtended] [PoolLifted]", async () => {
  const shared = pool({ cost: 1 });
  const price = () => 0.5;
  const replies = [{ more: 0.75 }, "unlimited"] as const;
  let asked = 0;
  const ask = () => replies[asked++];
  expect((await turnsOf({ pool: shared, price, ask }, 8)).turns).toBe(8);
  expect(asked).toBe(2);
  expect((await shared.read()).limits).toEqual([{ limit: "cost", used: 4, max: "unlimited" }]);
});

test("calls are counted over all runs, and those that do not run are given back", async () => {
  const shared = pool({ steps: { max: 3, onExhausted: "refuse" } });
  const ran: string[] = [];
  for (const run of ["a", "b"]) {
    const limits = limitLoop({ pool: shared, tools: { write: { max: 1, onExhausted: "refuse" } } });
    limits.begin();
    await limits.nextTurn();
    limits.turnEnded();
    for (const tool of ["write", "write", "read"]) {
      const call = { id: `${run}${tool}${ran.length}`, tool, args: {} };
      if ((await limits.refusal(call)) === undefined) ran.push(`${run} ${tool}`);
    }
    limits.end();
  }
  expect(ran).toEqual(["a write", "a read", "b write"]);
});

test("a frozen pool holds every member before its next turn [PoolFreezes] [FrozenPoolGrantsNothing]", async () => {
  const shared = pool({ turns: 9 });
  const limits = limitLoop({ pool: shared });
  limits.begin();
  expect(await limits.nextTurn()).toBeDefined();
  limits.turnEnded();
  await shared.freeze("Lunch.");
  expect(await limits.nextTurn()).toBeUndefined();
  expect(limits.end()).toMatchObject({ kind: "stopped", why: expect.stringContaining("Lunch.") });
});

test("a pool that was frozen and is thawed lets its members go on [PoolThaws]", async () => {
  const shared = pool({ turns: 9 });
  await shared.freeze("Lunch.");
  expect((await turnsOf({ pool: shared }, 1)).turns).toBe(0);
  await shared.unfreeze();
  expect((await turnsOf({ pool: shared }, 1)).turns).toBe(1);
});

test.each(["yes", 5, {}, { more: 0 }, { more: 1.5 }])(
  "a reply of %j about a pool is a no, and admits nothing more to anyone",
  async (reply) => {
    const shared = pool({ turns: 1 });
    const warnings: string[] = [];
    const onWarning = (message: string) => warnings.push(message);
    const { turns, outcome } = await turnsOf({ pool: shared, ask: () => reply as never, onWarning });
    expect([turns, outcome?.kind]).toEqual([1, "declined"]);
    expect((await shared.read()).limits).toEqual([{ limit: "turns", used: 1, max: 1 }]);
    expect(warnings).toEqual([expect.stringMatching(/^reply.* It is taken for a no\.$/)]);
  },
);

test("a question about a pool closes when somebody else allows more [RoomEndsTheQuestion]", async () => {
  const shared = pool({ turns: 1 });
  let withdrawn = false;
  const ask = (_: unknown, signal: AbortSignal) =>
    new Promise<boolean>(() => {
      signal.addEventListener("abort", () => {
        withdrawn = true;
      });
      void shared.extend("turns", 1);
    });
  expect((await turnsOf({ pool: shared, ask }, 2)).turns).toBe(2);
  expect(withdrawn).toBe(true);
});

/** Runs a loop that wants two turns of a pool with one, whose watcher replies yes and then no at once. */
async function answeredTwice() {
  const shared = pool({ turns: 1 });
  const over = new AbortController();
  const answers: boolean[] = [];
  const watching = shared.watch(({ questions: [question] }) => {
    if (question)
      void Promise.all([shared.answer(question.id, true), shared.answer(question.id, false)]).then((made) =>
        answers.push(...made),
      );
  }, over.signal);
  const { turns } = await turnsOf({ pool: shared, ask: shared.ask }, 2);
  over.abort();
  await watching;
  return { turns, answers };
}

test("whoever watches is asked, and the first reply counts [WatchersAsked] [FirstReplyCounts]", async () => {
  expect((await answeredTwice()).turns).toBe(2);
});

test("whoever replies too late is told so [LateReplyIsTold]", async () => {
  expect((await answeredTwice()).answers).toEqual([true, false]);
});

test("whoever watches is told which member asks, by its id and its name", async () => {
  const shared = pool({ turns: 0 });
  const driver = new Driver({ pool: shared, ask: shared.ask }, { name: "scout" });
  driver.begin({ id: "an id of the host's" });
  const turn = driver.admitTurn();
  const over = new AbortController();
  let asked: unknown;
  await shared.watch(({ questions: [question] }) => {
    if (!question) return;
    asked = { id: question.member, name: question.name };
    void shared.answer(question.id, false);
    over.abort();
  }, over.signal);
  expect((await turn).kind).toBe("stop");
  expect(asked).toEqual(driver.shared.member);
});

test("no reply in time is a no [SilenceIsANo]", async () => {
  const shared = pool({ turns: 1, askFor: 1 });
  const { turns, outcome } = await turnsOf({ pool: shared, ask: shared.ask });
  expect([turns, outcome?.kind]).toEqual([1, "declined"]);
});

test("a store that cannot be used stops the run, and says why [LostStoreStops]", async () => {
  const store = { ...memoryStore(), take: () => Promise.reject(new Error("No such disk.")) };
  const { turns, outcome } = await turnsOf({ pool: pool({ turns: 5, store }) });
  expect(turns).toBe(0);
  expect(outcome).toMatchObject({ kind: "stopped", why: expect.stringContaining("No such disk.") });
});

test("with `local`, the pool's limits hold for the run by itself, with a warning [LostStoreIsLocal] [GoesOnAlone]", async () => {
  const memory = memoryStore();
  let fails = false;
  const store = {
    ...memory,
    take: (take: never) => (fails ? Promise.reject(new Error("Gone.")) : memory.take(take)),
  };
  const warnings: string[] = [];
  const shared = pool({ turns: 5, store, unreachable: "local" });
  const limits = limitLoop({ pool: shared, onWarning: (message) => warnings.push(message) });
  limits.begin();
  let turns = 0;
  while (await limits.nextTurn()) {
    limits.turnEnded();
    turns += 1;
    fails = turns >= 2;
  }
  expect(turns).toBe(5);
  expect(warnings).toEqual([expect.stringMatching(/cannot be used.*Gone\./)]);
});

test("a person can be asked whether to go on without the store [LostStoreAsks] [GoesOnAlone]", async () => {
  const store = { ...memoryStore(), take: () => Promise.reject(new Error("Gone.")) };
  const asked: string[] = [];
  const ask = ({ limit }: { limit: string }) => asked.push(limit) < 2;
  const shared = pool({ turns: 3, store, unreachable: "ask" });
  expect((await turnsOf({ pool: shared, ask })).turns).toBe(3);
  expect(asked).toEqual([`store of pool ${shared.id}`, `turns of pool ${shared.id}`]);
});

test("the tools-free last turn counts, although nothing is left [ReservationForced]", async () => {
  const shared = pool({ turns: { max: 2, headless: "synthesize" } });
  const { turns, outcome } = await turnsOf({ pool: shared }, 3);
  expect([turns, outcome?.kind]).toEqual([3, "salvaged"]);
  expect((await shared.read()).limits).toEqual([{ limit: "turns", used: 3, max: 2 }]);
});

test.for(["steps", "repeats"])("a limit of a pool that is called %s is not the run's own", async (name) => {
  const shared = pool({ steps: { max: 2, onExhausted: "stop" }, nameOf: () => name });
  const took = async () => {
    const limits = limitLoop({ pool: shared });
    limits.begin();
    await limits.nextTurn();
    const refusals = [];
    for (const id of ["1", "2", "3"]) {
      const refusal = await limits.refusal({ id, tool: "look", args: {} });
      refusals.push(refusal !== undefined);
      if (refusal === undefined) await limits.execute({ id }, () => "nothing");
    }
    limits.turnEnded();
    await limits.nextTurn();
    return { refusals, outcome: limits.end() };
  };
  expect(await took()).toMatchObject({
    refusals: [false, false, true],
    outcome: { kind: "stopped", limit: name, identity: { kind: "steps", pool: shared.id } },
  });
  expect((await took()).refusals).toEqual([true, true, true]);
});

test("without a price the token limit of a pool can take over, where it has one", async () => {
  const cost = { max: 5, unpriced: "tokens" } as const;
  const held = pool({ cost, tokens: 35 });
  expect(await turnsOf({ pool: held })).toMatchObject({
    turns: 4,
    outcome: { limit: `tokens of pool ${held.id}` },
  });
  const stopped = pool({ cost, tokens: "unlimited" });
  expect(await turnsOf({ pool: stopped })).toMatchObject({
    turns: 1,
    outcome: { limit: `cost of pool ${stopped.id}`, unpriced: true },
  });
});

test.each(["stop", "tokens"] as const)(
  "a pool without a cost limit needs no price, whatever it says of models without one: %s [UnpricedModelStops]",
  async (unpriced) => {
    const shared = pool({ turns: 3, cost: { max: "unlimited", unpriced } });
    const warnings: string[] = [];
    expect(await turnsOf({ pool: shared, onWarning: (message) => warnings.push(message) })).toMatchObject({
      turns: 3,
      outcome: { limit: `turns of pool ${shared.id}` },
    });
    expect(warnings).toEqual([]);
  },
);
