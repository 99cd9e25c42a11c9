import { describe, expect, test } from "vitest";
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

test("a limit of the run can be extended, so often and by so much", () => {
  const limits = (...args: string[]) => read(...args, "--", "claude").limits;
  expect(limits("--max-turns", "25 extend 3")).toEqual([{ measure: "turns", max: 25, extend: 3 }]);
  expect(limits("--max-turns", "25 extend 3 by 10")).toEqual([
    { measure: "turns", max: 25, extend: 3, extendBy: 10 },
  ]);
  expect(limits("--max-cost", "$5 EXTEND 2 BY $1.50, $20 per day")).toEqual([
    { measure: "cost", max: 5, extend: 2, extendBy: 1.5 },
    { measure: "cost", max: 20, per: "day" },
  ]);
  expect(limits("--max-time", "1h extend 1 by 10m")).toEqual([
    { measure: "time", max: 3_600_000, extend: 1, extendBy: 600_000 },
  ]);
  expect(read("--max-turns", "9 extend 1", "--progress", "npm test", "--", "claude").progress).toBe(
    "npm test",
  );
});

test.each([
  ["25 extend", "extend needs how often, a whole number of 1 or more."],
  ["25 extend 0", 'extend needs how often, a whole number of 1 or more, not "0".'],
  ["25 extend often", 'extend needs how often, a whole number of 1 or more, not "often".'],
  ["25 extend 3 by", "by needs a whole number above 0."],
  ["25 extend 3 by 0", 'by needs a whole number above 0, not "0".'],
  ["25 by 10", "by follows extend and how often, as in extend 3 by 10."],
  ["25 extend 3 stop", 'After 25 extend 3 nothing can follow: leave out "stop".'],
  ["25 per day extend 3", "A limit that others share is not extended by itself: leave out extend."],
  ["unlimited extend 3", "Nothing can follow unlimited."],
])("an extension that cannot be used is refused: %s", (text, why) => {
  expect(refusal("--max-turns", text, "--", "claude")).toBe(`Invalid turn limit from --max-turns. ${why}`);
});

test("a pool is not extended by itself, and a command for progress needs something to extend", () => {
  expect(refusal("--max-turns", "25 extend 3", "--pool", "night", "--", "claude")).toContain(
    "A limit that others share is not extended by itself",
  );
  expect(refusal("--max-turns", "25", "--progress", "npm test", "--", "claude")).toBe(
    "--progress npm test needs a limit that can be extended, such as --max-turns '25 extend 3'.",
  );
});

test("what is not given has its default", () => {
  expect(read("--max-turns", "25", "--", "claude", "-p", "fix it")).toMatchObject({
    line: ["claude", "-p", "fix it"],
    args: ["-p", "fix it"],
    limits: [{ measure: "turns", max: 25 }],
    pool: undefined,
    store: "pools.sqlite",
    atLimit: "ask",
    unanswered: "stop",
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

test("what was typed before the command is kept for a run that goes on, but for the store", () => {
  const { unanswered, typed } = read(
    ...["--max-turns", "25", "--store", "redis://:secret@host", "--price", "m=1/2", "--json"],
    ...["--unanswered", "park", "claude", "-p", "fix it"],
  );
  expect(unanswered).toBe("park");
  expect(typed).toEqual(["--max-turns=25", "--price=m=1/2", "--json", "--unanswered=park"]);
});

describe.each(["gemini", "qwen"])("%s, whose requests do not name their session,", (agent) => {
  const park = ["--max-turns", "2", "--unanswered", "park"];
  const ID = "0b0d3b2e-5f0c-4a51-9d3e-2f6a1c7b8e90";

  test("gets a name for it on the command line where it may be parked", () => {
    const { line, args, session } = read(...park, "timeout", "60", agent, "-y", "-p", "fix it", "--", "x");
    expect(session).toMatch(/^[0-9a-f]{8}-/);
    expect(args).toEqual(["--session-id", session, "-y", "-p", "fix it", "--", "x"]);
    expect(line).toEqual(["timeout", "60", agent, ...args]);
    expect(read("--max-turns", "2", agent, "-p", "x").session).toBeUndefined();
    expect(read("--max-turns", "2", agent, "-p", "x").args).toEqual(["-p", "x"]);
    expect(read("--max-cost", "$5 per day wait", agent, "-p", "x").session).toMatch(/^[0-9a-f]{8}-/);
  });

  test("keeps the name that the command line gives it", () => {
    for (const named of [
      ["--session-id", ID],
      ["--resume", ID],
      ["-r", ID],
    ])
      expect(read(...park, agent, ...named, "-p", "x")).toMatchObject({
        session: ID,
        line: [agent, ...named, "-p", "x"],
      });
  });

  test("is not started where its session has another name, or another program starts it", () => {
    for (const other of ["--resume", "--resume=latest", "-r"])
      expect(refusal(...park, agent, "-p", "x", other)).toContain("Use --resume with its UUID.");
    expect(refusal(...park, "bash", "-c", `${agent} -p x`)).toContain(`Start ${agent} itself.`);
  });
});

test("only what can go on later is parked", () => {
  const park = ["--max-turns", "2", "--unanswered", "park"];
  expect(refusal(...park, "--at-limit", "stop", "claude")).toContain("--at-limit stop asks none");
  expect(refusal(...park, "codex", "exec", "--ephemeral", "x")).toContain("--ephemeral keeps none");
  expect(refusal(...["--max-requests", "2", "--unanswered", "park"], "python", "a.py")).toContain(
    "--unanswered park works for agents with a profile",
  );
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
  [["claude"], '--max-plan, --max-repeats before the command "claude", or --pool with a pool'],
  [["--tell", "often", "--max-turns", "5", "--", "claude"], 'before the command "often"'],
  [["--max-turn", "5", "claude"], '"--max-turn" is not an option. Did you mean --max-turns?'],
  [["--max-turns", "--", "claude"], "--max-turns needs a value: --max-turns 25."],
  [["--max-cost", "--", "claude"], "--max-cost needs a value: --max-cost '$5'."],
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
    'Invalid cost limit from --max-cost. After $5, use per and a period, or extend and how often, not "stop".',
  ],
  [
    ["--max-cost", "$5", "--max-cost", "$6", "a"],
    '"$5, $6" from --max-cost has two limits for the run. Use one.',
  ],
  [["--max-turns", "p90 wait", "a"], "from --max-turns. A percentile is of what single runs took:"],
  [["--max-turns", "p90 up", "a"], 'After p90, use up to and a number, or extend and how often, not "up".'],
  [["--max-cost", "$5/day", "a"], 'Invalid cost limit from --max-cost. Write $5 per day, not "$5/day".'],
  [
    ["--max-cost", "$5 per day stop", "a"],
    'from --max-cost. After $5 per day only wait can follow, not "stop".',
  ],
  [["--max-tokens", "1,000,000", "a"], '. "1,000,000" has commas: write 1000000.'],
  [["--max-time", "10", "a"], 'Invalid time limit from --max-time. "10" needs a unit: 10s, 10m or 10h.'],
  [[...ONE, "--at-limit", "maybe", "claude"], '"maybe" from --at-limit is not known. Use ask, stop, answer.'],
  [
    [...ONE, "--unanswered", "ask", "claude"],
    '"ask" from --unanswered is not known. Use stop, answer, park.',
  ],
  ...["m", "=1/2", "m=1", "m=1/x", "m=1/2/3/4/5", "m=-1/2"].map((given): [string[], string] => [
    [...ONE, "--price", given, "a"],
    `${JSON.stringify(given)} from --price is not the price of a model. Use MODEL=IN/OUT in dollars per million tokens, such as my-model=1.25/10;`,
  ]),
  [[...ONE, "--unpriced", "no", "a"], '"no" from --unpriced is not known. Use warn, stop, tokens.'],
  [[...ONE, "--hold", "0s", "claude"], '"0s" from --hold is not a time to wait.'],
  [[...ONE, "--final-tool", "submit", "my-agent"], "--final-tool submit works for agents with a profile"],
  [[...ONE, "--wrap-up", "3", "claude"], "--wrap-up 3 needs the turn limit of this run: --max-turns N"],
  [["--max-turns", "5", "--wrap-up", "0", "claude"], '"0" from --wrap-up is not a number of turns.'],
  [["--max-turns", "5", "--wrap-up", "5", "claude"], "--wrap-up 5 leaves no turn of --max-turns 5."],
  [[...ONE, "--profile", "codx", "a"], '"codx" is not a profile. Did you mean codex?'],
  [[...ONE, "--route", "https://a.example", "a"], '"https://a.example" from --route is not a variable with'],
  [[...ONE, "--route", "PATH=http://127.0.0.1:1", "a"], "PATH from --route is no variable from which"],
  [[...ONE, "--route", "NODE_OPTIONS=http://127.0.0.1:1", "a"], "NODE_OPTIONS from --route is no variable"],
  [[...ONE, "--route", "https_proxy=http://127.0.0.1:1", "a"], "https_proxy from --route is no variable"],
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

test("windows of a subscription are limits, and each can be waited for", () => {
  expect(read("--max-plan", "5h 80%, 7d 50% wait", "--", "claude").plan).toEqual([
    { window: "5h", max: 80, waits: false },
    { window: "7d", max: 50, waits: true },
  ]);
  expect(read("--max-plan", "5h 12.5%", "--max-plan", "7d 100%", "--", "python").plan).toHaveLength(2);
});

test.each([
  ["80%", 'Use a window and per cent, such as 5h 80% or 7d 50% wait, not "80%".'],
  ["5h 80", 'Use a window and per cent, such as 5h 80% or 7d 50% wait, not "5h 80".'],
  ["5h 101%", 'Use a window and per cent, such as 5h 80% or 7d 50% wait, not "5h 101%".'],
  ["5h 0%", 'Use a window and per cent, such as 5h 80% or 7d 50% wait, not "5h 0%".'],
  ["0h 80%", 'Use a window and per cent, such as 5h 80% or 7d 50% wait, not "0h 80%".'],
  ["5h 80% stop", 'Use a window and per cent, such as 5h 80% or 7d 50% wait, not "5h 80% stop".'],
  ["5h 80%, 5h 90%", "It has two limits of 5h. Use one."],
])("a window that cannot be used is refused: %s", (text, why) => {
  expect(refusal("--max-plan", text, "--", "claude")).toBe(`Invalid plan limit from --max-plan. ${why}`);
});
