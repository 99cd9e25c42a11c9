import type { Json } from "../protocols/protocol.ts";
import { functionNames, messagesOf, openingOf, systemText, textOf } from "./body-parts.ts";
import type { Profile } from "./profile.ts";
import { after, QUESTION_HEADER, questionArgs, textOfResult } from "./question-tool.ts";

/** How the system prompts of those begin that look after its memory, in a few turns that Qwen Code limits itself. */
const OF_MEMORY = [
  "You are now acting as the managed memory extraction subagent",
  "You are performing a managed memory dream",
];

const COMPACTION = "You are the component that summarizes a conversation";

/** Every sub-agent with a system prompt of its own is told this. A fork has that of its parent. */
const OF_SUB_AGENT = "You operate in non-interactive mode: do not ask the user questions";

/** How the last message begins of a request for what the person may type next. */
const SUGGESTION = "[SUGGESTION MODE:";

/** By this function it has answers in a certain form. */
const RESPOND = "respond_in_schema";

/** Qwen Code. Its loops stream. System prompts tell sub-agents and requests beside the loops apart. */
export const qwenCode: Profile = {
  name: "Qwen Code",
  id: "qwen-code",
  tested: ["0.23.0", "0.24.4"],
  // It closes the connection after 2 minutes.
  waitsFor: 110_000,

  version: (headers) => /^QwenCode\/(\d[\w.-]*)/.exec(headers["user-agent"] ?? "")?.[1],

  // The result of a command begins with the command.
  resultText: (text) =>
    text.replace(/^Command: [\s\S]*?\n(?=Directory: )/, "").replace(/^Process Group PGID: \d+$/m, ""),

  // No request names its conversation, in any version.
  lacks: () => undefined,

  dialog: {
    name: "ask_user_question",
    args: (question) => questionArgs(question, { multiSelect: false }),
    said: (result) => after(`**${QUESTION_HEADER}**: `, textOfResult(result)),
  },

  recognise({ body, streams }) {
    const system = systemText(body) ?? "";
    const functions = functionNames(body);
    if (functions.length === 0 && system.startsWith(COMPACTION)) return { kind: "compaction" };
    if (OF_MEMORY.some((beginning) => system.startsWith(beginning))) return { kind: "aside" };
    if (!streams && functions.every((name) => name === RESPOND)) return { kind: "aside" };
    if (isSuggestion(body)) return { kind: "aside" };
    return {
      kind: "turn",
      conversation: openingOf(body),
      isByOpening: true,
      isSubAgent: system.includes(OF_SUB_AGENT),
    };
  },
};

function isSuggestion(body: Json): boolean {
  const last = messagesOf(body).at(-1);
  return last?.role === "user" && textOf(last)?.startsWith(SUGGESTION) === true;
}
