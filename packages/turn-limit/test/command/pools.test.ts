import { homedir } from "node:os";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { createPool } from "../../src/index.ts";
import type { PoolRecord, Store } from "../../src/pools/ledger/store.ts";
import { memoryStore } from "../../src/pools/stores/memory.ts";
import { alone } from "../helpers/driven.ts";
import { shell } from "./a-shell.ts";
import { ask, FIRST, fill, readReplies } from "./a-store.ts";

let store: Store;
let now: number;
beforeEach(async () => {
  now = Date.UTC(2026, 10, 16, 12);
  store = memoryStore({ now: () => now });
  await fill(store);
});

describe("the table", () => {
  test("has a row for each pool and each agent that takes part, and hides earlier days", async () => {
    const { code, out } = await shell(store).run("pools");
    expect(out).toBe(
      [
        "POOL                    AGENTS  TURNS  TOKENS   COST         TOOL CALLS",
        "daily@2026-11-16        1                       $18.40       bash 3",
        "  pi in ~/site                                  $18.40       bash 3",
        "research                1       12/40  1.2m/2m  $1.42/$5.00",
        "  scout: read the docs          6      800k     $0.92",
        "  1 agent that left             6      400k     $0.50",
        "",
      ].join("\n"),
    );
    expect(code).toBe(0);
  });

  test("has what is used of a subscription, and of how much, until its window starts over", async () => {
    const plan = { "5h": 80, "7d": { max: 50 } };
    const { driver } = alone({ pool: createPool({ id: "subscriptions", plan, store }) });
    await driver.admitTurn();
    const subscription = "anthropic";
    driver.turn.answered({
      windows: [
        { subscription, window: "5h", used: 62, resets: now + 60_000 },
        { subscription, window: "7d", used: 20, resets: now + 600_000 },
      ],
    });
    await driver.shared.settle();
    const cells = async () => (await shell(store).run("pools", "show", "subscriptions")).out;
    expect(await cells()).toMatch(/^plan per 5h +62% +80% +18%$/m);
    expect(await cells()).toMatch(/^plan per 7d +20% +50% +30%$/m);
    expect((await shell(store).run("pools")).out).toMatch(
      /PLAN PER 5H +PLAN PER 7D[\s\S]*subscriptions .*62%\/80% +20%\/50%/,
    );
    now += 60_000;
    expect(await cells()).toMatch(/^plan per 5h +0% +80% +80%$/m);
    const { code, out } = await shell(store).run("pools", "extend", "subscriptions", "plan per 7d", "10%");
    expect([code, out]).toEqual([0, "subscriptions may use more plan per 7d: 10% in addition.\n"]);
    expect(await cells()).toMatch(/^plan per 7d +20% +60% +40% +10%$/m);
  });

  test("has no column for what no pool limits: that is shown with each of them", async () => {
    await store.change("research", {
      key: "open",
      kind: "limits",
      limits: { turns: 40, tokens: "unlimited", cost: "unlimited" },
    });
    for (const day of ["15", "16"]) await store.delete(`daily@2026-11-${day}`);
    const [headings] = (await shell(store).run("pools")).out.split("\n");
    expect(headings?.trimEnd().split(/ +/)).toEqual(["POOL", "AGENTS", "TURNS"]);
    expect((await shell(store).run("pools", "show", "research")).out).toMatch(/^tokens +1\.2m +∞/m);
  });

  test("has the budget of a prompt of Pi's for as long as it works, and later with --all", async () => {
    const pool = "prompt 01a1f655-0c78-7685-a721-5c46b080c1a6 1795134131645";
    const working = { pool, member: { id: "pi", name: "pi" }, used: { turns: 1 }, lease: 3_600_000 };
    await store.take({ ...working, ...FIRST });
    const shown = async (...more: string[]) => (await shell(store).run("pools", ...more)).out.includes(pool);
    expect(await shown()).toBe(true);
    await store.take({ ...working, ...FIRST, turn: 2, leaves: true });
    expect([await shown(), await shown("--all")]).toEqual([false, true]);
  });

  test("has earlier days with --all, the newest first", async () => {
    const { out } = await shell(store).run("pools", "--all");
    expect(out.match(/daily@\S+/g)).toEqual(["daily@2026-11-16", "daily@2026-11-15"]);
  });

  test("says what is frozen, and lists the open questions", async () => {
    await store.change("research", { key: "f", kind: "freeze", why: "looks stuck" });
    await ask(store, "q1");
    now += 12_000;
    const { out } = await shell(store).run("pools");
    expect(out).toContain(
      "research                1       12/40  1.2m/2m  $1.42/$5.00\n  frozen 12s ago: looks stuck\n",
    );
    expect(out).toContain(
      [
        "Open questions",
        "  WHO ASKS  POOL      QUESTION  USED              WAITS  TIME LEFT",
        "  scout     research  q1        cost $5.00/$5.00  12s    59m 48s",
        "",
      ].join("\n"),
    );
  });

  test("cannot be made to act on the terminal by the name of an agent", async () => {
    const member = { id: "m-9", name: "evil\x1b[2J\n\x9bname" };
    await store.take({ pool: "research", member, ...FIRST, used: {}, lease: 1_000 });
    const { out } = await shell(store).run("pools");
    expect(out).toContain("  evil [2J name");
  });

  test("prints nothing that a terminal acts on, whatever pools, agents, tools and questions are called", async () => {
    const evil = "evil\x1b[2J\n\x9b31m\x7fname";
    await store.change(evil, { key: "f", kind: "freeze", why: evil });
    const question = { id: evil, member: evil, name: evil, limit: evil, used: 1, max: 1, why: evil };
    await store.change(evil, { key: "a", kind: "ask", question });
    const member = { id: evil, name: evil };
    await store.take({ pool: evil, member, ...FIRST, used: { [`tools.${evil}`]: 1 }, lease: 1_000 });
    const { run } = shell(store);
    const said = await Promise.all([
      run("pools"),
      run("pools", "--json"),
      run("pools", "show", evil),
      run("pools", "show", evil, "--json"),
      run("pools", "show", `${evil}!`),
      run("pools", "unfreeze", evil),
      run("pools", "answer", evil, "nothing", "yes"),
    ]);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there
    for (const { out, err } of said) expect(out + err).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f]/);
    const { pools } = JSON.parse((await run("pools", "--json")).out);
    expect(pools.map(({ id }: { id: string }) => id)).toContain(evil);
  });

  test("shows a name of a megabyte by its beginning, and pads no other row to that", async () => {
    const name = "long ".repeat(200_000);
    await store.take({ pool: name, member: { id: name, name }, ...FIRST, used: { turns: 1 }, lease: 1_000 });
    const { run } = shell(store);
    for (const args of [["pools"], ["pools", "show", name]]) {
      const { out } = await run(...args);
      expect(out.length).toBeLessThan(3_000);
      expect(out).toContain("long long");
    }
    expect(JSON.parse((await run("pools", "show", name, "--json")).out).id).toBe(name);
  });

  test("has 100,000 pools, and 100,000 members of one", async () => {
    for (let number = 0; number < 100_000; number += 1) {
      const member = { id: "ada", name: "" };
      await store.take({ pool: `pool ${number}`, member, ...FIRST, used: { turns: 1 }, lease: 1_000 });
    }
    const { run } = shell(store);
    const { code, out, err } = await run("pools");
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out.match(/^pool \d+ +1 +1$/gm)).toHaveLength(100_000);

    const record = (await store.read("pool 7")) as PoolRecord;
    const members = Array.from({ length: 100_000 }, () => record.members).flat();
    store.read = async () => ({ ...record, members });
    expect((await run("pools", "show", "pool 7")).out.match(/^ +ada +1$/gm)).toHaveLength(100_000);
  });

  test("has colours on a terminal only, and not with NO_COLOR", async () => {
    const colour = "\x1b[";
    expect((await shell(store, { isTTY: true }).run("pools", "--once")).out).toContain(colour);
    expect((await shell(store).run("pools")).out).not.toContain(colour);
    const env = { NO_COLOR: "1" };
    expect((await shell(store, { isTTY: true, env }).run("pools", "--once")).out).not.toContain(colour);
  });

  test("says so if there are no pools", async () => {
    expect(await shell(memoryStore()).run("pools")).toMatchObject({ code: 0, out: "No pools yet.\n" });
  });
});

test("show has every limit, every member and every open question of a pool", async () => {
  await store.change("research", { key: "e", kind: "extend", measure: "cost", by: 2e9 });
  await ask(store, "q1");
  const { out } = await shell(store).run("pools", "show", "research");
  expect(out).toBe(
    [
      "research",
      "1 agent",
      "",
      "LIMIT   USED   HELD   MAX    LEFT   OF IT ADDED",
      "turns   12            40     28",
      "tokens  1.2m          2m     800k",
      "cost    $1.42  $0.10  $7.00  $5.48  $2.00",
      "",
      "MEMBER                ID         TURNS  TOKENS  COST",
      "scout: read the docs  m-1        6      800k    $0.92",
      "writer                m-2  left  6      400k    $0.50",
      "",
      "  WHO ASKS  POOL      QUESTION  USED              WAITS  TIME LEFT",
      "  scout     research  q1        cost $5.00/$5.00  0s     1h",
      "",
    ].join("\n"),
  );
});

test("an id without a date means its newest record", async () => {
  const { run } = shell(store);
  expect((await run("pools", "show", "daily")).out).toMatch(/^daily@2026-11-16\n/);
  expect((await run("pools", "show", "daily@2026-11-15")).out).toMatch(/^daily@2026-11-15\n/);
});

test("--json has dollars, milliseconds and ISO dates, and every field", async () => {
  await ask(store, "q1");
  const { out } = await shell(store).run("pools", "show", "research", "--json");
  expect(JSON.parse(out)).toEqual({
    record: "research",
    id: "research",
    period: null,
    startsOver: null,
    agents: 1,
    frozen: null,
    use: {
      turns: { used: 12, held: 0, max: 40, extra: 0 },
      tokens: { used: 1_200_000, held: 0, max: 2_000_000, extra: 0 },
      cost: { used: 1.42, held: 0.1, max: 5, extra: 0 },
    },
    members: [
      {
        id: "m-1",
        name: "scout: read the docs",
        present: true,
        used: { turns: 6, tokens: 800_000, cost: 0.92 },
        held: { cost: 0.1 },
      },
      {
        id: "m-2",
        name: "writer",
        present: false,
        used: { turns: 6, tokens: 400_000, cost: 0.5 },
        held: {},
      },
    ],
    questions: [
      {
        id: "q1",
        member: "m-1",
        name: "scout",
        limit: "cost of pool research",
        identity: { kind: "cost", pool: "research" },
        used: 5,
        max: 5,
        round: 5,
        why: null,
        waits: null,
        asked: "2026-11-16T12:00:00.000Z",
        until: "2026-11-16T13:00:00.000Z",
        open: true,
        reply: null,
        where: null,
      },
    ],
    run: null,
    now: "2026-11-16T12:00:00.000Z",
  });
  const all = JSON.parse((await shell(store).run("pools", "--json", "--store", "redis://me:pw@host/1")).out);
  expect(all.store).toBe("redis://host/1");
  expect(all.pools.map(({ id, period }: { id: string; period: unknown }) => [id, period])).toEqual([
    ["daily", { kind: "day", name: "2026-11-16" }],
    ["research", null],
  ]);
});

describe("changes", () => {
  const stateOf = async (pool: string) => (await store.read(pool))?.state;

  test.each([
    ["cost", "$5", 5e9],
    ["cost", "0.000000001", 1],
    ["turns", "10", 10],
    ["tokens", "2m", 2_000_000],
    ["turns", "unlimited", "unlimited"],
  ])("extend %s by %s", async (limit, amount, extra) => {
    const { code, out } = await shell(store).run("pools", "extend", "research", limit, amount);
    expect(code).toBe(0);
    expect(out).toMatch(/^research .*\n$/);
    expect((await stateOf("research"))?.extra).toEqual({ [limit]: extra });
  });

  test.each([
    ["tools.bash", "3", 3],
    ["time", "30m", 1_800_000],
  ])("extend %s of a pool whose limits are not known by %s", async (limit, amount, extra) => {
    expect((await shell(store).run("pools", "extend", "daily", limit, amount)).code).toBe(0);
    expect((await stateOf("daily@2026-11-16"))?.extra).toEqual({ [limit]: extra });
  });

  test("a tool whose name a terminal would act on is refused", async () => {
    for (const limit of ["tools.\x1b[2Jbash", "tools.bash\n", "tools.\x9b31m"]) {
      const { code, err } = await shell(store).run("pools", "extend", "daily", limit, "3");
      expect([limit, code]).toEqual([limit, 2]);
      expect(err).toContain("is not something that a pool limits");
    }
    expect((await stateOf("daily@2026-11-16"))?.extra ?? {}).toEqual({});
  });

  test("what the pool does not limit now is extended with a note", async () => {
    const limits = { cost: 5e9, requests: "unlimited" } as const;
    await store.change("research", { key: "others", kind: "limits", limits });
    const { code, out } = await shell(store).run("pools", "extend", "research", "requests", "10");
    expect(out).toContain("But research has no limit of requests now. It limits cost.");
    expect(code).toBe(0);
  });

  test("what is unlimited is not said to have got more", async () => {
    const { run } = shell(store);
    await run("pools", "extend", "research", "cost", "unlimited");
    const { code, out } = await run("pools", "extend", "research", "cost", "$5");
    expect({ code, out }).toEqual({ code: 0, out: "research is unlimited in cost already.\n" });
  });

  test("freeze, unfreeze and reset", async () => {
    const { run } = shell(store);
    const frozen = { at: now, why: "enough for today", where: "with turn-limit pools" };
    // With quotes or without them.
    await run("pools", "freeze", "daily", "enough", "for", "today");
    expect((await stateOf("daily@2026-11-16"))?.frozen).toEqual(frozen);
    expect((await stateOf("daily@2026-11-15"))?.frozen).toEqual(frozen);
    await run("pools", "unfreeze", "daily");
    expect((await stateOf("daily@2026-11-16"))?.frozen).toBeUndefined();
    await run("pools", "reset", "daily");
    expect((await store.read("daily@2026-11-16"))?.settled).toEqual({});
  });

  test("delete removes a record by its whole name, and a pool with all its days by its id", async () => {
    const { run } = shell(store);
    await store.change("daily@2026-11-16", { key: "f", kind: "freeze", why: "enough" });
    const { code, out } = await run("pools", "delete", "daily@2026-11-15");
    expect({ code, out }).toEqual({
      code: 0,
      out: "Deleted: daily@2026-11-15. Agents that work with it are told that its counts are gone.\n",
    });
    expect((await store.list()).sort()).toEqual(["daily@2026-11-16", "research"]);
    expect((await stateOf("daily@2026-11-16"))?.frozen?.why).toBe("enough");
    await fill(store);
    const all = await run("pools", "delete", "daily", "--json");
    expect(JSON.parse(all.out)).toEqual({ deleted: ["daily@2026-11-15", "daily@2026-11-16"] });
    expect(await store.list()).toEqual(["research"]);
    await fill(store);
    expect((await stateOf("daily@2026-11-16"))?.frozen).toBeUndefined();
    expect(await run("pools", "delete", "reserch")).toMatchObject({
      code: 2,
      err: expect.stringContaining("research"),
    });
  });

  test.each([
    ["yes", true, "yes"],
    ["no", false, "no"],
    ["unlimited", "unlimited", "unlimited"],
    ["wrap-up", "wrap-up", "wrap-up"],
    ["$2.50", { more: 2.5 }, "yes, $2.50 more"],
  ])("answer %s", async (reply, kept, told) => {
    await ask(store, "q1");
    const replies = readReplies(store);
    const { code, out } = await shell(store).run("pools", "answer", "research", "q1", reply);
    expect({ code, out }).toEqual({ code: 0, out: `scout is told: ${told}.\n` });
    expect(replies).toEqual(new Map([["q1", kept]]));
  });

  test("a yes to an asker that is gone says so, and stays", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    await ask(store, "q1");
    const ended = shell(store).run("pools", "answer", "research", "q1", "yes");
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await ended).toMatchObject({
      code: 1,
      out: "",
      err: "turn-limit: research: scout has not read the reply, and may be gone. The reply stays, in case it is not.\n",
    });
    expect((await stateOf("research"))?.questions.q1?.reply).toBe(true);
  });

  test("a question can be named by how its id begins, and is answered once", async () => {
    const id = "8d1f5c1e-0c52-4d8e-9a3e-0f6f5a3f7b11";
    await ask(store, id);
    await ask(store, "9d1f-2");
    const { run } = shell(store);
    expect((await run("pools")).out).toMatch(/^ {2}scout +research +8d1f5c1e +cost /m);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const answered = run("pools", "answer", "research", "8d1f5c1e", "no");
    await vi.advanceTimersByTimeAsync(5_000);
    await answered;
    expect((await stateOf("research"))?.questions[id]?.reply).toBe(false);
    const again = await run("pools", "answer", "research", id, "yes");
    expect(again).toMatchObject({
      code: 1,
      err: "turn-limit: Too late: it was answered with turn-limit pools: no.\n",
    });
    now += 3_600_000;
    const late = await run("pools", "answer", "research", "9d1f-2", "yes");
    expect(late).toMatchObject({ code: 1, err: expect.stringContaining("its time is over") });
    expect((await stateOf("research"))?.questions["9d1f-2"]?.reply).toBeUndefined();
  });

  test("with --json the pool is printed as it is afterwards", async () => {
    const { out } = await shell(store).run("pools", "extend", "research", "cost", "$5", "--json");
    expect(JSON.parse(out).use.cost).toMatchObject({ max: 10, extra: 5 });
  });
});

describe("bad input ends with 2 and one line, and changes nothing", () => {
  test.each<[string[], string]>([
    [
      ["pool"],
      '"pool" is not a command. Did you mean pools? Use run, parked, resume, gateway, pools, grants, dashboard, devices, --help, --version.',
    ],
    [["pools", "shwo"], '"shwo" is not an action. Did you mean show? Use show, extend, '],
    [["pools", "--jsno"], '"--jsno" is not an option. Did you mean --json? Use --store, '],
    [["pools", "--json=yes"], '"--json=yes": --json takes no value.'],
    [["pools", "--store"], "--store needs a value: --store STORE."],
    [["pools", "--store", "http://x"], '"http://x" from --store is not a store. Use a file, or a redis://'],
    [["pools", "show"], "ID is missing. Use turn-limit pools show ID."],
    [["pools", "show", "a", "b"], '"b" is one word too many. Use turn-limit pools show ID.'],
    [["pools", "freeze", "reserch"], '"reserch" is not a pool. Did you mean research? Use daily, research.'],
    [
      ["pools", "extend", "research", "cots", "1"],
      '"cots" is not something that a pool limits. Did you mean cost?',
    ],
    [
      ["pools", "extend", "research", "steps", "1"],
      "research has no limit of steps, so there is nothing to extend. It limits turns, tokens, cost.",
    ],
    [
      ["pools", "extend", "research", "cost", "-5"],
      'Invalid amount of cost. "-5" is not above 0. Use a number of US dollars such as $5, or unlimited.',
    ],
    [
      ["pools", "extend", "research", "tokens", "0"],
      'Invalid amount of tokens. "0" is not above 0. Use a number of tokens such as 200k, or unlimited.',
    ],
    [["pools", "extend", "research", "cost", "1e9"], "Invalid amount of cost. Use "],
    [
      ["pools", "extend", "research", "cost", "99999999"],
      'Invalid amount of cost. "99999999" is more than can be counted.',
    ],
    [
      ["pools", "answer", "daily", "q1", "yes"],
      '"q1" is not an open question of daily@2026-11-16. It has none.',
    ],
    [
      ["pools", "answer", "research", "q2", "yes"],
      '"q2" is not an open question of research. Did you mean q1?',
    ],
    [
      ["pools", "answer", "research", "q1", "yse"],
      '"yse" is not a reply. Did you mean yes? Use yes, no, unlimited,',
    ],
    [
      ["pools", "answer", "research", "q1", "5x"],
      'Invalid amount of cost. Use a number of US dollars such as $5, or yes, no, unlimited or wrap-up, not "5x".',
    ],
  ])("%j", async (args, message) => {
    await ask(store, "q1");
    const before = [await store.list(), await store.read("research")];
    const { code, out, err } = await shell(store).run(...args);
    expect(err).toMatch(/^turn-limit: [^\n]+\n$/);
    expect(err).toContain(message);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect([await store.list(), await store.read("research")]).toEqual(before);
  });

  test("the password of a store is not shown", async () => {
    const { err } = await shell(store).run("pools", "--store", "http://me:secret@host");
    expect(err).not.toContain("secret");
  });
});

test.each([
  [["--store", "x.db"], { TURN_LIMIT_STORE: "y.db" }, "x.db"],
  [[], { TURN_LIMIT_STORE: "redis://host" }, "redis://host"],
  [[], { PI_CODING_AGENT_DIR: "~/mine" }, `${homedir()}/mine/turn-limit.sqlite`],
  [[], {}, `${homedir()}/.pi/agent/turn-limit.sqlite`],
])("the store is the one given: %j %j", async (args, env, address) => {
  expect((await shell(store, { env }).run("pools", ...args)).opened).toEqual([address]);
});

test("help and version need no store", async () => {
  const { run } = shell(store);
  for (const args of [[], ["--help"], ["pools", "--help"], ["pools", "show", "-h"]]) {
    const { code, out, opened } = await run(...args);
    expect({ code, opened }).toEqual({ code: 0, opened: [] });
    expect(out).toMatch(/^Usage: turn-limit /);
    for (const text of out.split("\n")) expect(text.length).toBeLessThanOrEqual(80);
  }
  expect((await run("--version")).out).toMatch(/^\d+\.\d+\.\d+\n$/);
});
