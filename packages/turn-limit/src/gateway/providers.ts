/** Where a provider of models is. */
export interface Provider {
  /** Its address, without the version of its interface. */
  readonly base: string;
  /** The path of the version, as most clients put it after the base: `/v1`. */
  readonly version: string;
  /** What lists of prices call it. */
  readonly prices?: string;
}

const V1 = "/v1";

/** The providers whose addresses are known, by the names that agents have for them. */
export const PROVIDERS = {
  anthropic: { base: "https://api.anthropic.com", version: V1, prices: "anthropic" },
  cerebras: { base: "https://api.cerebras.ai", version: V1 },
  // Where OpenAI takes requests with a ChatGPT login.
  chatgpt: { base: "https://chatgpt.com/backend-api", version: "", prices: "openai" },
  deepseek: { base: "https://api.deepseek.com", version: "", prices: "deepseek" },
  "fireworks-ai": { base: "https://api.fireworks.ai/inference", version: V1 },
  google: { base: "https://generativelanguage.googleapis.com", version: "/v1beta", prices: "google" },
  groq: { base: "https://api.groq.com/openai", version: V1, prices: "groq" },
  huggingface: { base: "https://router.huggingface.co", version: V1 },
  "kimi-coding": { base: "https://api.kimi.com/coding", version: V1 },
  minimax: { base: "https://api.minimax.io/anthropic", version: V1 },
  mistral: { base: "https://api.mistral.ai", version: V1, prices: "mistral" },
  moonshotai: { base: "https://api.moonshot.ai", version: V1 },
  nvidia: { base: "https://integrate.api.nvidia.com", version: V1 },
  openai: { base: "https://api.openai.com", version: V1, prices: "openai" },
  opencode: { base: "https://opencode.ai/zen", version: V1 },
  "opencode-go": { base: "https://opencode.ai/zen/go", version: V1 },
  openrouter: { base: "https://openrouter.ai/api", version: V1, prices: "openrouter" },
  together: { base: "https://api.together.ai", version: V1 },
  "vercel-ai-gateway": { base: "https://ai-gateway.vercel.sh", version: V1 },
  xai: { base: "https://api.x.ai", version: V1, prices: "x-ai" },
  zai: { base: "https://api.z.ai/api/paas", version: "/v4" },
  "zai-coding-plan": { base: "https://api.z.ai/api/coding/paas", version: "/v4" },
} as const satisfies Readonly<Record<string, Provider>>;

/** The address of a provider with the version of its interface: `https://api.openai.com/v1`. */
export function addressOf({ base, version }: Provider): string {
  return base + version;
}

const PRICES = new Map(
  Object.values<Provider>(PROVIDERS).map(({ base, prices }) => [new URL(base).hostname, prices]),
);

/** The provider at an address, as lists of prices name it. */
export function providerAt({ hostname }: URL): string | undefined {
  return PRICES.get(hostname);
}
