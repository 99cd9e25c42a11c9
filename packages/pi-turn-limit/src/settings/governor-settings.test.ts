import { expect, test } from "vitest";
import type { LimitValues } from "../limits/pi-limits.ts";
import { governorSettings } from "./governor-settings.ts";
import { completed } from "./settings.ts";

const grace = () => 3;
const asks = { onExhausted: "ask", headless: "stop" };

const once = { extend: 0, extendBy: 0 };

test("the defaults: 25 turns and ask, everything else off, each with its policy", () => {
  expect(governorSettings(completed({}) as LimitValues, grace)).toEqual({
    turns: { max: 25, ...asks, ...once, grace: 0, wrapUp: { grace } },
    steps: { max: "unlimited", onExhausted: "raise", headless: "stop" },
    tokens: { max: "unlimited", ...asks, ...once, reserve: 0, cacheReads: false, cacheWrites: false },
    cost: { max: "unlimited", ...asks, ...once, reserve: 0, unpriced: "warn" },
    time: { max: "unlimited", ...asks, ...once },
    repeats: { max: "unlimited", ...asks },
    tools: {},
    limits: [],
  });
});

test("a limit of a tool has its policies: ask, and refuse where nobody can be asked", () => {
  const values = completed({ tools: { bash: { max: 5 }, write: { max: 2, headless: "stop" } } });
  expect(governorSettings(values as LimitValues, grace).tools).toEqual({
    bash: { max: 5, onExhausted: "ask", headless: "refuse" },
    write: { max: 2, onExhausted: "ask", headless: "stop" },
  });
});

test("a wrap-up message is handed over where there is one", () => {
  const values = completed({ turns: { message: "Land the plane." } });
  expect(governorSettings(values as LimitValues, grace).turns).toMatchObject({
    wrapUp: { message: "Land the plane.", grace },
  });
});
