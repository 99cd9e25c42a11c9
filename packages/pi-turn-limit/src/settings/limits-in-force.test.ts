import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { expect, test } from "vitest";
import { limitCalled } from "../../test/helpers/named.ts";
import { type Limited, LimitsInForce } from "./limits-in-force.ts";
import type { Configuration } from "./sources.ts";

const unset = { value: undefined, source: "" };

/** Limits in a session whose flag says this about the cost, and what was last applied of them. */
function inSession(flag: string) {
  const entries: object[] = [];
  const pi = {
    appendEntry: (customType: string, data: unknown) =>
      void entries.push({ type: "custom", customType, data: JSON.parse(JSON.stringify(data)) }),
  } as unknown as ExtensionAPI;
  const ctx = { hasUI: true, sessionManager: { getBranch: () => entries } } as unknown as ExtensionContext;
  const file = { path: "none.json", values: {}, problems: [] };
  const configuration: Configuration = {
    flag: (name) => (name === "max-cost" ? flag : undefined),
    env: () => undefined,
    project: file,
    user: file,
    projectMayRaise: false,
    isListed: true,
    notify: { isSet: false, places: unset, on: unset },
  };
  let applied: unknown;
  const limits = new LimitsInForce(pi);
  const limited: Limited = {
    apply: ({ values, refused, periodLimits }) => {
      const perPeriod = periodLimits.map(({ name, max }) => `${max} ${name}`);
      applied = { cost: values.cost.max, keys: Object.keys(values).length, refused, perPeriod };
    },
  };
  limits.configure(limited, ctx, configuration);
  return { limits, recall: () => limits.recall(ctx), applied: () => applied };
}

test("the limits of periods are applied beside those of a prompt, and a command sets one of them", () => {
  const { limits, recall, applied } = inSession("$2, $20 per day");
  const before = { cost: 2, keys: 10, refused: [], perPeriod: ["20 cost per day"] };
  expect(applied()).toEqual(before);
  limits.choose({ "cost per day": { max: 30 }, "turns per session": { max: 100 } });
  const after = { ...before, perPeriod: ["100 turns per session", "30 cost per day"] };
  expect(applied()).toEqual(after);
  recall();
  expect(applied()).toEqual(after);
  expect(limits.sourceOf(["cost per day", "max"])).toBe("/limits in this session");
  limits.takeBack(limitCalled("cost"));
  expect(applied()).toEqual(after);
  limits.takeBack(limitCalled("cost per day"));
  limits.choose({ "turns per session": { max: "unlimited" } });
  expect(applied()).toEqual(before);
});

test("a command settles a bad limit of a period by setting that one, or any if the period is not known", () => {
  const bad = inSession("lots per day");
  const perDay = { source: "--max-cost (per day)", command: "/cost-limit $5 per day" };
  expect(bad.applied()).toMatchObject({ refused: [perDay], perPeriod: [] });
  expect(bad.limits.sourceOf(["cost per day", "max"])).toBe("--max-cost (per day) was refused");
  bad.limits.choose({ cost: { max: 5 } });
  expect(bad.applied()).toMatchObject({ refused: [perDay] });
  bad.limits.choose({ "cost per day": { max: 5 } });
  expect(bad.applied()).toMatchObject({ refused: [], perPeriod: ["5 cost per day"] });

  const unclear = inSession("$1 per decade, $2 per century");
  expect(unclear.applied()).toMatchObject({ refused: [{ source: "--max-cost", command: "/cost-limit $5" }] });
  unclear.limits.choose({ "cost per week": { max: 5 } });
  expect(unclear.applied()).toMatchObject({ refused: [] });
});
