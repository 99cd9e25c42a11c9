import { objectIn, objectsIn, parsed, textIn } from "../protocols/parts-of-json.ts";
import type { Json } from "../protocols/protocol.ts";
import { addressOf, PROVIDERS } from "../providers.ts";
import type { Profile, SeenRequest } from "./profile.ts";

const METADATA = "x-codex-turn-metadata";

/** Codex. A header with JSON says what a request is. */
export const codex: Profile = {
  name: "Codex",
  id: "codex",
  tested: ["0.169.0", "0.166.0"],
  // It waited for 6 minutes and would have waited longer.
  waitsFor: 5.5 * 60_000,

  version: (headers) => /^codex[\w-]*\/(\d[\w.-]*)/.exec(headers["user-agent"] ?? "")?.[1],

  upstream: upstreamOfLogin,

  lacks: (headers) =>
    textIn(metadataIn(headers).thread_id) === undefined ? `a thread_id in the header ${METADATA}` : undefined,

  recognise({ headers, body }) {
    const about = metadataIn(headers);
    const thread = textIn(about.thread_id);
    if (thread === undefined) return undefined;
    const kind = about.request_kind;
    const source = about.thread_source;
    if (kind === "compaction") return { kind: "compaction" };
    const isTitle = source === "thread_title";
    // A title has tools. Once it has used one, it is a loop like any other.
    if (kind === "prewarm" || (isTitle && !hasToolResult(body))) return { kind: "aside" };
    if (kind !== "turn") return undefined;
    const isSubAgent = isTitle || source === "subagent" || Boolean(about.parent_thread_id);
    return { kind, conversation: thread, isSubAgent, same: body.input };
  },
};

function metadataIn(headers: SeenRequest["headers"]): Json {
  return objectIn(parsed(headers[METADATA] ?? ""));
}

function hasToolResult({ input }: SeenRequest["body"]): boolean {
  return objectsIn(input).some(({ type }) => typeof type === "string" && type.endsWith("_call_output"));
}

/** Requests with a ChatGPT login, which name the account, go to another address than those with an API key. */
export function upstreamOfLogin(headers: SeenRequest["headers"], upstream: string): string {
  const isLogin = upstream === addressOf(PROVIDERS.openai) && headers["chatgpt-account-id"];
  return isLogin ? `${PROVIDERS.chatgpt.base}/codex` : upstream;
}
