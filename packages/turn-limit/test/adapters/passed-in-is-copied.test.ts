import { request } from "node:http";
import { expect, test } from "vitest";
import { createGateway, type GatewayOptions } from "../../src/gateway/index.ts";
import { createGovernor, createPool, type GovernorSettings, type Pool } from "../../src/index.ts";
import type { AdapterOptions } from "../../src/run/options.ts";
import { Run } from "../../src/run/run.ts";
import type { Observed, ScriptedHost, SeenRequest } from "../../src/testing/scripted-host.ts";
import { recordingProvider } from "../gateway/recording-provider.ts";
import { host as aiSdk } from "../hosts/ai-sdk.ts";
import { host as claude } from "../hosts/claude-agent-sdk.ts";
import { host as langchain } from "../hosts/langchain.ts";
import { host as loop } from "../hosts/loop.ts";
import { host as mastra } from "../hosts/mastra.ts";
import { host as openai } from "../hosts/openai-agents.ts";
import { host as pi } from "../hosts/pi-agent-core.ts";

/** Replaces every value in it, however deep. What has a class, such as a pool, is only taken out of it. */
function changeAll(given: object): void {
  for (const [key, value] of Object.entries(given)) {
    if (Array.isArray(value) || (value && Object.getPrototypeOf(value) === Object.prototype))
      changeAll(value);
    const other = typeof value === "number" ? 77 : typeof value === "string" ? "changed" : changed;
    Reflect.set(given, key, other);
  }
  if (Array.isArray(given)) given.push(changed);
}

function changed(): never {
  throw new Error("what was changed is used");
}

const leave = () => {};
let pools = 0;

function newPool(options: object = {}): Pool {
  pools += 1;
  return createPool({ id: `copied ${pools}`, steps: { max: 5, onExhausted: "stop" }, ...options });
}

/** What happens in two runs, where the options are treated in this way during the first. */
async function twoRuns(host: ScriptedHost, treat: (given: object) => void) {
  const told: string[] = [];
  const limits: AdapterOptions = {
    turns: { max: 3, grace: 1, wrapUp: { message: "WRAP" }, onExhausted: "ask", headless: "stop" },
    tools: { [host.toolName ?? "work"]: { max: 2, onExhausted: "refuse" } },
    cost: { max: 50, unpriced: "warn" },
    limits: [
      { name: "much output", max: 9_999, used: ({ output }) => output },
      { anyOf: [{ name: "own turns", max: 9, used: ({ turns }) => turns, onExhausted: "stop" }] },
    ],
    synthesisMessage: "LAST",
    pool: [newPool()],
    ask: ({ limit }) => {
      told.push(`asked about ${limit}`);
      return false;
    },
    price: () => {
      told.push("priced");
      return 0.01;
    },
    onOutcome: ({ kind }) => void told.push(kind),
    onWarning: () => {},
  };
  const model = ({ index }: SeenRequest) => {
    if (index === 1) treat(limits);
    return { calls: 1 };
  };
  const seen = await host.play({ limits, model, prompts: 2 });
  return { ...summary(seen), told };
}

function summary({ requests, executed, outcomes, error }: Observed) {
  const wrapUps = requests.map(({ texts }) => texts.filter((text) => text.includes("WRAP")).length > 0);
  return {
    wrapUps,
    executed: executed.length,
    outcomes: outcomes.map((outcome) => outcome && { ...outcome, time: 0 }),
    error: error && String(error),
  };
}

test.each([aiSdk, claude, langchain, loop, mastra, openai, pi])(
  "$name: options that are changed afterwards change nothing",
  async (host) => {
    const expected = await twoRuns(host, leave);
    expect(expected.outcomes).toHaveLength(2);
    expect(expected.executed).toBe(4);
    expect(expected.wrapUps).toContain(true);
    expect(await twoRuns(host, changeAll)).toEqual(expected);
  },
);

const SETTINGS = (): GovernorSettings => ({
  turns: { max: 3, grace: 1, wrapUp: { message: "WRAP" } },
  tools: { work: { max: 2, headless: "refuse" } },
  tokens: { max: 100, reserve: 50 },
  repeats: { max: 2, headless: "stop" },
  limits: [{ allOf: [{ name: "own", max: 2, used: ({ steps }) => steps }] }],
  canAsk: false,
});

/** What a governor decides that is set up in this way. */
function decisions(treat: (given: object) => void, way: "made" | "configured" | "restored") {
  const settings = SETTINGS();
  const made = createGovernor(way === "configured" ? {} : settings);
  if (way === "configured") made.configure(settings);
  const state = made.state;
  const governor = way === "restored" ? createGovernor({ ...settings, state }) : made;
  treat(settings);
  treat(state);
  governor.prompt();
  const seen: unknown[] = [];
  for (let turn = 1; turn < 5; turn += 1) {
    seen.push(governor.beforeTurn());
    const call = { id: `${turn}`, tool: "work", args: { list: [1] } };
    seen.push(governor.beforeStep(call));
    treat(call);
    governor.stepEnded({ id: `${turn}`, result: "same" });
    const usage = { input: 10, output: 1 };
    governor.turnEnded({ usage });
    treat(usage);
  }
  return [...seen, governor.settled()];
}

test.each(["made", "configured", "restored"] as const)(
  "a governor that is %s: settings, state, calls and usage that are changed afterwards change nothing",
  (way) => expect(decisions(changeAll, way)).toEqual(decisions(leave, way)),
);

/** How many turns a run gets that draws from these pools, and what it is called. */
async function drawn(treat: (given: object) => void, way: "made" | "configured") {
  const options = { turns: { max: 2 }, tools: { work: 1 }, estimate: { tokens: 5 }, identity: { pool: "p" } };
  const pool = newPool(options);
  treat(options);
  const given = { pool: [pool] };
  const outcomes: unknown[] = [];
  const run = new Run({ ...(way === "made" && given), onOutcome: (_, { id }) => void outcomes.push(id) });
  if (way === "configured") run.configure(given);
  treat(given);
  const start = { id: "the run" };
  run.begin(start);
  treat(start);
  let turns = 0;
  for (let turn = await run.nextTurn(); turn.kind === "turn"; turn = await run.nextTurn()) {
    turns += 1;
    turn.answered();
    run.configure({ ...run.view.settings });
  }
  return { turns, limit: run.end()?.limit, outcomes, used: (await pool.read()).limits.length };
}

test.each(["made", "configured"] as const)(
  "a pool, and the pools of a run that are %s: what is changed afterwards changes nothing",
  async (way) => {
    const expected = await drawn(leave, way);
    expect(expected).toMatchObject({ turns: 2, outcomes: ["the run"] });
    expect(await drawn(changeAll, way)).toEqual(expected);
  },
);

/** What becomes of requests to a gateway whose options are treated in this way once it is open. */
async function statuses(treat: (given: object) => void) {
  const provider = await recordingProvider();
  const options: GatewayOptions = {
    requests: { max: 3, onExhausted: "stop" },
    pool: [newPool()],
    outside: { origin: "http://127.0.0.1:9", pools: [newPool({ requests: 2 })] },
    hosts: ["team.example:80"],
    env: {},
  };
  const gateway = await createGateway(options);
  treat(options);
  const { port, pathname } = new URL(gateway.addresses.to(provider.address));
  const headers = { host: "team.example:80", "content-type": "application/json" };
  const to = { host: "127.0.0.1", port, path: `${pathname}/v1/messages`, method: "POST", headers };
  const send = () =>
    new Promise((resolve, reject) => {
      request(to, (response) => resolve(response.resume().statusCode))
        .on("error", reject)
        .end(JSON.stringify({ model: "claude-sonnet-4-5", messages: [] }));
    });
  const seen = [await send(), await send(), await send(), await send()];
  await gateway.close();
  return { seen, received: provider.received.length };
}

test("a gateway: options that are changed afterwards change nothing", async () => {
  const expected = { seen: [200, 200, 402, 402], received: 2 };
  expect(await statuses(leave)).toEqual(expected);
  expect(await statuses(changeAll)).toEqual(expected);
});
