import { Agent, type ClientRequest, request } from "node:http";

/** The header that says how many events a request wants. `hold`: only the first ones, and no end. */
export const EVENTS_HEADER = "x-events";

const agent = new Agent({ keepAlive: true, maxFreeSockets: 2_000 });

/** A request of a usual length. */
const body = JSON.stringify({
  model: "claude-sonnet-4-5",
  max_tokens: 1000,
  stream: true,
  messages: Array.from({ length: 20 }, (_, place) => ({
    role: place % 2 === 0 ? "user" : "assistant",
    content: "What the agent and its tools have said so far. ".repeat(20),
  })),
});

/** One stream, in milliseconds from the request on. */
export interface StreamTimes {
  firstByte: number;
  end: number;
}

/** Asks for a stream. Resolves at its end. */
export function stream(address: string, events: number): Promise<StreamTimes> {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    let firstByte = 0;
    ask(address, `${events}`)
      .on("error", reject)
      .on("response", (answer) => {
        answer.on("error", reject);
        answer.on("data", () => {
          firstByte ||= performance.now() - start;
        });
        answer.on("end", () => {
          if (answer.statusCode !== 200) reject(new Error(`Status ${answer.statusCode}`));
          resolve({ firstByte, end: performance.now() - start });
        });
      });
  });
}

/** Opens a stream that does not end before its server does. Resolves when its first bytes are here. */
export function heldStream(address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    ask(address, "hold")
      .on("error", reject)
      .on("response", (answer) => {
        answer.on("error", () => {});
        answer.on("data", () => resolve());
      });
  });
}

function ask(address: string, events: string): ClientRequest {
  return request(`${address}/v1/messages`, {
    method: "POST",
    agent,
    headers: { "content-type": "application/json", "content-length": body.length, [EVENTS_HEADER]: events },
  }).end(body);
}
