import type { IncomingMessage, ServerResponse } from "node:http";
import { onTestFinished } from "vitest";
import { startProvider } from "./servers.ts";

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

/**
 * A provider that keeps each request as it came, whatever it is, and answers byte for byte as the test says: with a text
 * of 10 tokens, unless it is told otherwise. It ends with the test.
 */
export async function recordingProvider(answers: Answers = answerWith("ok")) {
  const received: Received[] = [];
  const provider = await startProvider((request, response) => {
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
  onTestFinished(() => provider[Symbol.asyncDispose]());
  return { received, address: provider.address };
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
