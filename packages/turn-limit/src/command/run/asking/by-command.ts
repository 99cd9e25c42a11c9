import { messageOf } from "../../../core/errors/message-of.ts";
import { outputOf } from "../../../notify/shell-command.ts";
import { questionText, readReply } from "../../question-and-reply.ts";
import type { Notices } from "../notices.ts";
import type { Asker } from "./questions.ts";

/** No reply has more characters. What is longer is not shown to the person either. */
const LONGEST_REPLY = 100;

/** The agent that a question is about. */
export interface AskingAgent {
  /** What the agent is called. */
  readonly agent: string;
  readonly cwd: string;
}

/**
 * Asks by a command: the question is a line of JSON on its standard input, and what it prints is the reply. From
 * a command that fails, or prints something else, there is no reply, and the person is told why.
 */
export function byCommand(command: string, agent: AskingAgent, notices: Notices): Asker {
  return async (question, signal, run) => {
    const { limit, identity, used, max, why } = question;
    const text = questionText(question);
    const asked = { limit, identity, used, max, why: why ?? null, ...agent, run: run.id, text };
    try {
      const output = await outputOf(command, `${JSON.stringify(asked)}\n`, signal, notices.areHeld);
      if (output === undefined) return undefined;
      if (output === "") throw new Error("it printed nothing.");
      if (output.length > LONGEST_REPLY) throw new Error("what it printed is too long to be a reply.");
      return readReply(output, question);
    } catch (error) {
      notices.tell(`--ask ${command}: no reply: ${messageOf(error)}`);
      return undefined;
    }
  };
}
