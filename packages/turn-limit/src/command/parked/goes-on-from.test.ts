import { expect, test, vi } from "vitest";
import type { Ask } from "../../core/governor/decision.ts";
import { createGovernor } from "../../core/governor/governor.ts";
import { parkedRuns, parkRun } from "../../pools/listing/parked-runs.ts";
import { memoryStore } from "../../pools/stores/memory.ts";
import { GoesOnFrom } from "./goes-on-from.ts";

const info = { id: "r", name: "a run" } as never;

/** A run that is parked at this limit, and the process that goes on with it. */
async function goingOn(identity: Ask["identity"]) {
  const store = memoryStore();
  const question = { limit: "turns", identity, used: 2, max: 2 };
  const state = JSON.stringify(createGovernor({ turns: 2 }).state);
  const parked = { session: "s", program: ["pi"], args: [], isHeadless: true, options: [], state };
  await parkRun(store, {
    id: "r",
    name: "a run",
    run: { agent: "Pi", limits: [], used: {}, parked },
    question,
  });
  const found = async () => (await parkedRuns(store))[0];
  const first = await found();
  if (!first) throw new Error("It is not parked");
  const from = new GoesOnFrom(store, first, true);
  await from.take();
  const ask = { kind: "ask", id: 1, ...question } as const;
  return {
    found,
    from,
    store,
    reply: () => from.replyFirst(undefined)(ask, new AbortController().signal, info),
  };
}

test("a reply about a budget that others share is marked as used before it allows anything", async () => {
  const { found, from, reply } = await goingOn({ kind: "turns", per: "day", pool: "runs" });
  expect(await reply()).toBe(true);
  expect(await found()).toMatchObject({ isReplyUsed: true });
  await from.leave(() => {});
  expect(await found()).toMatchObject({ isReplyUsed: true, holder: undefined });
});

test("a reply about a limit of the run is used together with the state in which the limit has started over", async () => {
  const { found, from, reply } = await goingOn({ kind: "turns" });
  expect(await reply()).toBe(true);
  expect(await found()).toMatchObject({ isReplyUsed: false });
  expect(await from.save(createGovernor({ turns: 4 }).state, () => {})).toBeUndefined();
  const left = await found();
  expect(left?.isReplyUsed).toBe(true);
  expect(JSON.parse(left?.parked.state ?? "")).toMatchObject({ settings: { turns: { max: 4 } } });
  await from.leave(() => {});
});

test("a request is not sent if somebody else goes on with the run, and is if that cannot be known", async () => {
  const { from, store, found } = await goingOn({ kind: "turns" });
  const { state } = createGovernor({ turns: 2 });
  const { holder } = (await found()) ?? {};
  const change = vi.spyOn(store, "change").mockRejectedValueOnce(new Error("no disk"));
  const told: string[] = [];
  expect(await from.save(state, (message) => told.push(message))).toBeUndefined();
  expect(told).toEqual(["What r used is not saved, in case this process is killed: no disk"]);
  change.mockRestore();
  await store.change("run@r", { kind: "let-go", holder: holder?.id ?? "", key: "k" });
  expect(await from.save(state, () => {})).toBe("r goes on elsewhere.");
  await from.leave(() => {});
});
