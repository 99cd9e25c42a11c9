import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import type { StoreUnderTest } from "../../src/testing/index.ts";
import { type Act, anyPlans, type MemberId, type Plan } from "./model/acts.ts";
import { PoolModel } from "./model/pool-model.ts";
import { type Seen, StoreSubject } from "./model/store-subject.ts";
import { subjects } from "./subjects.ts";

/** The same for all stores, so that they are asked the same. */
const SEED = 20_260;

let pools = 0;

const folder = mkdtempSync(join(tmpdir(), "turn-limit-model-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** What happens to a store does in the model as well. `look` sees the pool after every step. */
async function compareHistories(
  { open }: StoreUnderTest,
  numRuns: number,
  look: (seen: Seen) => void = () => {},
): Promise<void> {
  let now = Date.UTC(2030, 0, 1);
  const store = await open({ now: () => now });

  async function compare(plans: readonly Plan[]): Promise<void> {
    pools += 1;
    const model = new PoolModel();
    const subject = new StoreSubject(store, `pool ${pools}`);
    const lastTakes = new Map<MemberId, Act & { kind: "take" }>();
    let lastChange: { act: Act; key: string; result: unknown } | undefined;

    for (const [step, plan] of plans.entries()) {
      if (plan.kind === "wait") {
        now += plan.ms;
        // Reading may end leases. What comes next has to do so, too.
        continue;
      }
      if (plan.kind === "change") {
        const result = model.act(plan.act, now);
        lastChange = { act: plan.act, key: `${step}`, result };
        expect(await subject.act(plan.act, `${step}`), `${step}: ${plan.act.kind}`).toEqual(result);
      } else if (plan.kind === "change again") {
        if (!lastChange) continue;
        // A change that was made is not made again. One that was not, is tried again.
        const { act, key, result } = lastChange;
        expect(await subject.act(act, key), `${step}: ${act.kind} again`).toEqual(result);
      } else {
        const last = lastTakes.get(plan.member);
        if (plan.kind === "request again" && !last) continue;
        const act = plan.kind === "request" ? takeOf(plan, last, model) : (last as Act & { kind: "take" });
        lastTakes.set(plan.member, act);
        const expected = model.act(act, now);
        expect(await subject.act(act, `${step}`), `${step}: ${plan.kind}`).toEqual(expected);
      }
      // There is a record once something was done. An act that did nothing may leave one or not.
      const seen = await subject.seen();
      if (seen) look(seen);
      expect(seen ?? new PoolModel().seen(now), `after step ${step}`).toEqual(model.seen(now));
    }
  }

  await fc.assert(fc.asyncProperty(anyPlans, compare), { numRuns, seed: SEED });
  await store.close();
}

test.each(subjects(folder))("whatever happens, $name does what the model of a pool does", (store) =>
  compareHistories(store, 300),
);

test.each(subjects(folder))(
  "whatever happens, no amount in $name is below zero [NothingBelowZero]",
  (store) =>
    compareHistories(store, 100, ({ settled, held }) => {
      const amounts = [...Object.values(settled), ...Object.values(held)];
      expect(amounts.filter((amount) => amount < 0)).toEqual([]);
    }),
);

test.each(subjects(folder))(
  "whatever happens, in $name only those hold something who are present [OnlyThePresentHold]",
  (store) =>
    compareHistories(store, 100, ({ members }) => {
      const absent = members.filter(({ isPresent }) => !isPresent);
      expect(absent.filter(({ holds }) => Object.keys(holds).length > 0)).toEqual([]);
    }),
);

function takeOf(
  { member, request, isThawed }: Plan & { kind: "request" },
  last: { turn: number } | undefined,
  model: PoolModel,
): Act & { kind: "take" } {
  const since = model.frozenSince();
  const thawed = isThawed && since !== undefined ? { thawed: since } : {};
  return { kind: "take", member, turn: (last?.turn ?? 0) + 1, request: { ...request, ...thawed } };
}
