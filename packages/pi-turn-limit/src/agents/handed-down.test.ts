import { expect, test } from "vitest";
import { type HandedDown, readHandedDown, writeHandedDown } from "./handed-down.ts";

const handed: HandedDown = {
  store: "/home/some@one/turn-limit.sqlite",
  prompts: [
    {
      pool: "prompt 1",
      isOpen: true,
      tokens: { max: "unlimited", cacheReads: false, cacheWrites: true },
      cost: { max: 0.05, unpriced: "warn" },
      time: { max: 60_000 },
    },
  ],
  periods: [
    { kind: "turns", per: "session", max: 10, session: "7" },
    { kind: "cost", per: "day", max: 20, unpriced: "stop", waits: true },
  ],
  plan: [
    { window: "5h", max: 80 },
    { window: "7d", max: 50, waits: true },
  ],
  ask: { pool: "questions 7", pid: 123 },
};

test("what is handed down arrives as it was", () => {
  expect(readHandedDown(writeHandedDown(handed))).toEqual(handed);
});

const [prompt] = handed.prompts;

test.for<[string, unknown]>([
  ["no JSON", undefined],
  ["another version", { ...handed, version: 2 }],
  ["no version", handed],
  ["no store", { ...handed, version: 1, store: "" }],
  ["no list of prompts", { ...handed, version: 1, prompts: {} }],
  ["a prompt without a limit of cost", { ...handed, version: 1, prompts: [{ ...prompt, cost: undefined }] }],
  ["a maximum below 0", { ...handed, version: 1, prompts: [{ ...prompt, time: { max: -1 } }] }],
  [
    "a maximum that is a text",
    { ...handed, version: 1, prompts: [{ ...prompt, cost: { max: "5", unpriced: "warn" } }] },
  ],
  ["a pool that cannot be one", { ...handed, version: 1, prompts: [{ ...prompt, pool: "a@b" }] }],
  ["no list of periods", { ...handed, version: 1, periods: undefined }],
  ["an unknown kind", { ...handed, version: 1, periods: [{ kind: "money", per: "day", max: 1 }] }],
  [
    "a session that is waited for",
    { ...handed, version: 1, periods: [{ kind: "cost", per: "session", session: "7", max: 1, waits: true }] },
  ],
  ["a window that is none", { ...handed, version: 1, plan: [{ window: "day", max: 1 }] }],
  ["an unknown period", { ...handed, version: 1, periods: [{ kind: "cost", per: "year", max: 1 }] }],
  [
    "a session without its name",
    { ...handed, version: 1, periods: [{ kind: "turns", per: "session", max: 1 }] },
  ],
  ["a part of a turn", { ...handed, version: 1, periods: [{ kind: "turns", per: "day", max: 2.5 }] }],
  [
    "a part of a token",
    { ...handed, version: 1, prompts: [{ ...prompt, tokens: { ...prompt?.tokens, max: 2.5 } }] },
  ],
  [
    "what another kind has",
    { ...handed, version: 1, periods: [{ kind: "turns", per: "day", max: 2, unpriced: "stop" }] },
  ],
  ["a prompt that is there twice", { ...handed, version: 1, prompts: [prompt, prompt] }],
  [
    "the pool of a period for a prompt",
    { ...handed, version: 1, prompts: [{ ...prompt, pool: "session 7" }] },
  ],
  [
    "a limit that is there twice",
    {
      ...handed,
      version: 1,
      periods: [
        { kind: "turns", per: "day", max: 2 },
        { kind: "turns", per: "day", max: 9 },
      ],
    },
  ],
  ["no process that asks", { ...handed, version: 1, ask: { pool: "questions 7" } }],
])("%s cannot be used", ([, value]) => {
  expect(readHandedDown(value === undefined ? "{" : JSON.stringify(value))).toBeUndefined();
});
