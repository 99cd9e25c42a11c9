const PROVIDERS: Readonly<Record<string, string>> = {
  "api.anthropic.com": "anthropic",
  "api.openai.com": "openai",
  "chatgpt.com": "openai",
  "generativelanguage.googleapis.com": "google",
  "openrouter.ai": "openrouter",
  "api.groq.com": "groq",
  "api.mistral.ai": "mistral",
  "api.x.ai": "x-ai",
  "api.deepseek.com": "deepseek",
};

/** The provider at an address, as lists of prices name it. */
export function providerAt({ hostname }: URL): string | undefined {
  return Object.hasOwn(PROVIDERS, hostname) ? PROVIDERS[hostname] : undefined;
}
