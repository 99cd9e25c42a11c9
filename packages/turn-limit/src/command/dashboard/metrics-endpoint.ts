import type { IncomingMessage, ServerResponse } from "node:http";
import type { Store } from "../../pools/ledger/store.ts";
import { SAFE_HEADERS, secretIn } from "./access.ts";
import type { Devices } from "./devices.ts";
import { Metrics } from "./metrics.ts";
import { METRICS_TYPE } from "./metrics-text.ts";

/** Serves `/metrics` to clients with a token of `turn-limit devices add --metrics`. Decisions made before are not counted. */
export async function metricsEndpoint(
  store: Store,
  devices: Devices,
): Promise<(request: IncomingMessage, response: ServerResponse) => Promise<void>> {
  const metrics = new Metrics(store);
  await metrics.begin();
  return async (request, response) => {
    if (request.method !== "GET") return say(response, 405, "Use GET.");
    if (!devices.deviceOf(secretIn(request), "metrics"))
      return say(response, 401, "This needs a token of turn-limit devices add --metrics.");
    const text = await metrics.text();
    response.writeHead(200, { ...SAFE_HEADERS, "content-type": METRICS_TYPE }).end(text);
  };
}

function say(response: ServerResponse, status: number, error: string): void {
  const headers = { ...SAFE_HEADERS, "content-type": "application/json; charset=utf-8" };
  response.writeHead(status, headers).end(JSON.stringify({ error }));
}
