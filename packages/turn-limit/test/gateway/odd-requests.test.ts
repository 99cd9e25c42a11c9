import { createServer } from "node:http";
import { connect } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { claudeCode } from "../../src/gateway/agents/claude-code.ts";
import { createGateway, type GatewayOptions } from "../../src/gateway/gateway.ts";
import { handleOddRequests } from "../../src/gateway/odd-requests.ts";
import { agent } from "./an-agent.ts";
import { answerWith, recordingProvider } from "./recording-provider.ts";
import { allOf, deferred, Listening } from "./servers.ts";

/** A gateway before a provider that counts what it gets. */
async function aGateway(
  options: GatewayOptions = { requests: 5 },
  upstreamOf = (address: string) => address,
) {
  const provider = await recordingProvider();
  const gateway = await createGateway({ env: {}, ...options });
  onTestFinished(async () => void (await gateway.close()));
  const base = new URL(gateway.addresses.to(upstreamOf(provider.address)));
  const [, secret = ""] = base.pathname.split("/");
  return { ...provider, gateway, base, host: base.host, path: base.pathname, secret };
}

/** What comes back on a connection for these lines and this body, until it is closed. */
async function sent(host: string, lines: string[], body = ""): Promise<string> {
  const [name, port] = host.split(":");
  const socket = connect({ host: name, port: Number(port) }).on("error", () => {});
  socket.write(`${lines.join("\r\n")}\r\n\r\n${body}`, "latin1");
  return (await allOf(socket)).toString("latin1");
}

const statusOf = (answer: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);

test.each(["h2c", "TLS/1.0"])("an offer of the protocol %s is passed over", async (protocol) => {
  const { host, path, received } = await aGateway();
  const answer = await sent(
    host,
    [
      `POST ${path}/v1/messages HTTP/1.1`,
      `Host: ${host}`,
      "Connection: Upgrade, HTTP2-Settings, close",
      `Upgrade: ${protocol}`,
      "HTTP2-Settings: AAMAAABkAAQAAP__",
      "Content-Length: 2",
    ],
    "{}",
  );
  expect(statusOf(answer)).toBe(200);
  expect(received).toMatchObject([{ text: "{}" }]);
  expect(received[0]?.headers).not.toHaveProperty("http2-settings");
});

test("a Node that takes every offer of a protocol for an upgrade passes it over, too", async () => {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    response.end(`${request.method} ${request.url} ${body}`);
  });
  handleOddRequests(server);
  await using listening = await Listening.on(server);
  const lines = [
    "POST /a HTTP/1.1",
    "Host: a",
    "Connection: Upgrade, close",
    "Upgrade: h2c",
    "Transfer-Encoding: chunked",
  ];
  const answer = await sent(`127.0.0.1:${listening.port}`, lines, "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n");
  expect(answer).toMatch(/^HTTP\/1\.1 200 .*POST \/a hello/s);
});

test.each<[what: string, lines: (host: string) => string[], status: number]>([
  ["no Host", () => [], 403],
  ["an expectation", (host) => [`Host: ${host}`, "Expect: foo"], 200],
  ["two lengths", (host) => [`Host: ${host}`, "Content-Length: 3"], Number.NaN],
  ["a length and chunks", (host) => [`Host: ${host}`, "Transfer-Encoding: chunked"], Number.NaN],
  ["a bad header", (host) => [`Host: ${host}`, "a b"], Number.NaN],
  ["headers that are too long", (host) => [`Host: ${host}`, `X-A: ${"x".repeat(300_000)}`], Number.NaN],
])("a request with %s does not get a 400 from the gateway", async (_, lines, status) => {
  const { host, path, received } = await aGateway();
  const head = [`POST ${path}/v1/messages HTTP/1.1`, "Connection: close", "Content-Length: 2"];
  expect(statusOf(await sent(host, [...head, ...lines(host)], "{}"))).toBe(status);
  expect(received).toHaveLength(status === 200 ? 1 : 0);
});

test("what is not a request at all gets no answer", async () => {
  const { host } = await aGateway();
  expect(await sent(host, ["hello"])).toBe("");
});

test.each([
  ["POST", "/v1/messages/count_tokens", false],
  ["POST", "/v1/messages/count%5Ftokens?beta=true", false],
  ["POST", "/v1beta/models/m:countTokens", false],
  ["POST", "/v1/messages#/count_tokens", true],
  ["POST", "/v1/messages%23/count_tokens", true],
  ["POST", "/v1/messages%3f/count_tokens", true],
  ["POST", "/v1/messages%2523/count_tokens", true],
  ["POST", "/v1/messages%/count_tokens", true],
  ["GET", "/v1/models", false],
  ["HEAD", "/v1/models", false],
  ["OPTIONS", "/v1/models", false],
  ["PUT", "/v1/messages", true],
  ["PATCH", "/v1/messages", true],
  ["DELETE", "/v1/messages", true],
])("%s %s counts: %j", async (method, end, isCounted) => {
  const { host, path, received, gateway } = await aGateway();
  const lines = [
    `${method} ${path}${end} HTTP/1.1`,
    `Host: ${host}`,
    "Connection: close",
    "Content-Length: 0",
  ];
  expect(statusOf(await sent(host, lines))).toBe(200);
  expect(received).toMatchObject([{ method, url: end }]);
  expect(gateway.run.summary.requests).toBe(isCounted ? 1 : 0);
});

test("a target with the gateway's own host is as good as one without", async () => {
  const { host, path, received } = await aGateway();
  const status = async (target: string) =>
    statusOf(
      await sent(host, [
        `POST ${target}${path}/v1/messages HTTP/1.1`,
        `Host: ${host}`,
        "Connection: close",
        "Content-Length: 0",
      ]),
    );
  expect([await status(`http://${host}`), await status("http://evil.example")]).toEqual([200, 403]);
  expect(received).toMatchObject([{ url: "/v1/messages" }]);
});

test.each([
  ["", "/?x=1"],
  ["/api", "/api?x=1"],
])("a query without a path goes to the path of the base address %j", async (end, url) => {
  const { base, received } = await aGateway(undefined, (address) => address + end);
  await fetch(`${base}?x=1`, { method: "POST", body: "{}" });
  expect(received).toMatchObject([{ url }]);
});

test("a body that is nested too deeply is sent on as it is, and counts", async () => {
  const { base, received, gateway } = await aGateway({ turns: 5, requests: 5, profile: claudeCode });
  const deep = `{"tools":[{"name":"x"}],"messages":${"[".repeat(100_000)}${"]".repeat(100_000)}}`;
  const headers = { "user-agent": `claude-cli/${claudeCode.tested[0]}`, "x-claude-code-session-id": "a" };
  const { status } = await fetch(`${base}/v1/messages`, { method: "POST", headers, body: deep });
  expect(status).toBe(200);
  expect(received[0]?.text === deep).toBe(true);
  expect(gateway.run.summary).toMatchObject({ requests: 1, turns: 1 });
});

test("a provider that cannot be reached is told of without the gateway's secret", async () => {
  const { base, secret } = await aGateway(undefined, () => "http://127.0.0.1:1");
  const response = await fetch(`${base}/v1/messages`, { method: "POST", body: "{}" });
  const text = await response.text();
  expect([response.status, text]).toEqual([502, expect.stringContaining("could not be reached")]);
  expect(text).not.toContain(secret);
});

test.each([
  [{}, `Basic ${Buffer.from("us@er:p%w").toString("base64")}`],
  [{ authorization: "Bearer key" }, "Bearer key"],
])("the credentials in a base address are sent where a request has none: %j", async (headers, expected) => {
  const withCredentials = (address: string) => address.replace("//", "//us%40er:p%w@");
  const { base, received } = await aGateway(undefined, withCredentials);
  expect(base.href).not.toContain("p%w");
  await fetch(`${base}/v1/messages`, { method: "POST", headers, body: "{}" });
  expect(received.map(({ headers }) => headers.authorization)).toEqual([expected]);
});

test.each(["1.1", "1.0"])(
  "a client of HTTP/%s that closes its half of the connection gets its answer",
  async (version) => {
    const arrived = deferred<void>();
    const answering = deferred<void>();
    const provider = await recordingProvider(async (...all) => {
      arrived.resolve();
      await answering.promise;
      answerWith("the answer")(...all);
    });
    const { base, close } = await agent({ requests: 5 }, provider);
    const { port, host, pathname } = new URL(base);
    const client = connect({ port: Number(port), host: "127.0.0.1", allowHalfOpen: true });
    const body = '{"model":"m","messages":[]}';
    client.end(
      `POST ${pathname}/v1/messages HTTP/${version}\r\nHost: ${host}\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    );
    await arrived.promise;
    answering.resolve();
    expect((await allOf(client)).toString()).toMatch(/HTTP\/1\.1 200 OK[\s\S]*the answer/);
    expect(await close()).toMatchObject({ usage: { input: 7, output: 3 }, isEstimate: false });
  },
);

test("a client that closes all of the connection is noticed before the answer", async () => {
  const arrived = deferred<void>();
  const closed = deferred<void>();
  const provider = await recordingProvider((_, response) => {
    response.once("close", () => closed.resolve());
    arrived.resolve();
  });
  const { base } = await agent({ requests: 5 }, provider);
  const { port, host, pathname } = new URL(base);
  const client = connect({ port: Number(port), host: "127.0.0.1" });
  client.write(`POST ${pathname}/v1/messages HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 2\r\n\r\n{}`);
  await arrived.promise;
  client.destroy();
  await closed.promise;
});
