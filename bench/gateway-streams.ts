import { Agent, type ClientRequest, request } from "node:http";

/** The header that says how many events a request wants. `hold`: only the first ones, and no end. */
export const EVENTS_HEADER = "x-events";

const agent = new Agent({ keepAlive: true, maxFreeSockets: 2_000 });

/** What a request of a usual length says. */
const asked = {
  model: "claude-sonnet-4-5",
  max_tokens: 1000,
  stream: true,
  messages: Array.from({ length: 21 }, (_, place) => ({
    role: place % 2 === 0 ? "user" : "assistant",
    content: "What the agent and its tools have said so far. ".repeat(20),
  })),
};
const body = JSON.stringify(asked);

/** One stream, in milliseconds from the request on. */
export interface StreamTimes {
  firstByte: number;
  end: number;
}

let turns = 0;

/** As `stream`, for a turn of Claude Code, which says more than the one before it. */
export function turn(address: string, events: number): Promise<StreamTimes> {
  turns += 1;
  const said = { role: "assistant", content: `${turns} `.repeat(1 + (turns % 500)) };
  const text = JSON.stringify({
    ...asked,
    messages: [...asked.messages.slice(0, -1), said, asked.messages.at(-1)],
  });
  return stream(address, events, text);
}

/** Asks for a stream. Resolves at its end. */
export function stream(address: string, events: number, text = body): Promise<StreamTimes> {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    let firstByte = 0;
    ask(address, `${events}`, text)
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

function ask(address: string, events: string, text = body): ClientRequest {
  return request(`${address}/v1/messages`, {
    method: "POST",
    agent,
    headers: {
      "content-type": "application/json",
      "content-length": text.length,
      "user-agent": "claude-cli/2.1.325 (external, cli)",
      "x-claude-code-session-id": "0f5e1d2c-7a44-4f0e-9b6e-5d1d3c2b1a00",
      [EVENTS_HEADER]: events,
    },
  }).end(text);
}
