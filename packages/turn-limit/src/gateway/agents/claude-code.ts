import { isFilledList, objectIn, objectsIn, textIn } from "../protocols/parts-of-json.ts";
import type { Profile, SeenRequest } from "./profile.ts";
import { after, answerIn, questionArgs, textOfResult } from "./question-tool.ts";

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

  // With --json-schema.
  finalTool: "StructuredOutput",

  version: (headers) => /^claude-cli\/(\d[\w.-]*)/.exec(headers["user-agent"] ?? "")?.[1],

  lacks: (headers) => (headers[SESSION] ? undefined : `the header ${SESSION}`),

  dialog: {
    name: "AskUserQuestion",
    args: (question) => questionArgs(question, { multiSelect: false }),
    said: (result, question) => [
      ...answerIn(result, question),
      ...after("The user responded: ", textOfResult(result)),
    ],
  },

  recognise({ headers, body }) {
    const session = headers[SESSION];
    if (!session) return undefined;
    if (isAside(headers, body)) return { kind: "aside" };
    if (lastText(body)?.startsWith(COMPACTION)) return { kind: "compaction" };
    const agent = headers["x-claude-code-agent-id"];
    return {
      kind: "turn",
      conversation: agent ? `${session} ${agent}` : session,
      isSubAgent: agent !== undefined,
    };
  },
};

/**
 * Is it a request besides the loops? That is one message: a title, whose format is prescribed, a look at whether a call
 * may be executed, which ends at a certain text, or a search on the web, with a tool of the provider's. An agent without
 * tools has none of that.
 */
function isAside(headers: SeenRequest["headers"], body: SeenRequest["body"]): boolean {
  if (objectsIn(body.messages).some(({ role }) => role === "assistant")) return false;
  if (headers["x-claude-code-auxiliary-type"]) return true;
  const tools = objectsIn(body.tools);
  if (tools.some(({ type }) => type === undefined || type === "custom")) return false;
  const { format } = objectIn(body.output_config);
  return tools.length > 0 || format !== undefined || isFilledList(body.stop_sequences);
}

/** The last text of the newest message, without the messages that Claude Code adds itself. */
function lastText(body: SeenRequest["body"]): string | undefined {
  const messages = Array.isArray(body.messages) ? body.messages.map(objectIn) : [];
  const content = messages.findLast((message) => message.role !== "system")?.content;
  if (!Array.isArray(content)) return textIn(content);
  const last = objectIn(content.at(-1));
  return last.type === "text" ? textIn(last.text) : undefined;
}
