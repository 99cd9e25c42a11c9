import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A provider whose model calls a tool in every answer, and who counts the requests. */
export async function startProvider() {
  let requests = 0;
  const server = createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      requests += 1;
      const content = [{ type: "tool_use", id: `call-${requests}`, name: "look", input: {} }];
      const usage = { input_tokens: 900, output_tokens: 100 };
      response.setHeader("content-type", "application/json");
      response.end(
        JSON.stringify({
          id: "m",
          type: "message",
          role: "assistant",
          model: "claude-sonnet-4-5",
          content,
          stop_reason: "tool_use",
          usage,
        }),
      );
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    get requests() {
      return requests;
    },
    close: () => server.close(),
  };
}
