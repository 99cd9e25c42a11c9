import { objectIn, parsed, textIn } from "../protocols/parts-of-json.ts";
import { functionNames, openingOf } from "./body-parts.ts";
import type { Profile } from "./profile.ts";
import { questionArgs } from "./question-tool.ts";

/** What a sub-agent has to call in order to end. Nobody else is offered it. */
const ENDS_SUB_AGENT = "complete_task";

/** In the terminal of VS Code it calls itself differently. */
const NAMES = [
  /^GeminiCLI(?:-[^/]*)?\/(\d[\w.-]*)/,
  /^CloudCodeVSCode\/(\d[\w.-]*) .*proxy_client=geminicli/,
];

/**
 * Gemini CLI. Its loops stream, and so do those of its sub-agents. What it needs besides (which model to ask, who speaks next,
 * a summary, a search on the web) is one answer that does not stream, and has no functions.
 */
export const geminiCli: Profile = {
  name: "Gemini CLI",
  id: "gemini-cli",
  tested: ["0.57.0", "0.61.0"],
  // It closes the connection after 60 seconds.
  waitsFor: 50_000,

  version({ "user-agent": agent = "" }) {
    return NAMES.map((name) => name.exec(agent)?.[1]).find((version) => version !== undefined);
  },

  resultText: (text) => text.replace(/^Process Group PGID: \d+$/m, ""),

  // No request names its conversation, in any version.
  lacks: () => undefined,

  dialog: {
    name: "ask_user",
    isForgottenWhenClosed: true,
    args: (question) => questionArgs(question, { type: "choice" }),
    said(result) {
      const { answers } = objectIn(parsed(textIn(objectIn(result).output) ?? ""));
      return Object.values(objectIn(answers)).map(String);
    },
  },

  recognise({ body, streams }) {
    const functions = functionNames(body);
    if (!streams && functions.length === 0) return { kind: "aside" };
    return {
      kind: "turn",
      conversation: openingOf(body),
      isByOpening: true,
      isSubAgent: functions.includes(ENDS_SUB_AGENT),
    };
  },
};
