import { expect, test } from "vitest";
import { readGatewayOptions } from "./gateway-options.ts";

const LIMIT = ["--max-cost", "$20 per day"];

type Headers = Record<string, string | string[]>;

/** Whose request it is with `--per`. */
function whose(...args: string[]) {
  const { whoseOf } = readGatewayOptions([...LIMIT, ...args], {}) ?? {};
  return (headers: Headers, query = "") => whoseOf?.(headers, new URLSearchParams(query));
}

test("a budget is for each key, wherever it is sent", () => {
  const ofKey = whose();
  const name = ofKey({ authorization: "Bearer sk-1" });
  expect(name).toMatch(/^key [0-9a-f]{12}$/);
  for (const header of ["x-api-key", "x-goog-api-key", "api-key"])
    expect(ofKey({ [header]: "sk-1" })).toBe(name);
  expect(ofKey({}, "?alt=sse&key=sk-1")).toBe(name);
  expect(ofKey({ authorization: "bearer  sk-1", "x-api-key": ["sk-1", "sk-1"] }, "?key=sk-1")).toBe(name);
  expect(ofKey({ "x-api-key": "sk-2" })).not.toBe(name);
});

test.each<[string, Headers, string?]>([
  ["has no key", { authorization: "Bearer", "x-api-key": "" }, "?key="],
  ["several keys", { "x-api-key": "sk-1", authorization: "Bearer junk" }],
  ["several keys", { "x-api-key": "sk-1", "api-key": "junk" }],
  ["several keys", { authorization: ["Bearer junk", "Bearer sk-1"] }],
  ["several keys", { "x-goog-api-key": "junk" }, "?key=sk-1"],
  ["several keys", {}, "?key=junk&%6bey=sk-1"],
  ["is not a key", { authorization: "Basic OnNrLTE=", "x-api-key": "sk-1" }],
])("nobody gets another budget with one more key: %s %j %j", (why, headers, query) => {
  expect(whose()(headers, query)).toEqual({ refused: expect.stringContaining(why) });
});

test("a budget is for each value of a header, and named after both", () => {
  const ofTeam = whose("--per", "header:X-Team");
  expect(ofTeam({ "x-team": " blue " })).toBe("x-team blue");
  expect(ofTeam({ "x-team": "a@b%" })).toBe("x-team a%40b%25");
  expect(ofTeam({ authorization: "Bearer sk-1" })).toEqual({
    refused: expect.stringContaining("no header x-team"),
  });
  expect(ofTeam({ "x-team": ["a", "b"] })).toEqual({ refused: expect.stringContaining("several headers") });
});

test("the path may be given, so that it stays the same", () => {
  expect(readGatewayOptions(LIMIT, { TURN_LIMIT_GATEWAY_SECRET: "s" })?.secret).toBe("s");
  expect(readGatewayOptions(LIMIT, {})?.secret).toBeUndefined();
});

test("an address that is set already is where requests go on to, unless a route says otherwise", () => {
  const env = { OPENAI_BASE_URL: "https://models.example/v1", GOOGLE_GEMINI_BASE_URL: "https://g.example" };
  const options = readGatewayOptions(
    [...LIMIT, "--route", "GOOGLE_GEMINI_BASE_URL=https://other.example"],
    env,
  );
  expect(options?.upstreams).toMatchObject({
    ANTHROPIC_BASE_URL: "https://api.anthropic.com",
    OPENAI_BASE_URL: "https://models.example/v1",
    GOOGLE_GEMINI_BASE_URL: "https://other.example",
  });
  expect(() => readGatewayOptions(LIMIT, { OPENAI_BASE_URL: "models" })).toThrow(
    '"models" from OPENAI_BASE_URL is not the base address of a provider.',
  );
});

test("windows of a subscription are limits enough", () => {
  expect(readGatewayOptions(["--max-plan", "5h 80%, 7d 50%"], {})).toMatchObject({
    limits: [],
    plan: [
      { window: "5h", max: 80 },
      { window: "7d", max: 50 },
    ],
  });
});

test.each([
  [[], "No limit is given."],
  [["--max-plan", "5h 80% wait"], "wait from --max-plan is not for a gateway"],
  [["--max-cost", "$20 per day wait"], "wait from --max-cost is not for a gateway"],
  [["--max-plan", "5h 0%"], "from --max-plan"],
  [["--max-time", "5m"], '"--max-time" is not an option.'],
  [[...LIMIT, "--per", "user"], '"user" from --per is not known. Use key, or header:NAME.'],
  [[...LIMIT, "--per", "header:"], '"header:" from --per is not known.'],
  [[...LIMIT, "--port", "70000"], '"70000" from --port is not a port. Use a number from 1 to 65535.'],
  [[...LIMIT, "claude"], '"claude" is one word too many.'],
])("%j is refused: %s", (args, message) => {
  expect(() => readGatewayOptions(args, {})).toThrow(message);
});
