import { expect, test } from "vitest";
import { seenGrant } from "../../src/command/dashboard/seen-grant.ts";
import { labelOf } from "../../src/core/limits/boundary.ts";
import type { Grant } from "../../src/pools/ledger/grants.ts";
import type { ListedRun } from "../../src/pools/ledger/listed-run.ts";
import { memoryStore } from "../../src/pools/stores/memory.ts";
import { shell } from "./a-shell.ts";
import { FIRST, readReplies } from "./a-store.ts";

const now = Date.UTC(2026, 10, 16, 12);
const ID = "5f0c3a51-9f5e-4b1e-8a55-3f5f0f9d6a01";
const RECORD = `run@${ID}`;

const about: ListedRun = {
  ...{ agent: "Pi", folder: "~/site", host: "laptop", pid: 7, model: "a-model", state: "working" },
  ...{ since: now - 600_000, active: now - 60_000 },
  limits: [{ limit: "turns", identity: { kind: "turns" }, used: 12, max: 25 }],
  used: { turns: 12, cost: 0.5 },
};

/** A store in which a run is listed, and a shell. */
async function scene(run: Partial<ListedRun> = {}) {
  const store = memoryStore({ now: () => now });
  const member = { id: ID, name: "Pi in ~/site", run: { ...about, ...run } };
  await store.take({ pool: RECORD, member, ...FIRST, used: {}, lease: 60_000, keepFor: 60_000 });
  const ask = () =>
    store.change(RECORD, {
      ...{ kind: "ask", key: "ask" },
      question: {
        ...{ id: "q1", member: ID, name: "Pi in ~/site", limit: "turns", identity: { kind: "turns" } },
        ...{ used: 25, max: 25 },
      },
    } as never);
  return { store, ask, ...shell(store) };
}

test("runs are shown with what they do, use and ask", async () => {
  const { run, ask } = await scene();
  await ask();
  const { out } = await run("pools");
  expect(out).toMatch(
    /^Runs\nRUN +ID +STATE +IDLE +MODEL +TURNS\nPi in ~\/site +5f0c3a51 +working +1m +a-model +12\/25$/m,
  );
  expect(out).toMatch(
    /^ {2}WHO ASKS +QUESTION +USED +WAITS +TIME LEFT\n {2}Pi in ~\/site +q1 +turns 25\/25 +0s$/m,
  );
  expect(out).not.toContain("No pools yet");
  expect((await run("pools", "show", "5f0c")).out).toMatch(
    /^Pi in ~\/site\nPi · in ~\/site on laptop · a-model\nworking · began 10m ago · last active 1m ago/,
  );
});

test("what nothing is known of is not shown as nothing", async () => {
  const { run } = await scene({
    used: { turns: 12, requests: 14, steps: 0, tokens: 1200, cost: 0, time: 4461 },
  });
  const { out } = await run("pools", "show", "5f0c");
  expect(out).toMatch(/^turns +12 +25 +13\nrequests +14\ntokens +1\.2k\ntime +4s$/m);
});

test("limits that a run shares are shown in their units, and only those that limit", async () => {
  const shared = (kind: "turns" | "cost" | "time" | "tokens", used: number, max: number | "unlimited") => {
    const identity = { kind, ...(kind === "tokens" ? { pool: "night" } : { per: "day" as const }) };
    return { limit: labelOf(identity), identity, used, max };
  };
  const limits = [
    ...(about.limits ?? []),
    shared("cost", 0.48, 20),
    shared("time", 4461, 600_000),
    shared("tokens", 1200, 2_000_000),
    shared("turns", 12, "unlimited"),
  ];
  const { out } = await (await scene({ limits })).run("pools");
  expect(out).toMatch(/ MODEL +TURNS +COST PER DAY +TIME PER DAY +TOKENS OF POOL NIGHT$/m);
  expect(out).toMatch(/ a-model +12\/25 +\$0\.48\/\$20\.00 +4s\/10m +1\.2k\/2m$/m);
});

test("--json has runs beside the pools, with every field", async () => {
  const { run } = await scene();
  const { pools, runs } = JSON.parse((await run("pools", "--json")).out);
  expect(pools).toEqual([]);
  expect(runs).toMatchObject([
    {
      ...{ record: RECORD, id: ID, frozen: null, questions: [] },
      use: { turns: { used: 12, held: 0, max: 25, extra: 0 }, cost: { used: 0.5, max: null } },
      run: {
        ...{ name: "Pi in ~/site", agent: "Pi", state: "working", stopped: null },
        ...{ since: "2026-11-16T11:50:00.000Z", active: "2026-11-16T11:59:00.000Z" },
      },
    },
  ]);
});

test("a run is extended, frozen, let go on and stopped, and grants tells who did it [GrantIsKept]", async () => {
  const { run, store } = await scene();
  expect((await run("pools", "extend", ID, "turns", "10")).out).toBe(
    "Pi in ~/site may use more turns: 10 in addition.\n",
  );
  expect((await run("pools", "freeze", "Pi in ~/site", "It is late.")).out).toBe(
    "Pi in ~/site is frozen: it waits before its next turn.\n",
  );
  expect((await run("pools", "unfreeze", "5f0c3a51")).out).toBe("Pi in ~/site is no longer frozen.\n");
  expect((await run("pools", "stop", "5f0c3a51")).out).toBe("Pi in ~/site stops before its next turn.\n");
  const state = (await store.read(RECORD))?.state;
  expect([state?.extra, state?.frozen, state?.stopped?.where]).toEqual([
    { turns: 10 },
    undefined,
    "with turn-limit pools",
  ]);
  const lines = (await run("grants")).out.split("\n");
  expect(lines.map((line) => line.replace(/ {2,}/g, "|").replace(/\d{4}-[\d-]+ [\d:]+/, "WHEN"))).toEqual([
    "TO|WHEN|WHAT|WHERE",
    "Pi in ~/site|WHEN|extended|10 more turns|with turn-limit pools",
    "Pi in ~/site|WHEN|frozen|It is late.|with turn-limit pools",
    "Pi in ~/site|WHEN|unfrozen|with turn-limit pools",
    "Pi in ~/site|WHEN|stopped|with turn-limit pools",
    "",
  ]);
  const { grants } = JSON.parse((await run("grants", "--json")).out);
  expect(grants[0]).toMatchObject({ did: "extend", limit: "turns", by: 10, at: "2026-11-16T12:00:00.000Z" });
});

test("grants shows what a run was extended by without a question [GrantIsKept]", async () => {
  const { run, store } = await scene();
  const person = { where: "by itself", to: "Pi in ~/site" };
  const turns = {
    limit: "turns",
    identity: { kind: "turns" },
    by: 25,
    times: 1,
    what: "3 files changed",
  } as const;
  const own = { limit: "pages", identity: { kind: "custom" }, by: 5, times: 2 } as const;
  for (const round of [turns, own])
    await store.change(RECORD, { kind: "round", round, person, key: round.limit });
  const { out } = await run("grants");
  expect(out).toMatch(/extended +another 25 turns: 3 files changed +by itself/);
  expect(out).toMatch(/extended +another round of pages +by itself/);
  const { grants } = JSON.parse((await run("grants", "--json")).out);
  expect(grants[0]).toMatchObject({
    ...{ did: "round", limit: "turns", by: 25, times: 1, why: "3 files changed", where: "by itself" },
    text: "another 25 turns: 3 files changed",
  });
  expect(seenGrant((await store.grants())[0] as Grant).text).toBe(
    "Extended by itself: another 25 turns: 3 files changed.",
  );
});

test("a run's question is answered once, and who is late is told who was first [LateReplyIsTold]", async () => {
  const { run, store, ask } = await scene();
  await ask();
  readReplies(store);
  expect((await run("pools", "answer", ID, "q1", "10")).out).toBe(
    "Pi in ~/site is told: yes, 10 more turns.\n",
  );
  const { code, err } = await run("pools", "answer", ID, "q1", "no");
  expect({ code, err }).toEqual({
    code: 1,
    err: "turn-limit: Too late: it was answered with turn-limit pools: yes, 10 more turns.\n",
  });
  expect((await run("grants")).out).toMatch(/answered +yes, 10 more turns +with turn-limit pools/);
});

test("what is for pools only, or for runs only, is refused with what to do instead", async () => {
  const { run, store } = await scene();
  await store.change("research", { kind: "limits", limits: { turns: 5 }, key: "1" });
  expect((await run("pools", "reset", ID)).err).toContain("To allow more, use extend.");
  expect((await run("pools", "stop", "research")).err).toContain("To hold its agents, use freeze.");
  expect((await run("pools", "extend", ID, "steps", "5")).err).toContain("has no limit of steps");
  expect((await run("pools", "stop", "run@gone")).err).toContain("The run gone has ended.");
  expect((await run("grants", "all")).err).toContain("one word too many");
  expect((await run("grants")).out).toBe("Nothing was granted yet.\n");
});
