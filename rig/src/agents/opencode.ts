import { join } from "node:path";
import type { ProtocolName } from "../provider/provider-request.ts";
import { type AgentKind, fakeKey, json } from "./agent-kind.ts";

interface Provider {
  id: string;
  model: string;
  /** The module inside opencode that speaks the protocol. */
  npm: string;
}

const providers: Partial<Record<ProtocolName, Provider>> = {
  messages: { id: "anthropic", model: "claude-sonnet-4-5", npm: "@ai-sdk/anthropic" },
  responses: { id: "openai", model: "gpt-5.4", npm: "@ai-sdk/openai" },
  chat: { id: "scripted", model: "scripted-model", npm: "@ai-sdk/openai-compatible" },
};

const models = ".config/models.json";

/** opencode. */
export const opencode: AgentKind = {
  name: "opencode",
  command: ["opencode"],
  config: (_folders, { providerAddress, protocol = "chat", contextWindow = 200_000 }) => {
    const provider = providers[protocol];
    if (!provider) {
      throw new Error(`opencode does not speak ${protocol} here, only ${Object.keys(providers).join(", ")}.`);
    }
    const { id, model } = provider;
    const settings = {
      $schema: "https://opencode.ai/config.json",
      autoupdate: false,
      share: "disabled",
      model: `${id}/${model}`,
      provider: { [id]: { options: { baseURL: `${providerAddress}/v1`, apiKey: fakeKey } } },
    };
    return [
      [".config/opencode/opencode.json", json(settings)],
      [models, json({ [id]: knownProvider(provider, contextWindow) })],
    ];
  },
  environment: ({ home }) => ({
    OPENCODE_DISABLE_AUTOUPDATE: "1",
    OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    // The list inside opencode has every model there is, and takes a third of its time to start.
    OPENCODE_MODELS_PATH: join(home, models),
  }),
  headless: (prompt, args) => ["run", ...args, prompt],
  interactive: { args: [], ready: /Ask anything/ },
  writes: /^\.config\/opencode\/(?!opencode\.json)|^\.(cache|local|npm)\//,
};

function knownProvider({ id, model, npm }: Provider, contextWindow: number): object {
  const known = {
    id: model,
    name: model,
    release_date: "2026-01-01",
    attachment: false,
    reasoning: false,
    temperature: true,
    tool_call: true,
    limit: { context: contextWindow, output: 8_000 },
    cost: { input: 0, output: 0 },
    modalities: { input: ["text"], output: ["text"] },
  };
  return { id, name: id, npm, env: [], models: { [model]: known } };
}
