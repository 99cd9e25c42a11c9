import type { SeenRequest } from "./profile.ts";

/** Where OpenAI takes requests with a key. */
export const OPENAI = "https://api.openai.com/v1";

/** Where OpenAI takes the requests of Codex with a ChatGPT login. */
const CHATGPT = "https://chatgpt.com/backend-api/codex";

/** Where a request goes. One with a ChatGPT login names the account, and has to go elsewhere than one with a key. */
export function upstreamOfLogin(headers: SeenRequest["headers"], upstream: string): string {
  return upstream === OPENAI && headers["chatgpt-account-id"] ? CHATGPT : upstream;
}
