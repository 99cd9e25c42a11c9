import { isFilledList } from "../protocols/parts-of-json.ts";
import { systemText } from "./body-parts.ts";
import { upstreamOfLogin } from "./codex.ts";
import type { Profile, SeenRequest } from "./profile.ts";
import { answerIn, questionArgs } from "./question-tool.ts";

const TITLE = "You are a title generator";
const COMPACTION = "You are a context summarization agent";

/** opencode. Headers identify the session, and the system prompt tells titles and compactions apart. */
export const opencode: Profile = {
  name: "opencode",
  id: "opencode",
  tested: ["1.18.20", "1.18.33"],
  // It closes the connection after 5 minutes.
  waitsFor: 4.5 * 60_000,

  version: (headers) => /^opencode\/(\d[\w.-]*)/.exec(headers["user-agent"] ?? "")?.[1],

  upstream: upstreamOfLogin,

  lacks: (headers) => (sessionIn(headers) ? undefined : "the header x-session-id"),

  dialog: {
    name: "question",
    args: (question) => questionArgs(question),
    said: answerIn,
  },

  recognise({ headers, body }) {
    const session = sessionIn(headers);
    if (!session) return undefined;
    const system = isFilledList(body.tools) ? undefined : systemText(body);
    if (system?.startsWith(COMPACTION)) return { kind: "compaction" };
    if (system?.startsWith(TITLE)) return { kind: "aside" };
    const isSubAgent = headers["x-parent-session-id"] !== undefined;
    return { kind: "turn", conversation: session, isSubAgent };
  },
};

function sessionIn(headers: SeenRequest["headers"]): string | undefined {
  return headers["x-session-id"] ?? headers["x-opencode-session"];
}
