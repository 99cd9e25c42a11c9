import { startProvider } from "../gateway/servers.ts";

/** A provider that answers every request with a failure that clients make again, at once. Counts the requests that arrive. */
export async function failingProvider(): Promise<
  AsyncDisposable & { readonly address: string; readonly requests: number }
> {
  let requests = 0;
  const server = await startProvider((_, response) => {
    requests += 1;
    response.writeHead(503, { "content-type": "application/json", "retry-after-ms": "1" });
    response.end(JSON.stringify({ error: { message: "overloaded" } }));
  });
  return {
    get address() {
      return server.address;
    },
    get requests() {
      return requests;
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
