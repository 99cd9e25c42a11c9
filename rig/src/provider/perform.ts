import type { ServerResponse } from "node:http";
import type { Answer } from "../replies.ts";
import type { Protocol } from "./protocol.ts";
import type { ProviderReply } from "./provider-replies.ts";
import type { ProviderRequest } from "./provider-request.ts";

const trickleMs = 50;

/** What a reply is given to. */
export interface Stage {
  request: ProviderRequest;
  response: ServerResponse;
  protocol: Protocol;
  newId: () => string;
}

/** Gives a reply in the protocol of the request, as a stream if the request asks for one. */
export async function perform(reply: ProviderReply, stage: Stage): Promise<void> {
  const { request, response, protocol } = stage;
  switch (reply.kind) {
    case "answer":
      if (request.streams) return stream(reply, stage);
      return sendJson(response, 200, protocol.whole(reply, request.model, stage.newId));
    case "failure":
      return sendJson(response, reply.status, protocol.error(reply.status, reply.message));
    case "stall":
      return openStream(response);
    case "trickle":
      return trickle(reply.text, stage);
    case "cut off": {
      const frames = framesOf(reply.answer, stage);
      openStream(response);
      const half = frames.slice(0, Math.ceil(frames.length / 2)).map(({ bytes }) => bytes);
      // Only once it has left: what is still waiting would be lost.
      await new Promise((written) => response.write(half.join(""), written));
      request.ended = "cut off";
      response.destroy();
      return;
    }
    case "reset":
      request.ended = "cut off";
      response.socket?.resetAndDestroy();
      return;
    case "redirect":
      response.writeHead(307, { location: reply.to + request.path }).end();
      return;
    case "held":
      await reply.gate;
      return perform(reply.reply, stage);
  }
}

function stream(answer: Answer, stage: Stage): void {
  openStream(stage.response);
  for (const { bytes } of framesOf(answer, stage)) stage.response.write(bytes);
  stage.response.end();
}

function trickle(text: string, stage: Stage): void {
  const { response } = stage;
  const answer: Answer = { kind: "answer", text, toolCalls: [], usage: noUsage, finishReason: "stop" };
  const frames = framesOf(answer, stage);
  const position = frames.findIndex((frame) => frame.isText);
  openStream(response);
  for (const { bytes } of frames.slice(0, position)) response.write(bytes);
  const bits = setInterval(() => response.write(frames[position]?.bytes ?? ""), trickleMs);
  response.on("close", () => clearInterval(bits));
}

const noUsage = { promptTokens: 0, completionTokens: 0 };

function framesOf(answer: Answer, { protocol, request, newId }: Stage) {
  return protocol.frames(answer, request.model, newId);
}

function openStream(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  response.flushHeaders();
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}
