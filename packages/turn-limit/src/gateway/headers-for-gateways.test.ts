import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { PI_REQUEST } from "./agents/pi.ts";
import { takeHeadersForGateways } from "./headers-for-gateways.ts";

test.each([
  ["https://api.openai.com/v1", ["Accept", "*/*", "x-turn-limit-key", "k"]],
  ["http://127.0.0.1.example.com/v1", ["Accept", "*/*", "x-turn-limit-key", "k"]],
  ["http://127.0.0.1:4000/v1", ["Accept", "*/*", "X-Turn-Limit-Pi", "turn s", "x-turn-limit-key", "k"]],
  ["http://localhost:4000/v1", ["Accept", "*/*", "X-Turn-Limit-Pi", "turn s", "x-turn-limit-key", "k"]],
])("what Pi says for a gateway goes to %s only if that is this machine", (address, sent) => {
  const request = {
    rawHeaders: ["Accept", "*/*", "X-Turn-Limit-Pi", "turn s", "x-turn-limit-key", "k"],
    headers: { accept: "*/*", [PI_REQUEST]: "turn s" },
  } as unknown as IncomingMessage;
  takeHeadersForGateways(request, new URL(address));
  expect(request.rawHeaders).toEqual(sent);
  // The run still has to know.
  expect(request.headers[PI_REQUEST]).toBe("turn s");
});
