/**
 * A process with one server in front of a provider: a build's gateway, the least that a proxy can be (`bare`), or the least
 * that one can be in our place: it has the whole request before it sends any of it, as it may have to refuse it
 * because of what is in it, and it reads the usage off the first and the last bytes of the answer when these have been sent.
 * It looks for a text in the request (`reading`), or reads all of it, as it has to in order to tell turns apart (`parsing`):
 * `gateway-process.ts <address of the provider> <bare, reading, parsing, or the address of the gateway's entry> [turns]`.
 * With `turns` the gateway counts the turns of Claude Code. Sends its address to the parent process, and what it has used so
 * far whenever it is asked.
 */
import { Agent, createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import type * as Gateway from "turn-limit/gateway";

/** What a process can be asked for: its processor time in milliseconds so far, or the bytes of memory that it keeps. */
export type Asked = "cpu" | "memory";

/** What a request must not have. */
const NOT_ALLOWED = "_not_allowed_";
/** What was read of all requests and answers. */
const seen = { messages: 0, tokens: 0 };

const [provider = "", kind = "bare", counts] = process.argv.slice(2);

async function openGateway(entry: string): Promise<string> {
  const { createGateway, claudeCode }: typeof Gateway = await import(entry);
  const limits = counts === "turns" ? { turns: 1e9, profile: claudeCode } : { requests: 1e9 };
  const gateway = await createGateway({ ...limits, tokens: 1e12, env: {} });
  return gateway.addresses.to(provider);
}

function openBare(reads: "nothing" | "bytes" | "body"): Promise<string> {
  const agent = new Agent({ keepAlive: true });
  const { hostname, port, host } = new URL(provider);
  const server = createServer({ keepAliveTimeout: 600_000 }, (received, response) => {
    const { method, url: path, headers } = received;
    const options = { hostname, port, method, path, headers: { ...headers, host }, agent };
    const sent = request(options, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
      if (reads !== "nothing") readUsage(answer);
    });
    sent.on("error", () => response.destroy());
    response.on("close", () => sent.destroy());
    if (reads === "nothing") return void received.pipe(sent);
    const chunks: Buffer[] = [];
    let missing = Number(headers["content-length"]);
    received.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      missing -= chunk.length;
      if (missing > 0) return;
      const [first] = chunks;
      const body = chunks.length === 1 && first ? first : Buffer.concat(chunks);
      // Not kept while the answer streams.
      chunks.length = 0;
      if (isAllowed(body, reads)) sent.end(body);
    });
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () =>
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    );
  });
}

function isAllowed(body: Buffer, reads: "bytes" | "body"): boolean {
  if (body.includes(NOT_ALLOWED)) return false;
  if (reads === "body") seen.messages += JSON.parse(body.toString()).messages.length;
  return true;
}

/** The tokens of an answer, which are told at its beginning and at its end. */
function readUsage(answer: IncomingMessage): void {
  let last: Buffer | undefined;
  const read = (chunk: Buffer) => {
    seen.tokens += tokensIn(chunk);
  };
  answer.on("data", (chunk: Buffer) => {
    if (!last) setImmediate(read, chunk);
    last = chunk;
  });
  answer.on("end", () => {
    if (last) setImmediate(read, last);
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
const opened = { bare: "nothing", reading: "bytes", parsing: "body" } as const;
const reads = opened[kind as keyof typeof opened];
process.send?.(await (reads ? openBare(reads) : openGateway(kind)));
