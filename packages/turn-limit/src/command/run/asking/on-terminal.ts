import { messageOf } from "../../../core/errors/message-of.ts";
import type { Ask, Reply } from "../../../core/governor/decision.ts";
import { widthOf } from "../../../core/text/text-width.ts";
import { liftedText, questionText, readReply, replyHint } from "../../question-and-reply.ts";
import type { Asker } from "./questions.ts";
import { openTerminal, type Terminal } from "./terminal.ts";

/** Asks on the terminal that this process was started on. `otherwise`: how to ask where there is none to read. */
export function onTerminal(otherwise?: Asker): Asker {
  return async (question, signal, run) => {
    const terminal = await openTerminal();
    if (!terminal) return otherwise?.(question, signal, run);
    try {
      return await askOn(terminal, question, signal);
    } finally {
      terminal.close();
    }
  };
}

/** No letter lifts a limit: that takes the whole word. */
const LETTERS: Readonly<Record<string, string>> = { y: "yes", n: "no", w: "wrap-up" };

/** Asks until there is a reply. Enter alone is none. Closing the input is a no. */
export async function askOn(
  terminal: Terminal,
  question: Ask,
  signal: AbortSignal,
): Promise<Reply | undefined> {
  const hint = `${replyHint(question)} `;
  // The agent writes here as well, so it has to be clear who asks.
  let prompt = `turn-limit: ${questionText(question)}\n${hint}`;
  for (; ; prompt = hint) {
    terminal.write(prompt);
    const line = await terminal.line(signal);
    if (signal.aborted) {
      terminal.write(cleared(prompt, terminal.columns));
      return undefined;
    }
    if (line === undefined) {
      terminal.write("\n");
      return false;
    }
    const said = line.trim();
    if (said === "") continue;
    try {
      const reply = readReply(LETTERS[said.toLowerCase()] ?? said, question);
      if (reply === "unlimited") terminal.write(`turn-limit: ${liftedText(question)}\n`);
      return reply;
    } catch (error) {
      terminal.write(`${messageOf(error)}\n`);
    }
  }
}

function cleared(prompt: string, columns: number): string {
  const lines = prompt.split("\n").map(widthOf);
  const last = Math.floor((lines.pop() ?? 0) / columns);
  const rows = lines.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / columns)), last);
  return `\r${rows > 0 ? `\x1b[${rows}A` : ""}\x1b[J`;
}
