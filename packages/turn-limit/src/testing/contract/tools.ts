import { strict as assert } from "node:assert";
import { assertOutcomes, type Contract, endsAt } from "./contract.ts";

/** The caller's tools stay what they are, and a call that a person denies is none. */
export function testTools({ play, where }: Contract): void {
  where("classTools")("a tool can be an object of a class, with private members", async () => {
    const tool = { classBased: true };
    const seen = await play({ limits: { turns: 5, steps: 5 }, model: endsAt(3), tool });
    assert.deepEqual(seen.executed, ["r1c1", "r2c1"]);
    assertOutcomes(seen, { kind: "completed", steps: 2 });
  });

  for (const classBased of [false, true]) {
    const kind = classBased ? "a tool of a class" : "a tool";
    where("approvals", ...(classBased ? (["classTools"] as const) : []))(
      `a call of ${kind} that must be approved runs only if it is`,
      async () => {
        const asked: string[] = [];
        const approve = (id: string) => {
          asked.push(id);
          return id !== "r1c1";
        };
        const limits = { turns: 5, steps: 5 };
        const seen = await play({ limits, model: endsAt(3), tool: { classBased, approve } });
        assert.deepEqual(asked, ["r1c1", "r2c1"]);
        assert.deepEqual(seen.executed, ["r2c1"]);
      },
    );
  }

  where("approvals", "steps")("a call that a person denies takes no step", async () => {
    const tool = { approve: (id: string) => id !== "r1c1" };
    const seen = await play({ limits: { turns: 5, steps: 1 }, model: endsAt(3), tool });
    assert.deepEqual(seen.executed, ["r2c1"]);
    assertOutcomes(seen, { kind: "completed", steps: 1 });
  });
}
