/** Where the gateway is, for the plugin. */
const GATEWAY = "TURN_LIMIT_OPENCODE_GATEWAY";

/** By their paths: Anthropic, OpenAI and all that are like it, Google. */
const TO_A_MODEL = /\/(?:messages|responses|completions)$|:(?:streamGenerate|generate)Content$/;

/**
 * A plugin for opencode, which `turn-limit run` adds to its configuration. Other plugins can change the address of a
 * provider, or send its requests themselves. A request to a model that would bypass the gateway is not sent. opencode takes
 * everything that is exported here for a plugin.
 */
export async function throughGateway(): Promise<object> {
  const gateway = process.env[GATEWAY];
  const send = globalThis.fetch;
  const guarded = async (...[input, init]: Parameters<typeof fetch>) => {
    const { origin, pathname } = new URL(input instanceof Request ? input.url : input, "http://nowhere");
    if (gateway && origin !== gateway && TO_A_MODEL.test(pathname))
      throw new Error(
        `turn-limit: a plugin leads a request to ${origin}, past the gateway. It was not sent.`,
      );
    return send(input, init);
  };
  globalThis.fetch = Object.assign(guarded, send);
  return {};
}
