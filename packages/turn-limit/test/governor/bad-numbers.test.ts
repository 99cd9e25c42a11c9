import { expect, test } from "vitest";
import type { Usage } from "../../src/index.ts";
import { prompted, promptedAtZero, used, whyRefused } from "../helpers/runs.ts";

const NO_AMOUNTS = [-1, Number.NaN, Number.POSITIVE_INFINITY, "5", null];

test.each(
  NO_AMOUNTS.flatMap((amount) =>
    (["input", "output", "cacheRead", "cacheWrite", "cost"] as const).map((name) => ({ name, amount })),
  ),
)("usage with $amount for $name is refused, and nothing is counted [BadUsageRefused]", ({ name, amount }) => {
  const governor = prompted({ tokens: 10, cost: 1 });
  governor.beforeTurn();
  const before = governor.state;
  const usage = { input: 1, output: 1, cost: 0.5, [name]: amount } as Usage;
  expect(whyRefused(() => governor.turnEnded({ usage }))).toMatchObject({
    setting: `turnEnded.usage.${name}`,
    value: amount,
  });
  for (const activity of ["compaction", "nested"] as const)
    expect(whyRefused(() => governor.spend(activity, usage))).toMatchObject({ setting: `usage.${name}` });
  expect(governor.state).toEqual(before);
});

test.each([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, "5", null, undefined])(
  "a time of %s is refused, and no time is counted [BadTimeRefused]",
  (time) => {
    const governor = promptedAtZero({ time: 10, canAsk: true });
    governor.beforeTurn();
    governor.timeIs(4);
    const before = governor.state;
    expect(whyRefused(() => governor.timeIs(time as number))).toMatchObject({ setting: "time", value: time });
    expect(governor.state).toEqual(before);
    governor.timeIs(9);
    expect([used(governor, "time"), governor.view.timeLeft]).toEqual([9, 1]);
  },
);
