import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { browserAvailable, listenOnLoopback, openBrowser } from "@turn-limit/rig";
import { expect, onTestFinished, test } from "vitest";
import { Devices } from "../../src/command/dashboard/devices.ts";
import { createPool } from "../../src/pools/pool.ts";
import { sqliteStore } from "../../src/pools/stores/sqlite/index.ts";

const command = join(import.meta.dirname, "..", "..", "dist", "command", "turn-limit.js");

/** A site of somebody else, which a person visits with a browser that is paired. */
const EVIL = "evil.example";
/** A name of the attacker that leads to the dashboard: DNS rebinding. */
const REBOUND = "rebound.example";

/** What the attacker's page does. Each promise is what it got. */
const ATTACKS = `
  const tried = {};
  const record = (name, attempt) => Promise.race([attempt, new Promise((over) => setTimeout(over, 60_000, "nothing"))])
    .then((got) => (tried[name] = got), () => (tried[name] = "refused"));
  const body = JSON.stringify({ action: "freeze", pool: "research", words: [] });
  const send = (path, init) => fetch(target + path, init).then(async (r) => r.type === "opaque" ? "opaque" : r.status + " " + await r.text());
  const frame = () => new Promise((loaded) => {
    const made = document.createElement("iframe");
    made.onload = () => { try { loaded(made.contentDocument ? "read" : "foreign"); } catch { loaded("foreign"); } };
    made.src = target + "/";
    document.body.append(made);
  });
  const form = () => new Promise((sent) => {
    const made = document.createElement("form");
    const input = document.createElement("input");
    Object.assign(made, { action: target + "/api/act", method: "POST", enctype: "text/plain", target: "hole" });
    Object.assign(input, { name: body.slice(0, -1) + ',"x":"', value: '"}' });
    const hole = Object.assign(document.createElement("iframe"), { name: "hole" });
    document.body.append(hole);
    hole.onload = () => sent("sent");
    made.append(input);
    document.body.append(made);
    made.submit();
  });
  await record("reads", send("/api/events"));
  await record("reads with a secret", send("/api/events", { headers: { authorization: "Bearer x.y" } }));
  await record("acts", send("/api/act", { method: "POST", headers: { "content-type": "application/json" }, body }));
  await record("acts blindly", send("/api/act", { method: "POST", mode: "no-cors", headers: { "content-type": "text/plain" }, body }));
  await record("acts with cookies", send("/api/act", { method: "POST", mode: "no-cors", credentials: "include", body }));
  await record("pairs", send("/api/pair", { method: "POST", mode: "no-cors", body: JSON.stringify({ code, name: "evil" }) }));
  await record("frames", frame());
  await record("submits", form());
  await record("loads as a script", new Promise((loaded) => {
    const made = document.createElement("script");
    Object.assign(made, { src: target + "/app.js", onload: () => loaded("ran"), onerror: () => loaded("refused") });
    document.body.append(made);
  }));
  return tried;
`;

test.skipIf(!browserAvailable)(
  "what another site makes a paired browser do reads nothing, does nothing and pairs nothing",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "attacked-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const file = join(folder, "pools.sqlite");
    const store = sqliteStore(file);
    onTestFinished(() => store.close());
    const pool = createPool({ id: "research", turns: 25, store });
    await pool.unfreeze();
    const devices = new Devices(join(folder, "turn-limit"));
    const served = spawn(process.execPath, [command, "dashboard", "--store", file, "--port", "0"], {
      ...{ env: { ...process.env, XDG_CONFIG_HOME: folder }, stdio: ["ignore", "pipe", "inherit"] },
    });
    onTestFinished(async () => {
      const over = once(served, "exit");
      served.kill("SIGTERM");
      await over;
    });
    let said = "";
    served.stdout?.setEncoding("utf8").on("data", (chunk) => {
      said += chunk;
    });
    await expect.poll(() => said).toMatch(/open \S+,/);
    const { origin, port } = new URL(/open (\S+),/.exec(said)?.[1] ?? "");
    const evil = createServer((_, response) => response.setHeader("content-type", "text/html").end("<body>"));
    const listening = await listenOnLoopback(evil);
    onTestFinished(() => listening.close());

    await using browser = await openBrowser(EVIL, REBOUND);
    const page = await browser.pair(`${origin}/#${devices.newCode()}`);
    await page.getByRole("heading", { name: "research" }).waitFor();
    const attack = (target: string) =>
      page.evaluate(
        `(async () => { const target = ${JSON.stringify(target)}, code = ${JSON.stringify(devices.newCode())};${ATTACKS}})()`,
      );

    // Another site, another name of this machine, and another port of the same name: what is kept is the same browser's.
    for (const site of [EVIL, "localhost", "127.0.0.1"]) {
      await page.goto(`http://${site}:${listening.port}/`);
      expect([site, await attack(origin)]).toEqual([
        site,
        {
          ...{ reads: "refused", "reads with a secret": "refused", acts: "refused" },
          ...{ "acts blindly": "refused", "acts with cookies": "refused", pairs: "refused" },
          ...{ frames: "foreign", submits: "sent", "loads as a script": "refused" },
        },
      ]);
      // What is framed is the browser's own page about that. The browser tells of it after the attacker heard.
      const frames = () => page.frames().map((frame) => frame.url());
      await expect.poll(frames).toContain("chrome-error://chromewebdata/");
      expect(frames().filter((url) => url.startsWith(origin))).toEqual([]);
    }

    // A name that leads here is not ours, though the page is then of the same origin as what it asks.
    const shown = await page.goto(`http://${REBOUND}:${port}/`);
    expect(shown?.status()).toBe(403);
    const rebound = (await attack(`http://${REBOUND}:${port}`)) as Record<string, string>;
    for (const name of ["reads", "acts", "acts blindly", "pairs"])
      expect([name, rebound[name]]).toEqual([name, expect.stringMatching(/^403 /)]);

    expect((await pool.read()).frozen).toBeUndefined();
    expect(devices.list()).toHaveLength(1);
    // Nothing that it kept for another address is there.
    expect(await page.evaluate("localStorage.length")).toBe(0);
  },
);
