import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A request that the provider received. */
export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Record<string, unknown>;
  /** The body as it came. */
  readonly text: string;
}

type Answers = (request: Received, response: ServerResponse, number: number) => unknown;

/** A provider on this machine that counts requests. It answers with a text of 10 tokens, unless it is told otherwise. */
export async function aProvider(answers: Answers = answerWith("ok")) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      const text = Buffer.concat(chunks).toString();
      let body: Record<string, unknown> = {};
      try {
        body = JSON.parse(text);
      } catch {
        // A test may send anything.
      }
      const it = { method, url, headers, body, text };
      received.push(it);
      void answers(it, response, received.length);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { received, address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** Answers with a text, as Messages does. */
export function answerWith(text: string, usage = { input_tokens: 7, output_tokens: 3 }): Answers {
  return (_request, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(
      JSON.stringify({
        type: "message",
        model: "claude-sonnet-4-5",
        content: [{ type: "text", text }],
        usage,
      }),
    );
  };
}
