/**
 * An extension for Pi, which `turn-limit run` loads with `-e`. It points every provider whose address is in
 * `TURN_LIMIT_PI_ADDRESSES` at the gateway. Requests to other providers would bypass it, so they are not made.
 */

/** The variable with the addresses: JSON, from that of a provider to the gateway's for it. */
export const PI_ADDRESSES = "TURN_LIMIT_PI_ADDRESSES";

/** What is used of Pi. */
interface Pi {
  registerProvider(id: string, provider: { baseUrl: string }): void;
  on(event: string, handler: (event: unknown, context: Context) => object | undefined): void;
}

interface Context {
  readonly model?: Model;
  readonly modelRegistry: { getAll(): readonly Model[] };
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

export default function leadThroughGateway(pi: Pi): void {
  const ways = new Map<string, string>(Object.entries(JSON.parse(process.env[PI_ADDRESSES] ?? "{}")));
  const ends = new Set([...ways.values()].flatMap((way) => [way, way + V1]));
  const passesBy = (model: Model | undefined) => model !== undefined && !ends.has(model.baseUrl ?? "");

  const lead = (_: unknown, { modelRegistry }: Context) => {
    const all = modelRegistry.getAll();
    for (const id of new Set(all.filter(passesBy).map(({ provider }) => provider))) {
      const baseUrl = wayOf(
        all.filter(({ provider }) => provider === id),
        ways,
      );
      if (baseUrl !== undefined) pi.registerProvider(id, { baseUrl });
    }
    return undefined;
  };
  for (const event of ["session_start", "model_select", "before_agent_start"]) pi.on(event, lead);

  pi.on("turn_start", (_, context) => {
    if (!passesBy(context.model)) return undefined;
    const message =
      `turn-limit: requests to the provider "${context.model?.provider}" cannot be limited here, so none is made. ` +
      "Use another one, or one with a single baseUrl in Pi's models.json.";
    if (context.hasUI) context.ui.notify(message, "error");
    else console.error(message);
    context.abort();
    return undefined;
  });
  for (const summary of ["session_before_compact", "session_before_tree"])
    pi.on(summary, (_, { model }) => (passesBy(model) ? { cancel: true } : undefined));
}

/** The one address through the gateway for all models of a provider, if there is one. */
function wayOf(models: readonly Model[], ways: ReadonlyMap<string, string>): string | undefined {
  const all = [...new Set(models.map(({ baseUrl = "" }) => baseUrl.replace(/\/+$/, "")))].sort();
  const [first = "", second = first] = all;
  // By their protocol, some models have it without `/v1`. The gateway takes `/v1/v1/` for `/v1/`.
  if (all.length > 2 || (second !== first && second !== first + V1)) return undefined;
  const way = second.endsWith(V1) ? ways.get(second.slice(0, -V1.length)) : undefined;
  if (way !== undefined) return way + V1;
  return first === second ? ways.get(first) : undefined;
}
