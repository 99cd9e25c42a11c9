/**
 * A process with one server in front of a provider: a build's gateway, or the least that a proxy can be:
 * `gateway-process.ts <address of the provider> <address of the gateway's entry, or nothing>`. Sends its address to the parent process, and what it has used so far whenever it is asked.
 */
import { Agent, createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout } from "node:timers/promises";
import type * as Gateway from "turn-limit/gateway";

/** What a process can be asked for: its processor time in milliseconds so far, or the bytes of memory that it keeps. */
export type Asked = "cpu" | "memory";

const [provider = "", entry] = process.argv.slice(2);

async function openGateway(entry: string): Promise<string> {
  const { createGateway }: typeof Gateway = await import(entry);
  const gateway = await createGateway({ requests: 1e9, tokens: 1e12, env: {} });
  return gateway.addresses.to(provider);
}

function openBare(): Promise<string> {
  const agent = new Agent({ keepAlive: true });
  const { hostname, port, host } = new URL(provider);
  const server = createServer({ keepAliveTimeout: 600_000 }, (received, response) => {
    const { method, url: path, headers } = received;
    const options = { hostname, port, method, path, headers: { ...headers, host }, agent };
    const sent = request(options, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    });
    sent.on("error", () => response.destroy());
    response.on("close", () => sent.destroy());
    received.pipe(sent);
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () =>
      resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    );
  });
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
process.send?.(await (entry ? openGateway(entry) : openBare()));
