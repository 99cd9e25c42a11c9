import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { Driver } from "../helpers/driver.ts";
import { aPool } from "./a-pool.ts";

const MAX = 10_000;
const MEMBERS = 8;
/** What the largest answer takes. */
const LARGEST = 900;

/** Numbers that look random, and are the same in every run. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Request {
  member: string;
  isGranted: boolean;
  /** What the member holds for its answer, and what that took. */
  holds: number;
  took: number;
}

/** Members at once, until the pool admits no more: by how much it is exceeded, and what they asked of it, in order. */
async function play(seed: number, estimate?: { tokens: number }) {
  const { pool, store, standing } = aPool({ tokens: MAX, estimate });
  const random = randomFrom(seed);
  const requests: Request[] = [];
  const { take } = store;
  store.take = async (asked) => {
    const taken = await take(asked);
    const isGranted = taken.kind === "granted" && asked.want !== undefined;
    requests.push({ member: asked.member.name, isGranted, holds: taken.holds.tokens ?? 0, took: 0 });
    return taken;
  };

  async function member(name: string): Promise<void> {
    const driver = new Driver({ turns: "unlimited", pool }, { name });
    driver.begin();
    while ((await driver.admitTurn()).kind === "proceed") {
      const request = requests.findLast(({ member }) => member === name) as Request;
      for (let wait = random() * 5; wait > 0; wait -= 1) await setImmediate();
      request.took = Math.ceil(random() * LARGEST);
      driver.turnEnded({ usage: { input: request.took, output: 0 } });
    }
    driver.end();
    await driver.shared.done();
  }

  await Promise.all(Array.from({ length: MEMBERS }, (_, n) => member(`member ${n}`)));
  const { settled, held } = await standing();
  expect(held).toEqual({});
  return { overshoot: (settled.tokens ?? 0) - MAX, requests };
}

/** By how much the answers that were in flight when the last one was granted exceeded what was held for them. */
function exceededBy(requests: readonly Request[]): number {
  const upToLast = requests.slice(0, requests.findLastIndex(({ isGranted }) => isGranted) + 1);
  const latest = new Map(upToLast.map((request) => [request.member, request]));
  return [...latest.values()].reduce((all, { took, holds }) => all + took - holds, 0);
}

test.each([
  ["the estimate that members learn", undefined],
  ["an estimate that no answer exceeds", { tokens: LARGEST }],
])(
  "with %s, a pool is exceeded by no more than answers in flight exceed what was held",
  async (_, estimate) => {
    for (let seed = 1; seed <= 20; seed += 1) {
      const { overshoot, requests } = await play(seed, estimate);
      expect(overshoot).toBeGreaterThan(-MEMBERS * LARGEST);
      expect(overshoot).toBeLessThanOrEqual(exceededBy(requests));
    }
  },
);
