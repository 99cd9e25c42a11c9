import { setImmediate as nextPhase } from "node:timers/promises";
import { expect, test } from "vitest";
import { Ticks } from "../../src/pools/stores/ticks.ts";

function counted(most = 100) {
  const done: string[][] = [];
  const ticks = new Ticks<string, string>(async (items) => {
    done.push([...items]);
    if (items.includes("bad")) throw new Error("refused");
    return items.map((item) => item.toUpperCase());
  }, most);
  return { ticks, done };
}

test("what is asked before the program waits again is done together, by its key and in its order", async () => {
  const { ticks, done } = counted();
  const chain = async (item: string, hops: number) => {
    for (let hop = 0; hop < hops; hop += 1) await undefined;
    return ticks.add("pool", item);
  };
  // The replies of one tick bring about the requests of the next.
  await nextPhase();
  const asked = [chain("c", 5), ticks.add("pool", "a"), ticks.add("another", "x"), chain("b", 1)];
  expect(await Promise.all(asked)).toEqual(["C", "A", "X", "B"]);
  await nextPhase();
  await ticks.add("pool", "d");
  expect(done).toEqual([["a", "b", "c"], ["x"], ["d"]]);
});

test("a lone request is done before anything that the program waits for", async () => {
  const { ticks, done } = counted();
  const asked = ticks.add("pool", "a");
  const seen = nextPhase().then(() => [...done]);
  await asked;
  expect(await seen).toEqual([["a"]]);
});

test("no more are done at once than may be", async () => {
  const { ticks, done } = counted(2);
  expect(await Promise.all(["a", "b", "c"].map((item) => ticks.add("pool", item)))).toEqual(["A", "B", "C"]);
  expect(done).toEqual([["a", "b"], ["c"]]);
});

test("what is refused is refused to each that asked", async () => {
  const { ticks } = counted();
  const asked = [ticks.add("pool", "a"), ticks.add("pool", "bad")];
  const results = await Promise.allSettled([...asked, ticks.add("other", "b")]);
  expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected", "fulfilled"]);
});
