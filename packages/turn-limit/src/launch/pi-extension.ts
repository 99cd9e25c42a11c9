import { PI_REQUEST } from "../gateway/agents/pi.ts";

/**
 * An extension for Pi, which `turn-limit run` loads with `-e`. It points every provider whose address is in
 * `TURN_LIMIT_PI_ADDRESSES` at the gateway, and has each request say what it is. Requests to other providers would bypass the
 * gateway, so they are not made.
 */

/** The variable with the addresses: JSON, from that of a provider to the gateway's for it. */
export const PI_ADDRESSES = "TURN_LIMIT_PI_ADDRESSES";

/** The variable by which a process of Pi knows that another one started it: the id of that process, and its gateway. */
export const PI_PARENT = "TURN_LIMIT_PI_PARENT";

/** What is used of Pi. */
interface Pi {
  registerProvider(id: string, provider: { baseUrl: string }): void;
  on(event: string, handler: (event: unknown, context: Context) => object | undefined): void;
}

interface Context {
  readonly model?: Model;
  readonly modelRegistry: { getAll(): readonly Model[] };
  readonly sessionManager: { getSessionId(): string };
  readonly hasUI: boolean;
  readonly ui: { notify(message: string, kind: "error"): void };
  abort(): void;
}

interface Model {
  readonly provider: string;
  /** A model that chooses another one for each request has none. */
  readonly baseUrl?: string;
}

const V1 = "/v1";

export default function throughGateway(pi: Pi): void {
  const addresses = new Map<string, string>(Object.entries(JSON.parse(process.env[PI_ADDRESSES] ?? "{}")));
  const gateway = new Set([...addresses.values()].flatMap((address) => [address, address + V1]));
  const bypasses = (model: Model | undefined) => model !== undefined && !gateway.has(model.baseUrl ?? "");

  const turn = isBelowAnother([...gateway][0] ?? "") ? "sub-agent" : "turn";
  let isTurn = false;
  // The conversation is asked for before each turn, and for nothing else.
  pi.on("context", () => {
    isTurn = true;
    return undefined;
  });
  pi.on("before_provider_headers", (event, { sessionManager }) => {
    const { headers } = event as { headers: Record<string, string | null> };
    headers[PI_REQUEST] = `${isTurn ? turn : "aside"} ${sessionManager.getSessionId()}`;
    isTurn = false;
    return undefined;
  });

  const redirect = (_: unknown, { modelRegistry }: Context) => {
    const all = modelRegistry.getAll();
    for (const id of new Set(all.filter(bypasses).map(({ provider }) => provider))) {
      const models = all.filter(({ provider }) => provider === id);
      const baseUrl = gatewayAddressOf(models, addresses);
      if (baseUrl !== undefined) pi.registerProvider(id, { baseUrl });
    }
    return undefined;
  };
  for (const event of ["session_start", "model_select", "before_agent_start"]) pi.on(event, redirect);

  pi.on("turn_start", (_, context) => {
    if (!bypasses(context.model)) return undefined;
    const message =
      `turn-limit: requests to the provider "${context.model?.provider}" cannot be limited here, so none is made. ` +
      "Use another one, or one with a single baseUrl in Pi's models.json.";
    if (context.hasUI) context.ui.notify(message, "error");
    else console.error(message);
    context.abort();
    return undefined;
  });
  for (const summary of ["session_before_compact", "session_before_tree"])
    pi.on(summary, (_, { model }) => (bypasses(model) ? { cancel: true } : undefined));
}

/** Was this process of Pi started by another one, behind the same gateway? */
function isBelowAnother(gateway: string): boolean {
  const own = `${process.pid} ${gateway}`;
  const set = process.env[PI_PARENT];
  if (set?.endsWith(` ${gateway}`)) return set !== own;
  process.env[PI_PARENT] = own;
  return false;
}

/** The one address through the gateway for all models of a provider, if there is one. */
function gatewayAddressOf(
  models: readonly Model[],
  addresses: ReadonlyMap<string, string>,
): string | undefined {
  const all = [...new Set(models.map(({ baseUrl = "" }) => baseUrl.replace(/\/+$/, "")))].sort();
  const [first = "", second = first] = all;
  // By their protocol, some models have it without `/v1`. The gateway takes `/v1/v1/` for `/v1/`.
  if (all.length > 2 || (second !== first && second !== first + V1)) return undefined;
  const address = second.endsWith(V1) ? addresses.get(second.slice(0, -V1.length)) : undefined;
  if (address !== undefined) return address + V1;
  return first === second ? addresses.get(first) : undefined;
}
