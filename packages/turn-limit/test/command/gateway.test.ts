import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { ScriptedProvider } from "@turn-limit/rig";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Devices, devicesFolder } from "../../src/command/dashboard/devices.ts";
import { sqliteStore } from "../../src/pools/stores/sqlite/index.ts";
import { startEndlessModel } from "./endless-model.ts";
import { readMetrics } from "./read-metrics.ts";

const BIN = join(import.meta.dirname, "..", "..", "dist", "command", "turn-limit.js");
const SECRET = "a-path-that-nobody-can-guess";

let folder: string;
let file: string;
let provider: ScriptedProvider;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "turn-limit-gateway-"));
  file = join(folder, "pools.sqlite");
  provider = await startEndlessModel();
});
afterEach(async () => {
  await provider.close();
  await rm(folder, { recursive: true, force: true });
});

function start(...args: string[]) {
  const env = { PATH: process.env.PATH, TZ: process.env.TZ, HOME: folder, TURN_LIMIT_GATEWAY_SECRET: SECRET };
  const child = spawn(process.execPath, [BIN, "gateway", "--store", file, ...args], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let err = "";
  child.stderr.on("data", (data) => (err += data));
  const ended = once(child, "close").then(([code]) => ({ code, err }));
  return { child, ended };
}

/** The address that it prints for a variable. */
async function addressFor(variable: string, { child }: ReturnType<typeof start>): Promise<string> {
  for await (const line of createInterface(child.stdout))
    if (line.startsWith(`${variable}=`)) return line.slice(variable.length + 1);
  throw new Error("It has ended.");
}

function send(address: string, headers: Record<string, string>): Promise<Response> {
  const body = JSON.stringify({ model: "claude-sonnet-4-5", messages: [] });
  return fetch(`${address}/v1/messages`, { method: "POST", headers, body });
}

/** Stands before the provider, and adds the headers of a subscription to its answers, by the key of the request. */
async function startPlan(target: string, headersFor: (key: string) => Record<string, string>) {
  const server = createServer((incoming, response) => {
    const { method, url, headers } = incoming;
    const sent = request(new URL(url ?? "/", target), { method, headers }, (answer) => {
      const more = headersFor(String(headers["x-api-key"]));
      response.writeHead(answer.statusCode ?? 500, { ...answer.headers, ...more });
      answer.pipe(response);
    });
    sent.on("error", () => response.destroy());
    incoming.pipe(sent);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function ask(address: string, headers: Record<string, string>): Promise<number> {
  return send(address, headers).then(({ status }) => status);
}

test("each key has a budget of its own, until the pool admits more", async () => {
  const gateway = start("--max-requests", "2 per day", "--route", `MY_PROVIDER=${provider.address}`);
  const address = await addressFor("MY_PROVIDER", gateway);
  expect(address).toContain(`/${SECRET}/`);
  const [ada, bob] = [{ authorization: "Bearer sk-ada" }, { "x-api-key": "sk-bob" }];
  expect([await ask(address, ada), await ask(address, ada), await ask(address, ada)]).toEqual([
    200, 200, 402,
  ]);
  expect([await ask(address, bob), await ask(address, {})]).toEqual([200, 403]);
  expect(await ask(address, { ...ada, "x-api-key": "another" })).toBe(403);
  expect(provider.requests).toHaveLength(3);

  const name = `key ${createHash("sha256").update("sk-ada").digest("hex").slice(0, 12)} per day`;
  const refusal = await (await send(address, ada)).text();
  expect(refusal).toContain(`npx turn-limit pools extend '${name}' requests 10 --store <your store>`);
  expect(refusal).toMatch(/The limit starts over in (\d+h )?\d+(m|h)\. To allow more: /);
  expect(refusal).not.toContain(folder);
  expect(refusal).not.toContain("this run");

  const store = sqliteStore(file);
  const record = (await store.list()).find((record) => record.startsWith(`${name}@`)) as string;
  await store.change(record, { kind: "extend", measure: "requests", by: 1, key: "one more" });
  expect([await ask(address, ada), await ask(address, ada)]).toEqual([200, 402]);
  await store.close();

  gateway.child.kill("SIGTERM");
  expect(await gateway.ended).toEqual({ code: 0, err: "" });
  for (const name of await readdir(folder))
    expect((await readFile(join(folder, name))).includes("sk-ada")).toBe(false);
});

test("each value of a header has a budget of its own", async () => {
  const per = ["--per", "header:X-Team", "--max-tokens", "1k"];
  const gateway = start(...per, "--route", `MY_PROVIDER=${provider.address}`);
  const address = await addressFor("MY_PROVIDER", gateway);
  const as = (team: string) => ask(address, { "x-team": team });
  expect([await as("a@b.example"), await as("a@b.example"), await as("other")]).toEqual([200, 402, 200]);
  gateway.child.kill("SIGINT");
  expect(await gateway.ended).toEqual({ code: 0, err: "" });
});

test("a gateway that is started again with other limits holds everybody to these, and to what they used before", async () => {
  const statuses: number[][] = [];
  for (const limit of ["2 per day", "4 per day", "3 per day", "5 per day"]) {
    const gateway = start("--max-requests", limit, "--route", `MY_PROVIDER=${provider.address}`);
    const address = await addressFor("MY_PROVIDER", gateway);
    const ada = { "x-api-key": "sk-ada" };
    statuses.push([await ask(address, ada), await ask(address, ada), await ask(address, ada)]);
    gateway.child.kill("SIGTERM");
    expect(await gateway.ended).toEqual({ code: 0, err: "" });
  }
  expect(statuses).toEqual([
    [200, 200, 402],
    [200, 200, 402],
    [402, 402, 402],
    [200, 402, 402],
  ]);
  expect(provider.requests).toHaveLength(5);
});

test("who runs it reads that the store cannot be used, and clients are not told where it is", async () => {
  const gateway = start("--max-requests", "9 per day", "--route", `MY_PROVIDER=${provider.address}`);
  const address = await addressFor("MY_PROVIDER", gateway);
  const ada = { "x-api-key": "sk-ada" };
  await rm(folder, { recursive: true });
  const first = await send(address, ada);
  expect([first.status, await ask(address, ada)]).toEqual([402, 402]);
  const refusal = await first.text();
  expect(refusal).toContain("The gateway cannot use its store of budgets, so requests are refused.");
  expect(refusal).not.toContain(folder);
  expect(provider.requests).toHaveLength(0);
  gateway.child.kill("SIGTERM");
  const { err } = await gateway.ended;
  expect(
    err.match(/^turn-limit: key \w+: The store .* cannot be used: .* Requests are refused .*$/gm),
  ).toHaveLength(1);
  expect(err).toContain(file);
});

const inAnHour = () => String(Math.round(Date.now() / 1_000) + 3_600);

test.each<[string, (used: number) => Record<string, string>]>([
  [
    "Anthropic",
    (used) => ({
      "anthropic-ratelimit-unified-5h-utilization": String(used / 100),
      "anthropic-ratelimit-unified-5h-reset": inAnHour(),
    }),
  ],
  [
    "Codex",
    (used) => ({
      "x-codex-primary-used-percent": String(used),
      "x-codex-primary-window-minutes": "300",
      "x-codex-primary-reset-at": inAnHour(),
    }),
  ],
])(
  "a window of a subscription holds whose it is, and nobody else, also after a restart: %s",
  async (_provider, headersAt) => {
    const answers = new Map<string, number>();
    await using plan = await startPlan(provider.address, (key) => {
      answers.set(key, (answers.get(key) ?? 0) + 1);
      return headersAt(20 + 20 * (answers.get(key) ?? 0));
    });
    const open = () => start("--max-plan", "5h 80%", "--route", `MY_PROVIDER=${plan.address}`);
    const [ada, bob] = [{ "x-api-key": "sk-ada" }, { "x-api-key": "sk-bob" }];
    const gateway = open();
    const address = await addressFor("MY_PROVIDER", gateway);
    const statuses: number[] = [];
    for (let n = 0; n < 4; n += 1) statuses.push(await ask(address, ada));
    // 40, 60 and 80 %.
    expect(statuses).toEqual([200, 200, 200, 402]);
    expect(await ask(address, bob)).toBe(200);
    expect(provider.requests).toHaveLength(4);
    const refusal = await (await send(address, ada)).text();
    expect(refusal).toContain("Plan limit per 5h reached (80%/80%)");
    const name = `key ${createHash("sha256").update("sk-ada").digest("hex").slice(0, 12)} subscription`;
    expect(refusal).toContain(`npx turn-limit pools extend '${name}' 'plan per 5h' '10%'`);
    gateway.child.kill("SIGTERM");
    expect(await gateway.ended).toEqual({ code: 0, err: "" });

    const again = open();
    const other = await addressFor("MY_PROVIDER", again);
    expect([await ask(other, ada), await ask(other, bob)]).toEqual([402, 200]);
    expect(provider.requests).toHaveLength(5);
    again.child.kill("SIGTERM");
    expect((await again.ended).code).toBe(0);
  },
);

test("who runs it reads once that the limit of a window cannot hold where no answer tells of it", async () => {
  const gateway = start("--max-plan", "5h 80%", "--route", `MY_PROVIDER=${provider.address}`);
  const address = await addressFor("MY_PROVIDER", gateway);
  const ada = { "x-api-key": "sk-ada" };
  expect([await ask(address, ada), await ask(address, ada)]).toEqual([200, 200]);
  gateway.child.kill("SIGTERM");
  const { err } = await gateway.ended;
  expect(err.match(/^turn-limit: key \w+: The limit of plan per 5h cannot hold: .*$/gm)).toHaveLength(1);
});

test("bad input ends it with 2, and nothing is made", async () => {
  const { code, err } = await start("--max-turns", "5").ended;
  expect(err).toContain('"--max-turns" is not an option.');
  expect(code).toBe(2);
  expect(await readdir(folder)).toEqual([]);
});

test("/metrics has the budgets for whoever has a token for it, and is no request of anybody", async () => {
  const gateway = start("--max-requests", "2 per day", "--route", `MY_PROVIDER=${provider.address}`);
  const address = await addressFor("MY_PROVIDER", gateway);
  const devices = new Devices(devicesFolder({ XDG_CONFIG_HOME: join(folder, ".config") }));
  const token = devices.addForMetrics("prometheus");
  const page = devices.pair(devices.newCode(), "phone") ?? "";
  const { origin } = new URL(address);
  const read = (secret: string, path = "/metrics") =>
    fetch(`${origin}${path}`, { headers: { authorization: `Bearer ${secret}` } });
  expect(await ask(address, { "x-api-key": "sk-1" })).toBe(200);
  const samples = readMetrics(await (await read(token)).text());
  const labels = { pool: expect.stringMatching(/^key [0-9a-f]{12}/), period: "day", limit: "requests" };
  expect(samples).toContainEqual({ name: "turn_limit_pool_used", labels, value: 1 });
  expect(samples).toContainEqual({ name: "turn_limit_pool_max", labels, value: 2 });
  expect(samples).toContainEqual({ name: "turn_limit_questions_open", labels: {}, value: 0 });
  for (const secret of ["", SECRET, "sk-1", page]) expect((await read(secret)).status).toBe(401);
  expect((await fetch(`${origin}/metrics`, { method: "POST" })).status).toBe(405);
  expect((await read(token, "/metrics/")).status).toBe(404);
  expect((await read(token, "/api/events")).status).toBe(404);
  expect(provider.requests).toHaveLength(1);
  gateway.child.kill();
  await gateway.ended;
});
