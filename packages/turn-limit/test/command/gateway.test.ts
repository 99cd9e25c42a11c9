import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { ScriptedProvider } from "@turn-limit/rig";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sqliteStore } from "../../src/pools/stores/sqlite/index.ts";
import { startEndlessModel } from "./endless-model.ts";

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
  const env = { PATH: process.env.PATH, HOME: folder, TURN_LIMIT_GATEWAY_SECRET: SECRET };
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

test("bad input ends it with 2, and nothing is made", async () => {
  const { code, err } = await start("--max-turns", "5").ended;
  expect(err).toContain('"--max-turns" is not an option.');
  expect(code).toBe(2);
  expect(await readdir(folder)).toEqual([]);
});
