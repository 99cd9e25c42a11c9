import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { type ServerResponse, request as send } from "node:http";
import { connect, type Socket } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { Devices } from "../../src/command/dashboard/devices.ts";
import { History } from "../../src/command/dashboard/history.ts";
import { addressOf, originsOf, readPlace } from "../../src/command/dashboard/place.ts";
import { seenPool } from "../../src/command/dashboard/seen-pool.ts";
import { seenQuestion } from "../../src/command/dashboard/seen-question.ts";
import { serveDashboard } from "../../src/command/dashboard/server.ts";
import type { PoolView } from "../../src/command/pools/pool-view.ts";
import { readReply } from "../../src/command/question-and-reply.ts";
import type { Store } from "../../src/pools/ledger/store.ts";
import { memoryStore } from "../../src/pools/stores/memory.ts";
import { shell } from "./a-shell.ts";
import { ask, fill, listRun, readReplies } from "./a-store.ts";

let folder: string;
let devices: Devices;
let store: Store;
let now: number;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "devices-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  now = Date.now();
  devices = new Devices(folder, () => now);
  store = memoryStore();
  await fill(store);
});

interface Sent {
  method?: string;
  path: string;
  secret?: string;
  headers?: Record<string, string>;
  body?: unknown;
}

/** A dashboard, and how to send it what a browser would never send. */
async function opened(place = readPlace({ port: "0" }), silence?: number) {
  const dashboard = await serveDashboard(store, devices, place, undefined, silence);
  onTestFinished(() => dashboard.close());
  const { port } = new URL(dashboard.address);
  const request = ({ method = "GET", path, secret, headers = {}, body }: Sent) =>
    new Promise<{ status: number; body: string; headers: NodeJS.Dict<string | string[]> }>(
      (resolve, reject) => {
        const all = {
          host: `127.0.0.1:${port}`,
          ...(body !== undefined && { "content-type": "application/json" }),
          ...(secret !== undefined && { authorization: `Bearer ${secret}` }),
          ...headers,
        };
        const sent = send({ host: "127.0.0.1", port, method, path, headers: all }, (response) => {
          let text = "";
          response.setEncoding("utf8").on("data", (chunk) => {
            text += chunk;
          });
          response.on("end", () =>
            resolve({ status: response.statusCode ?? 0, body: text, headers: response.headers }),
          );
          response.on("error", reject);
        });
        sent.on("error", reject);
        sent.end(typeof body === "string" ? body : body === undefined ? undefined : JSON.stringify(body));
      },
    );
  const act = (secret: string, action: string, pool: string, words: string[]) =>
    request({ method: "POST", path: "/api/act", secret, body: { action, pool, words } });
  return { ...dashboard, port, request, act };
}

const paired = (name = "phone") => devices.pair(devices.newCode(), name) as string;

describe("a code", () => {
  test("pairs one device, once", () => {
    const code = devices.newCode();
    const secret = devices.pair(code, "phone");
    expect(devices.deviceOf(secret ?? "")).toMatchObject({ name: "phone" });
    expect(devices.pair(code, "another")).toBeUndefined();
    expect(devices.list()).toHaveLength(1);
  });

  test("can be typed in lower case and with a dash", () => {
    const code = devices.newCode().toLowerCase();
    expect(devices.pair(`${code.slice(0, 4)}-${code.slice(4)}`, "phone")).toBeDefined();
  });

  test("is good for five minutes", () => {
    const code = devices.newCode();
    now += 300_001;
    expect(devices.pair(code, "phone")).toBeUndefined();
  });

  test("is not good for longer when the clock is set back", () => {
    const code = devices.newCode();
    now -= 60_000;
    expect(devices.pair(code, "phone")).toBeUndefined();
  });

  test("that is wrong pairs nothing, and too many of them are not even tried", async () => {
    const { request } = await opened();
    const attempt = (code: string) =>
      request({ method: "POST", path: "/api/pair", body: { code, name: "x" } });
    for (let tries = 0; tries < 10; tries++) expect((await attempt("WRONG")).status).toBe(403);
    expect((await attempt(devices.newCode())).status).toBe(429);
    expect(devices.list()).toEqual([]);
  });

  test.each(["x-forwarded-for", "forwarded", "via"])(
    "that is wrong from elsewhere (%s) does not keep whoever is at this machine from pairing, nor the other way round",
    async (header) => {
      const { request } = await opened();
      const attempt = (code: string, isElsewhere: boolean) =>
        request({
          ...{ method: "POST", path: "/api/pair", body: { code, name: "x" } },
          ...(isElsewhere && { headers: { [header]: "203.0.113.7" } }),
        });
      for (let tries = 0; tries < 10; tries++) expect((await attempt("WRONG", true)).status).toBe(403);
      expect((await attempt(devices.newCode(), true)).status).toBe(429);
      expect((await attempt(devices.newCode(), false)).status).toBe(200);
      for (let tries = 0; tries < 10; tries++) expect((await attempt("WRONG", false)).status).toBe(403);
      expect((await attempt(devices.newCode(), false)).status).toBe(429);
    },
  );
});

describe("secrets", () => {
  test("are not kept: neither codes nor what devices show is in a file, and nobody else can read the folder", () => {
    const code = devices.newCode();
    const secret = paired();
    const files = readdirSync(folder, { recursive: true, withFileTypes: true });
    const content = files
      .map(
        (file) => file.name + (file.isFile() ? readFileSync(join(file.parentPath, file.name), "utf8") : ""),
      )
      .join("\n");
    expect(content).not.toContain(secret.split(".")[1]);
    expect(content).not.toContain(code);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    for (const file of files.filter((each) => each.isFile()))
      expect(statSync(join(file.parentPath, file.name)).mode & 0o077).toBe(0);
  });

  test("that are made up, of another device, or a path, open nothing", async () => {
    const [id] = paired().split(".");
    const other = paired("laptop").split(".")[1];
    const { request } = await opened();
    for (const secret of ["", "x", `${id}.`, `${id}.${other}`, "../devices/x.y", "00000000.x"])
      expect((await request({ path: "/api/events", secret })).status).toBe(401);
  });

  test("of a device that was revoked open nothing any more, and end what it was reading", async () => {
    const secret = paired();
    const { request, act } = await opened();
    const reading = request({ path: "/api/events", secret });
    expect((await act(secret, "freeze", "research", [])).status).toBe(200);
    expect(devices.revoke(secret.split(".")[0] ?? "")).toBe(true);
    expect((await act(secret, "unfreeze", "research", [])).status).toBe(401);
    expect((await reading).body).toContain('"revoked"');
  });
});

describe("a request", () => {
  test("under another name, or of another site, is refused, whatever secret it shows", async () => {
    const secret = paired();
    const { request, port } = await opened();
    const headers: Record<string, string>[] = [
      { host: "evil.example" },
      { host: `evil.example:${port}` },
      { host: "127.0.0.1:1" },
      { origin: "https://evil.example" },
      { origin: "null" },
      { origin: `https://127.0.0.1:${port}` },
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
    ];
    for (const each of headers)
      for (const path of ["/", "/api/events", "/api/act", "/api/pair"])
        expect((await request({ path, secret, headers: each })).status).toBe(403);
    expect((await request({ path: "/", headers: { origin: `http://localhost:${port}` } })).status).toBe(200);
  });

  test("that a link elsewhere leads to gets the page, which says nothing by itself, and nothing else", async () => {
    const secret = paired();
    const { request } = await opened();
    const clicked = { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };
    const opens = { ...clicked, "sec-fetch-dest": "document" };
    const statusOf = async (sent: Sent) => (await request({ secret, ...sent })).status;
    expect(await statusOf({ path: "/", headers: opens })).toBe(200);
    expect(await statusOf({ path: "/", headers: { ...clicked, "sec-fetch-dest": "iframe" } })).toBe(403);
    expect(await statusOf({ path: "/api/events", headers: opens })).toBe(403);
    const pairs = { method: "POST", path: "/api/pair", headers: opens, body: {} };
    expect(await statusOf(pairs)).toBe(403);
    expect(await statusOf({ path: "/", headers: { ...opens, origin: "https://evil.example" } })).toBe(403);
  });

  test("that acts is a POST of JSON that shows the secret", async () => {
    const secret = paired();
    const { request } = await opened();
    const body = { action: "freeze", pool: "research", words: [] };
    const post = { method: "POST", path: "/api/act" };
    expect((await request({ path: "/api/act", secret })).status).toBe(405);
    expect((await request({ ...post, body })).status).toBe(401);
    expect((await request({ ...post, secret, body, headers: { "content-type": "text/plain" } })).status).toBe(
      415,
    );
    expect((await request({ ...post, secret, body: "{" })).status).toBe(400);
    expect((await request({ ...post, secret, body: "x".repeat(20_000) })).status).toBe(413);
    for (const wrong of [
      {},
      { ...body, action: "constructor" },
      { ...body, words: "x" },
      { ...body, action: "extend" },
    ])
      expect((await request({ ...post, secret, body: wrong })).status).toBe(400);
    expect((await store.look("research")).totals?.state.frozen).toBeUndefined();
    expect((await request({ ...post, secret, body })).status).toBe(200);
    expect((await store.look("research")).totals?.state.frozen?.why).toBe("on phone");
  });

  test("is answered so that nothing is kept, framed, or loaded from elsewhere, and nobody else may read it", async () => {
    const { request } = await opened();
    for (const path of ["/", "/style.css", "/api/events", "/nothing"]) {
      const { headers } = await request({ path });
      expect(headers["content-security-policy"]).toContain("default-src 'none'");
      expect(headers["cache-control"]).toBe("no-store");
      expect(headers["x-frame-options"]).toBe("DENY");
      expect(Object.keys(headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
    }
  });

  test("for a file beside the page gets nothing", async () => {
    const { request } = await opened();
    for (const path of [
      "/../server.js",
      "/%2e%2e/server.js",
      "/page/index.html",
      "//app.js",
      "/app.js/../server.js",
    ])
      expect([401, 404]).toContain((await request({ path })).status);
  });
});

describe("who does not read", () => {
  interface Answer {
    readonly response: ServerResponse;
    readonly socket: Socket;
  }

  /** Sends this and reads nothing. Tells the answer of the server, and the connection, as the server has them. */
  async function deaf(port: string, text: string): Promise<Answer> {
    let answer: Answer | undefined;
    const began = (message: unknown) => {
      const begun = message as Answer;
      if (begun.socket.remotePort === viewer.localPort) answer = begun;
    };
    subscribe("http.server.request.start", began);
    onTestFinished(() => void unsubscribe("http.server.request.start", began));
    const viewer = connect(Number(port), "127.0.0.1").on("error", () => {});
    onTestFinished(() => void viewer.destroy());
    viewer.pause().write(text);
    await expect.poll(() => answer?.response.headersSent).toBe(true);
    return answer as Answer;
  }
  const head = (path: string, port: string, secret = "") =>
    `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${secret}\r\n\r\n`;

  test("is revoked all the same, and nobody else notices", { timeout: 60_000 }, async () => {
    const [lost, other] = [paired(), paired("laptop")];
    const { port, act, address } = await opened();
    const { response: answer } = await deaf(port, head("/api/events", port, lost));
    let changes = 0;
    const changed = async () => {
      changes += 1;
      await store.change("research", {
        ...{ kind: "freeze", why: `${changes} ${"x".repeat(400_000)}` },
        key: `${changes}`,
      });
      return answer.writableLength;
    };
    // As with a phone that is out of reach: what is sent to it piles up here.
    await expect.poll(changed, { timeout: 30_000 }).toBeGreaterThan(0);
    expect(devices.revoke(lost.split(".")[0] ?? "")).toBe(true);
    await expect.poll(() => answer.writableEnded, { timeout: 10_000 }).toBe(true);
    expect(answer.closed).toBe(false);

    const told = await fetch(`${address}/api/events`, { headers: { authorization: `Bearer ${other}` } });
    await changed();
    let beats = 0;
    for await (const chunk of (told.body as ReadableStream<Uint8Array>).pipeThrough(
      new TextDecoderStream(),
    )) {
      if (chunk.includes(": here") && ++beats === 2) break;
    }
    expect(await act(other, "unfreeze", "research", [])).toMatchObject({ status: 200 });
  });

  test("gets few answers on one connection, however much is asked at once", async () => {
    const { port } = await opened();
    const viewer = connect(Number(port), "127.0.0.1").on("error", () => {});
    onTestFinished(() => void viewer.destroy());
    viewer.write(head("/style.css", port).repeat(2_000));
    let read = "";
    for await (const chunk of viewer.setEncoding("latin1")) read += chunk;
    expect(read.split("HTTP/1.1 200").length - 1).toBe(50);
  });

  test("takes no place of those that are paired: of 100 connections of strangers the oldest is closed", async () => {
    const secret = paired();
    const { port, request, act } = await opened();
    const viewer = connect(Number(port), "127.0.0.1").on("error", () => {});
    onTestFinished(() => void viewer.destroy());
    viewer.write(head("/api/events", port, secret));
    await once(viewer, "data");
    const closed: number[] = [];
    for (let n = 0; n < 103; n += 1) {
      const stranger = connect(Number(port), "127.0.0.1").on("error", () => {});
      onTestFinished(() => void stranger.destroy());
      stranger.resume().once("close", () => closed.push(n));
      await once(stranger, "connect");
    }
    await expect.poll(() => closed).toEqual([0, 1, 2]);
    expect((await request({ path: "/" })).status).toBe(200);
    expect(await act(secret, "freeze", "research", [])).toMatchObject({ status: 200 });
    // The page that was open before them still is.
    await once(viewer, "data");
    expect(viewer.destroyed).toBe(false);
  });

  test("holds no connection for good", async () => {
    const { port } = await opened(undefined, 1_000);
    const { socket } = await deaf(port, head("/app.js", port).repeat(5_000));
    await expect.poll(() => socket.destroyed, { timeout: 20_000 }).toBe(true);
  });
});

test("what a device is called does nothing in a terminal, wherever it is shown", async () => {
  const { request, act } = await opened();
  const body = { code: devices.newCode(), name: "\x1b[2J\x1b]52;c;eA==\x07phone\r\n" };
  const { secret } = JSON.parse((await request({ method: "POST", path: "/api/pair", body })).body);
  expect(devices.list().map(({ name }) => name)).toEqual(["[2J ]52;c;eA== phone"]);
  await act(secret, "freeze", "research", []);
  expect((await store.grants()).map(({ where }) => where)).toEqual(["on [2J ]52;c;eA== phone"]);
  await act(secret, "freeze", "research", ["\x1b]0;late\x07\nvery"]);
  expect((await store.look("research")).totals?.state.frozen?.why).toBe(" ]0;late very");
  expect(devices.deviceOf(devices.pair(devices.newCode(), "\x07") ?? "")?.name).toBe(
    "a device without a name",
  );
});

test("a device whose file is damaged is not paired", async () => {
  const secret = paired();
  const file = join(folder, "devices", `${secret.split(".")[0]}.json`);
  const kept = JSON.parse(readFileSync(file, "utf8"));
  for (const hash of ["é".repeat(64), "", 5, null, kept.hash.slice(1)]) {
    writeFileSync(file, JSON.stringify({ ...kept, hash }));
    expect(devices.deviceOf(secret)).toBeUndefined();
  }
});

describe("what is done", () => {
  test("is what turn-limit pools does: a question is answered once, and who comes late is told", async () => {
    const [one, other] = [paired(), paired("laptop")];
    await ask(store, "q1");
    const { act } = await opened();
    const replies = await Promise.all([
      act(one, "answer", "research", ["q1", "yes"]),
      act(other, "answer", "research", ["q1", "no"]),
    ]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
    const isYes = replies[0]?.status === 200;
    expect((await store.look("research")).totals?.state.questions.q1?.reply).toBe(isYes);
    const late = await act(one, "answer", "research", ["q1", "unlimited"]);
    expect(late).toMatchObject({
      status: 409,
      body: expect.stringContaining("Too late: it was answered on "),
    });
  });

  test("is done to the record that is shown, whatever a run calls itself", async () => {
    const impostor = await listRun(store, "research");
    await ask(store, "q1");
    const { act } = await opened();
    const secret = paired();
    expect(await act(secret, "freeze", "research", [])).toMatchObject({ status: 200 });
    expect((await store.read("research"))?.state.frozen).toBeDefined();
    expect((await store.read(impostor))?.state.frozen).toBeUndefined();
    expect(await act(secret, "answer", "research", ["q1", "no"])).toMatchObject({ status: 200 });
    await store.delete(impostor);
    for (const gone of [impostor, "nothing", "daily", "daily@day"])
      expect(await act(secret, "unfreeze", gone, [])).toMatchObject({ status: 409 });
  });

  test("is refused in the words of the command where an amount is wrong", async () => {
    const { act } = await opened();
    const refused = await act(paired(), "extend", "research", ["cost", "-3"]);
    expect(refused).toMatchObject({ status: 400, body: expect.stringContaining("Use") });
    expect((await act(paired(), "extend", "research", ["cost", "$5"])).status).toBe(200);
    expect((await store.look("research")).totals?.state.extra.cost).toBe(5_000_000_000);
  });
});

test("a run is extended, frozen and stopped on it, and what was done says where [GrantIsKept]", async () => {
  const record = await listRun(store);
  const { act } = await opened();
  const secret = paired();
  expect(await act(secret, "extend", record, ["turns", "10"])).toMatchObject({ status: 200 });
  expect(await act(secret, "freeze", record, [])).toMatchObject({ status: 200 });
  expect((await store.read(record))?.state.frozen).toMatchObject({ why: "", where: "on phone" });
  expect(await act(secret, "unfreeze", record, [])).toMatchObject({ status: 200 });
  expect(await act(secret, "stop", record, [])).toMatchObject({ status: 200 });
  expect(await act(secret, "reset", record, [])).toMatchObject({ status: 400 });
  const grants = await store.grants();
  expect(grants.map(({ did, where, to }) => [did, where, to])).toEqual(
    ["extend", "freeze", "unfreeze", "stop"].map((did) => [did, "on phone", "Pi in ~/site"]),
  );
});

test("a reply to a question that is gone since is told who was first [LateReplyIsTold]", async () => {
  const [one, other] = [paired(), paired("laptop")];
  readReplies(store);
  await ask(store, "q1");
  const { act } = await opened();
  expect((await act(one, "answer", "research", ["q1", "$2"])).status).toBe(200);
  expect(await act(other, "answer", "research", ["q1", "no"])).toMatchObject({
    status: 409,
    body: expect.stringContaining("Too late: it was answered on phone: yes, $2.00 more."),
  });
});

test("a viewer is told of pools and runs, and of what was decided", async () => {
  const record = await listRun(store);
  const secret = paired();
  const { address, act } = await opened();
  await act(secret, "extend", record, ["turns", "10"]);
  await act(secret, "freeze", record, ["late"]);
  const headers = { authorization: `Bearer ${secret}` };
  const { body } = await fetch(`${address}/api/events`, { headers });
  let told = "";
  const isFrozen = () => told.includes('"frozen":"late"') && told.includes("Allowed on phone");
  for await (const chunk of (body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
    told += chunk;
    if (isFrozen() && told.endsWith("\n\n")) break;
  }
  const news = [...told.matchAll(/^data: (.*)$/gm)].map(([, event]) => JSON.parse(event ?? ""));
  const run = news.flatMap(({ pools }) => pools ?? []).findLast((pool) => pool.record === record);
  expect(run).toMatchObject({
    ...{ name: "Pi in ~/site", frozen: "late", startsOver: null },
    run: { about: ["Pi", "~/site on laptop", "a-model"], state: "working", stopped: null },
    limits: [{ measure: "turns", used: "12", max: "25" }, { measure: "cost" }],
  });
  const grants = news.flatMap(({ grants }) => grants ?? []);
  expect(grants).toContainEqual(
    expect.objectContaining({ to: "Pi in ~/site", text: "Allowed on phone: 10 more turns." }),
  );
});

describe("the buttons of a question", () => {
  const view = { id: "q", member: "m", name: "scout", used: 25, max: 25, why: null, where: null };
  const question = (about: { max?: number; round?: number; [name: string]: unknown }) =>
    seenQuestion({
      ...{ ...view, limit: "turns", identity: { kind: "turns" }, open: true, reply: null },
      ...{ asked: new Date(0).toISOString(), until: null, round: about.max ?? view.max, ...about },
    } as never);

  test.each([
    [{}, "Yes, another 25 turns", "5", "5 more"],
    [{ max: 2 }, "Yes, another 2 turns", "1", "1 more"],
    [{ max: 1, round: 25 }, "Yes, another 25 turns", "5", "5 more"],
    [{ limit: "cost", identity: { kind: "cost" }, max: 5 }, "Yes, another $5.00", "$1.00", "$1.00 more"],
    [
      { limit: "tokens", identity: { kind: "tokens" }, max: 2e6 },
      "Yes, another 2m tokens",
      "400k",
      "400k more",
    ],
    [{ limit: "time", identity: { kind: "time" }, max: 7.2e6 }, "Yes, another 2h", "10m", "10m more"],
  ])("%o: yes, less, no, wrap up, unlimited", (about, yes, less, label) => {
    const { replies, text } = question(about);
    expect(text).toMatch(/limit reached .*Continue\?$/);
    expect(replies).toEqual([
      { reply: "yes", label: yes },
      { reply: less, label },
      { reply: "no", label: "No" },
      { reply: "wrap-up", label: "Wrap up" },
      { reply: "unlimited", label: "Unlimited" },
    ]);
    expect(readReply(less, { limit: "x", identity: { kind: "turns" }, ...about } as never)).toHaveProperty(
      "more",
    );
  });

  test("that is no matter of an amount are yes and no", () => {
    expect(question({ why: "It repeats itself." }).replies.map(({ reply }) => reply)).toEqual(["yes", "no"]);
    expect(question({ max: 1 }).replies.map(({ reply }) => reply)).not.toContain("1");
  });
});

test("of a pool the page shows its limits, and what is used without one", () => {
  const use = {
    turns: { used: 0, held: 0, max: "unlimited", extra: 0 },
    requests: { used: 0, held: 0, max: 9, extra: 0 },
    tokens: { used: 480, held: 0, max: "unlimited", extra: 0 },
  };
  const pool = { record: "research", id: "research", agents: 0, frozen: null, startsOver: null, run: null };
  const { limits } = seenPool({ ...pool, use, members: [], questions: [] } as never, 0, {} as never);
  expect(limits.map(({ measure, used, max }) => `${measure} ${used} of ${max}`)).toEqual([
    "requests 0 of 9",
    "tokens 480 of ∞",
  ]);
});

describe("where it listens", () => {
  test("is this machine, unless it is told otherwise; plain http beyond it is refused", () => {
    expect(readPlace({})).toEqual({ host: "127.0.0.1", port: 4747 });
    expect(() => readPlace({ host: "0.0.0.0" })).toThrow(/needs https.*--insecure/);
    expect(() => readPlace({ url: "http://laptop.example" })).toThrow(/needs https/);
    expect(readPlace({ host: "0.0.0.0", insecure: true })).toMatchObject({ host: "0.0.0.0" });
    expect(readPlace({ url: "https://laptop.example.ts.net" }).url?.origin).toBe(
      "https://laptop.example.ts.net",
    );
  });

  test.each([
    { port: "x" },
    { port: "70000" },
    { host: "example.com" },
    { host: "fe80::1%eth0", insecure: true as const },
    { url: "laptop" },
    { url: "https://a/b" },
  ])("%o is refused with what is allowed", (given) => {
    expect(() => readPlace(given)).toThrow(/Use /);
  });

  test.each([
    [{ host: "127.0.0.1" }, 80, "http://127.0.0.1", ["http://localhost", "http://127.0.0.1"]],
    [{ host: "127.0.0.2" }, 4747, "http://127.0.0.2:4747", ["http://127.0.0.2:4747"]],
    [{ host: "::1" }, 4747, "http://[::1]:4747", ["http://[::1]:4747", "http://localhost:4747"]],
    [{ host: "0:0:0:0:0:0:0:1", insecure: true as const }, 1, "http://[::1]:1", ["http://[::1]:1"]],
  ])("%o is shown and reached as a browser writes it", (given, port, address, origins) => {
    const place = readPlace(given);
    expect(addressOf(place, port)).toBe(address);
    expect([...originsOf(place, port)]).toEqual(expect.arrayContaining(origins));
  });

  test.each(["0.0.0.0", "::"])(
    "at every address of this machine (%s) it answers to each of them, and to no other name",
    async (host) => {
      const { request, address, port } = await opened(readPlace({ port: "0", host, insecure: true }));
      expect(new URL(address).hostname).not.toMatch(/^(0\.0\.0\.0|\[::\])$/);
      const own = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
      for (const { address: at } of own.filter(({ family }) => family === "IPv4")) {
        const response = await fetch(`http://${at}:${port}/`);
        expect([at, response.status]).toEqual([at, 200]);
      }
      for (const name of [`192.0.2.1:${port}`, `evil.example:${port}`])
        expect((await request({ path: "/", headers: { host: name } })).status).toBe(403);
    },
  );

  test("a name that only looks like this machine's is beyond it", () => {
    expect(() => readPlace({ url: "http://127.evil.example" })).toThrow(/needs https/);
    expect(readPlace({ url: "http://127.0.0.1:8080" }).url?.host).toBe("127.0.0.1:8080");
  });

  test("behind a proxy it is reached by the proxy's name", async () => {
    const { request } = await opened(readPlace({ port: "0", url: "https://laptop.example.ts.net" }));
    const headers = { host: "laptop.example.ts.net", origin: "https://laptop.example.ts.net" };
    expect((await request({ path: "/", headers })).status).toBe(200);
  });
});

test("turn-limit devices lists devices, shows a code, and takes access away", async () => {
  const { run } = shell(store, { env: { XDG_CONFIG_HOME: folder } });
  expect(await run("devices")).toMatchObject({
    code: 0,
    out: expect.stringContaining("No device is paired"),
  });
  const { out } = await run("devices", "add", "--json");
  const own = new Devices(join(folder, "turn-limit"));
  const id = own.pair(JSON.parse(out).code, "phone\x1b[2J")?.split(".")[0] ?? "";
  const listed = await run("devices");
  expect(listed.out).toContain(id);
  expect(listed.out).not.toContain("\x1b");
  expect(await run("devices", "revoke", id)).toMatchObject({ code: 0 });
  expect(await run("devices", "revoke", id)).toMatchObject({ code: 1 });
  expect(await run("devices", "revoke", "../x")).toMatchObject({ code: 1 });
  expect(await run("devices", "revok")).toMatchObject({ code: 2 });
  expect(own.list()).toEqual([]);
});

test("what a pool spends a minute is what it used in the last sixty seconds; a reset starts over", () => {
  const history = new History();
  const at = (cost: number) =>
    ({ record: "p", use: { cost: { used: cost }, tokens: { used: cost * 100 } } }) as never as PoolView;
  history.note(at(1), 0);
  expect(history.note(at(1.5), 30_000)).toMatchObject({ costPerMinute: 0.5, tokensPerMinute: 50 });
  expect(history.note(at(3.5), 60_000)).toMatchObject({ costPerMinute: 2.5, costs: [0.5, 2] });
  // A minute that has just begun is no pause.
  expect(history.note(at(3.5), 60_500)).toMatchObject({ costPerMinute: expect.closeTo(2.5, 1) });
  expect(history.note(at(0), 61_000)).toMatchObject({ costPerMinute: 0 });
  for (let minute = 2; minute < 100; minute++) history.note(at(minute), minute * 60_000);
  expect(history.note(at(100), 100 * 60_000).costs).toHaveLength(60);
  expect(history.note(at(100), 102 * 60_000)).toMatchObject({ costPerMinute: 0 });
  // Nobody looked for two minutes.
  expect(history.note(at(100), 102 * 60_000).costs.slice(-3)).toEqual([1, 0, 0]);
});
