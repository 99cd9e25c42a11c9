import { expect, test } from "vitest";
import { personsFiles } from "../../launch/launcher.ts";
import type { CommandError } from "../command-error.ts";
import { readRunOptions } from "./options.ts";

function read(...args: string[]) {
  return readRunOptions(args, { TURN_LIMIT_STORE: "pools.sqlite" }, personsFiles("/project", "/home/ada"));
}

/** What a person is told about what was typed. */
function refusal(...args: string[]): string {
  try {
    read(...args);
  } catch (error) {
    expect((error as CommandError).exitCode).toBe(2);
    return (error as CommandError).message;
  }
  throw new Error("It was accepted.");
}

test("what is not given has its default", () => {
  expect(read("--max-turns", "25", "--", "claude", "-p", "fix it")).toMatchObject({
    line: ["claude", "-p", "fix it"],
    args: ["-p", "fix it"],
    limits: [{ measure: "turns", max: 25 }],
    pool: undefined,
    store: "pools.sqlite",
    atLimit: "ask",
    nobody: "stop",
    wrapUp: 0,
    unpriced: "tokens",
    price: undefined,
    ask: undefined,
    hold: undefined,
    profile: { id: "claude-code" },
    routes: {},
    json: false,
  });
});

test("everything after the command is the agent's, with or without --", () => {
  for (const separator of [["--"], []])
    expect(
      read("--max-requests=5", ...separator, "python", "a.py", "--max-turns", "x", "--", "--help"),
    ).toMatchObject({ line: ["python", "a.py", "--max-turns", "x", "--", "--help"] });
});

test("limits are for the run or for a period, several with commas or one by one", () => {
  const limits = (...args: string[]) => read(...args, "agent")?.limits;
  expect(
    limits("--max-cost", "$5, $20 per day", "--max-tokens", "2m PER week", "--max-cost=$90 per month"),
  ).toEqual([
    { measure: "tokens", max: 2_000_000, per: "week" },
    { measure: "cost", max: 5 },
    { measure: "cost", max: 20, per: "day" },
    { measure: "cost", max: 90, per: "month" },
  ]);
  expect(limits("--max-time", "1h30m", "--max-requests", "unlimited")).toEqual([
    { measure: "requests", max: "unlimited" },
    { measure: "time", max: 5_400_000 },
  ]);
});

test("a profile is known by the command, or named, or not wanted", () => {
  const profile = (...args: string[]) => read("--max-requests", "5", ...args)?.profile?.id;
  expect(profile("/usr/local/bin/codex", "exec", "x")).toBe("codex");
  expect(profile("my-agent")).toBeUndefined();
  expect(profile("--profile", "opencode", "my-agent")).toBe("opencode");
  expect(profile("--profile", "none", "claude")).toBeUndefined();
  // It has to be pointed at the gateway all the same.
  expect(read("--max-requests", "5", "--profile", "none", "claude")?.launcher.name).toBe("Claude Code");
});

test("what another program needs to start an agent is not taken for the agent's arguments", () => {
  const line = (...args: string[]) => read("--max-requests", "5", ...args);
  expect(line("npx", "-y", "codex", "exec", "x")).toMatchObject({
    profile: { id: "codex" },
    args: ["exec", "x"],
    isNamed: true,
  });
  expect(line("--profile", "codex", "node", "--no-warnings", "cli.js", "exec", "x")).toMatchObject({
    args: ["exec", "x"],
    isNamed: false,
  });
});

test("routes are variables with the address of a provider", () => {
  expect(
    read(
      "--max-requests",
      "5",
      "--route",
      "A=https://a.example/v1",
      "--route=B_2=http://127.0.0.1:1",
      "agent",
    )?.routes,
  ).toEqual({ A: "https://a.example/v1", B_2: "http://127.0.0.1:1" });
});

const ONE = ["--max-requests", "5"];

test.each<[string[], string]>([
  [[], "COMMAND is missing. Use turn-limit run [OPTIONS] -- COMMAND [ARGS]."],
  [[...ONE, "--"], "COMMAND is missing."],
  [["claude", "--max-turns", "5"], "No limit is given. Use --max-turns, --max-requests,"],
  [["--max-turn", "5", "claude"], '"--max-turn" is not an option. Did you mean --max-turns?'],
  [["--max-turns", "--", "claude"], "--max-turns needs a value"],
  [
    ["--max-turns", "-5", "claude"],
    'Invalid turn limit from --max-turns. "-5" is below 0. Use 0 or more, or unlimited.',
  ],
  [
    ["--max-cost", "5 per year", "a"],
    'Invalid cost limit from --max-cost. "year" is not a period. Use day, week or month.',
  ],
  [
    ["--max-cost", "$5 stop", "a"],
    'Invalid cost limit from --max-cost. After $5, use per and a period, not "stop".',
  ],
  [
    ["--max-cost", "$5", "--max-cost", "$6", "a"],
    '"$5, $6" from --max-cost has two limits for the run. Use one.',
  ],
  [["--max-cost", "$5/day", "a"], 'Invalid cost limit from --max-cost. Write $5 per day, not "$5/day".'],
  [
    ["--max-cost", "$5 per day stop", "a"],
    'from --max-cost. After $5 per day nothing can follow: leave out "stop".',
  ],
  [["--max-tokens", "1,000,000", "a"], '. "1,000,000" has commas: write 1000000.'],
  [["--max-time", "10", "a"], 'Invalid time limit from --max-time. "10" needs a unit: 10s, 10m or 10h.'],
  [[...ONE, "--at-limit", "maybe", "claude"], '"maybe" from --at-limit is not known. Use ask, stop, answer.'],
  [[...ONE, "--nobody", "ask", "claude"], '"ask" from --nobody is not known. Use stop, answer.'],
  ...["m", "=1/2", "m=1", "m=1/x", "m=1/2/3/4/5", "m=-1/2"].map((given): [string[], string] => [
    [...ONE, "--price", given, "a"],
    `${JSON.stringify(given)} from --price is not the price of a model. Use MODEL=IN/OUT in dollars per million tokens, such as my-model=1.25/10;`,
  ]),
  [[...ONE, "--unpriced", "no", "a"], '"no" from --unpriced is not known. Use warn, stop, tokens.'],
  [[...ONE, "--hold", "0s", "claude"], '"0s" from --hold is not a time to wait.'],
  [[...ONE, "--wrap-up", "3", "claude"], "--wrap-up 3 needs the turn limit of this run: --max-turns N"],
  [["--max-turns", "5", "--wrap-up", "0", "claude"], '"0" from --wrap-up is not a number of turns.'],
  [["--max-turns", "5", "--wrap-up", "5", "claude"], "--wrap-up 5 leaves no turn of --max-turns 5."],
  [[...ONE, "--profile", "codx", "a"], '"codx" is not a profile. Did you mean codex?'],
  [[...ONE, "--route", "https://a.example", "a"], '"https://a.example" from --route is not a variable with'],
  [[...ONE, "--route", "A=ftp://a.example", "a"], '"A=ftp://a.example" from --route is not'],
  [[...ONE, "--route", "A=ftp://me:secret@a.example", "a"], '"A=ftp://…@a.example" from --route is not'],
  [[...ONE, "--pool", "a@b", "a"], '"a@b" from --pool is not the name of a pool.'],
  [
    ["--pool", "night", "--max-cost", "$5, $9 per day", "a"],
    "The limits of --pool night hold for different times.",
  ],
  [[...ONE, "--store", "http://a", "a"], '"http://a" from --store is not a store.'],
  [["--max-turns", "5", "python"], "--max-turns 5 works for agents with a profile: Claude Code,"],
  [[...ONE, "--ask", "phone", "python"], "--ask works for agents with a profile"],
  [[...ONE, "--at-limit", "answer", "python"], "--at-limit answer works for agents with a profile"],
])("%j is refused: %s", (args, message) => {
  expect(refusal(...args)).toContain(message);
});
