import { isFilledList, objectIn, objectsIn, parsed, textIn } from "../protocols/parts-of-json.ts";
import type { Json } from "../protocols/protocol.ts";
import { addressOf, PROVIDERS } from "../providers.ts";
import type { Profile, SeenRequest } from "./profile.ts";
import { questionArgs, textOfResult } from "./question-tool.ts";

const METADATA = "x-codex-turn-metadata";
/** The id of the question in a dialog. */
const QUESTION = "limit";

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

  dialog: {
    name: "request_user_input",
    // Without the feature that it is started with here, it works in another mode only.
    isUsable: (description) => /\bDefault\b/.test(description ?? ""),
    args: (question) => questionArgs(question, { id: QUESTION }),
    said(result) {
      const { answers } = objectIn(parsed(textOfResult(result) ?? ""));
      const given = objectIn(objectIn(answers)[QUESTION]).answers;
      // After two minutes Codex goes on without an answer.
      if (!isFilledList(given)) return answers === undefined ? [] : undefined;
      return given.map((text) => String(text).replace(/^user_note: /, ""));
    },
  },

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
