/**
 * A process that answers like a provider of models, event by event: each event of a stream is sent on its own, in turn
 * with those of all other streams. Sends its address to the parent process.
 */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { EVENTS_HEADER } from "./gateway-streams.ts";

const start = event("message_start", {
  message: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-sonnet-4-5",
    content: [],
    usage: { input_tokens: 25, output_tokens: 1 },
  },
});
const delta = event("content_block_delta", {
  index: 0,
  delta: { type: "text_delta", text: "a few words of text" },
});
const end =
  event("message_delta", { delta: { stop_reason: "end_turn" }, usage: { output_tokens: 500 } }) +
  event("message_stop", {});

function event(type: string, data: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;
}

const streams = new Map<ServerResponse, number>();
let isSending = false;

function sendAround(): void {
  for (const [response, left] of streams) {
    if (left > 0) {
      response.write(delta);
      streams.set(response, left - 1);
    } else {
      streams.delete(response);
      response.end(end);
    }
  }
  isSending = streams.size > 0;
  if (isSending) setImmediate(sendAround);
}

const server = createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
  request.resume().on("end", () => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(start);
    const wanted = request.headers[EVENTS_HEADER];
    if (wanted === "hold") return;
    streams.set(response, Number(wanted));
    if (!isSending) setImmediate(sendAround);
    isSending = true;
  });
});
server.listen(0, "127.0.0.1", 4096, () => {
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
