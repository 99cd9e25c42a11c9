import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { Devices } from "../../src/command/dashboard/devices.ts";
import { metricsText } from "../../src/command/dashboard/metrics-text.ts";
import { readPlace } from "../../src/command/dashboard/place.ts";
import { serveDashboard } from "../../src/command/dashboard/server.ts";
import { memoryStore } from "../../src/pools/stores/memory.ts";
import { shell } from "./a-shell.ts";
import { ask, fill, listRun } from "./a-store.ts";
import { readMetrics } from "./read-metrics.ts";

/** A dashboard, a token for its metrics, and what is read with one. */
async function scene() {
  const folder = mkdtempSync(join(tmpdir(), "metrics-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const store = memoryStore();
  await fill(store);
  const { run } = shell(store, { env: { XDG_CONFIG_HOME: folder } });
  const devices = new Devices(join(folder, "turn-limit"));
  const dashboard = await serveDashboard(store, devices, readPlace({ port: "0" }));
  onTestFinished(() => dashboard.close());
  const get = (secret: string, path = "/metrics") =>
    fetch(`${dashboard.address}${path}`, { headers: { authorization: `Bearer ${secret}` } });
  const { token } = JSON.parse((await run("devices", "add", "--metrics", "prometheus", "--json")).out);
  const read = async () => readMetrics(await (await get(token)).text());
  const pair = () => devices.pair(devices.newCode(), "phone") as string;
  const act = (action: string, pool: string, words: string[]) =>
    fetch(`${dashboard.address}/api/act`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${phone}` },
      body: JSON.stringify({ action, pool, words }),
    });
  const phone = pair();
  return { store, run, get, token, read, phone, act };
}

test("/metrics has pools, runs and questions as they stand, in Prometheus' format", async () => {
  const { store, read, get, token } = await scene();
  await ask(store, "q1");
  const record = await listRun(store);
  const samples = await read();
  expect(samples).toContainEqual({
    name: "turn_limit_pool_used",
    labels: { pool: "research", limit: "cost" },
    value: 1.42,
  });
  expect(samples).toContainEqual({
    name: "turn_limit_pool_max",
    labels: { pool: "research", limit: "tokens" },
    value: 2_000_000,
  });
  expect(samples).toContainEqual({
    name: "turn_limit_pool_used",
    labels: { pool: "daily", period: "day", limit: "tools.bash" },
    value: 3,
  });
  expect(samples).toContainEqual({ name: "turn_limit_questions_open", labels: {}, value: 1 });
  expect(samples).toContainEqual({
    name: "turn_limit_runs",
    labels: { agent: "Pi", state: "working" },
    value: 1,
  });
  const response = await get(token);
  expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  expect(await response.text()).not.toContain(record.slice("run@".length));
});

test("decisions are counted from when the dashboard was started, each once", async () => {
  const { store, read, act } = await scene();
  await ask(store, "q1");
  const decisions = async () => (await read()).filter(({ name }) => name === "turn_limit_decisions_total");
  expect(await decisions()).toEqual([]);
  await act("answer", "research", ["q1", "$2"]);
  await act("freeze", "research", []);
  await act("freeze", "research", []);
  for (let again = 0; again < 2; again++)
    expect(await decisions()).toEqual([
      { name: "turn_limit_decisions_total", labels: { did: "answer", reply: "more" }, value: 1 },
      { name: "turn_limit_decisions_total", labels: { did: "freeze" }, value: 2 },
    ]);
});

test("/metrics needs a token of its own, which opens nothing else and is taken away like a device", async () => {
  const { run, get, token, phone } = await scene();
  for (const secret of ["", "x", phone]) expect((await get(secret)).status).toBe(401);
  expect((await get(token, "/api/events")).status).toBe(401);
  expect((await get(token)).status).toBe(200);
  expect((await run("devices")).out).toMatch(/prometheus +\S+ +metrics/);
  expect((await run("devices", "revoke", token.split(".")[0] ?? "")).code).toBe(0);
  expect((await get(token)).status).toBe(401);
  expect((await run("devices", "revoke", "--metrics", "x")).code).toBe(2);
});

test("names are escaped, whatever they are, and what is unlimited is infinite", () => {
  const pool = 'a\\"b"\n# TYPE {evil} \r\u2028 é';
  const text = metricsText([
    { name: "turn_limit_x", type: "gauge", help: "X.", samples: [{ labels: { pool }, value: Infinity }] },
  ]);
  expect(readMetrics(text)).toEqual([{ name: "turn_limit_x", labels: { pool }, value: Infinity }]);
});
