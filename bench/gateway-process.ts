/**
 * A process with one server in front of a provider: a build's gateway, the least that a proxy can be (`bare`), or the least
 * that one can be in our place (`reading`): it has the whole request before it sends any of it, as it may have to refuse it
 * because of what is in it, and it reads the usage off the first and the last bytes of the answer:
 * `gateway-process.ts <address of the provider> <bare, reading, or the address of the gateway's entry>`. Sends its address
 * to the parent process, and what it has used so far whenever it is asked.
 */
import { Agent, createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import type * as Gateway from "turn-limit/gateway";

/** What a process can be asked for: its processor time in milliseconds so far, or the bytes of memory that it keeps. */
export type Asked = "cpu" | "memory";

/** What a request must not have. */
const NOT_ALLOWED = "_not_allowed_";
/** What was read of all answers. */
const spent = { tokens: 0 };

const [provider = "", kind = "bare"] = process.argv.slice(2);

async function openGateway(entry: string): Promise<string> {
  const { createGateway }: typeof Gateway = await import(entry);
  const gateway = await createGateway({ requests: 1e9, tokens: 1e12, env: {} });
  return gateway.addresses.to(provider);
}

function openBare(reads: boolean): Promise<string> {
  const agent = new Agent({ keepAlive: true });
  const { hostname, port, host } = new URL(provider);
  const server = createServer({ keepAliveTimeout: 600_000 }, (received, response) => {
    const { method, url: path, headers } = received;
    const options = { hostname, port, method, path, headers: { ...headers, host }, agent };
    const sent = request(options, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
      if (reads) readUsage(answer);
    });
    sent.on("error", () => response.destroy());
    response.on("close", () => sent.destroy());
    if (!reads) return void received.pipe(sent);
    const chunks: Buffer[] = [];
    received.on("data", (chunk) => chunks.push(chunk));
    received.on("end", () => {
      // Not kept while the answer streams.
      const body = Buffer.concat(chunks.splice(0));
      if (!body.includes(NOT_ALLOWED)) sent.end(body);
    });
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () =>
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    );
  });
}

/** The tokens of an answer, which are told at its beginning and at its end. */
function readUsage(answer: IncomingMessage): void {
  let last: Buffer | undefined;
  answer.on("data", (chunk: Buffer) => {
    if (!last) spent.tokens += tokensIn(chunk);
    last = chunk;
  });
  answer.on("end", () => {
    if (last) spent.tokens += tokensIn(last);
  });
}

function tokensIn(events: Buffer): number {
  const at = events.indexOf('"usage"');
  if (at < 0) return 0;
  const start = events.lastIndexOf("data:", at) + "data:".length;
  const { message, usage } = JSON.parse(events.toString("utf8", start, events.indexOf("\n", at)));
  return (usage ?? message.usage).output_tokens;
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** What is closed is let go of a little later, so everything is thrown away more than once. */
async function keptBytes(): Promise<number> {
  for (let times = 0; times < 3; times += 1) {
    globalThis.gc?.();
    await setTimeout(50);
  }
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

process.on("message", async (asked: Asked) => {
  process.send?.(asked === "cpu" ? cpuMs() : await keptBytes());
});
const isBare = kind === "bare" || kind === "reading";
process.send?.(await (isBare ? openBare(kind === "reading") : openGateway(kind)));
