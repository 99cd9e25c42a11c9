import { objectIn, textIn } from "../protocols/parts-of-json.ts";
import type { Profile, SeenRequest } from "./profile.ts";

/** How a request for a summary of the transcript begins. Nothing else distinguishes it from a turn. */
const COMPACTION = "CRITICAL: Respond with TEXT ONLY. Do NOT call any tools.";

const SESSION = "x-claude-code-session-id";

/** Claude Code. Headers identify the session and the sub-agent. */
export const claudeCode: Profile = {
  name: "Claude Code",
  id: "claude-code",
  tested: ["2.1.319", "2.1.325"],
  // It waited for 6 minutes and would have waited longer.
  waitsFor: 5.5 * 60_000,

  version: (headers) => /^claude-cli\/(\d[\w.-]*)/.exec(headers["user-agent"] ?? "")?.[1],

  lacks: (headers) => (headers[SESSION] ? undefined : `the header ${SESSION}`),

  recognise({ headers, body }) {
    const session = headers[SESSION];
    if (!session) return undefined;
    if (headers["x-claude-code-auxiliary-type"] || !hasToolsOfItsOwn(body)) return { kind: "aside" };
    if (lastText(body)?.startsWith(COMPACTION)) return { kind: "compaction" };
    const agent = headers["x-claude-code-agent-id"];
    return {
      kind: "turn",
      conversation: agent ? `${session} ${agent}` : session,
      isSubAgent: agent !== undefined,
    };
  },
};

/** Are there tools that Claude Code executes itself? A web search is a request of its own, with a tool of the provider's. */
function hasToolsOfItsOwn(body: SeenRequest["body"]): boolean {
  const tools = Array.isArray(body.tools) ? body.tools.map(objectIn) : [];
  return tools.some((tool) => tool.type === undefined || tool.type === "custom");
}

/** The last text of the newest message, without the messages that Claude Code adds itself. */
function lastText(body: SeenRequest["body"]): string | undefined {
  const messages = Array.isArray(body.messages) ? body.messages.map(objectIn) : [];
  const content = messages.findLast((message) => message.role !== "system")?.content;
  if (!Array.isArray(content)) return textIn(content);
  const last = objectIn(content.at(-1));
  return last.type === "text" ? textIn(last.text) : undefined;
}
