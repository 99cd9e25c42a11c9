import type { ExtensionContext, ExtensionUIContext } from "@earendil-works/pi-coding-agent";
import type { Ask, Reply } from "turn-limit";
import type { BoundaryStyle } from "../../limits/pi-limits.ts";
import { askOnScreen } from "./ask-on-screen.ts";
import {
  type AskedBoundary,
  type AskingAgent,
  type Question,
  questionAbout,
  questionFor,
  type Replies,
} from "./question.ts";

/**
 * Asks whether the run may go on, or that of an `agent` below. Dismissing the question is a no, and so is not being able to
 * ask it, unless the run goes on by itself.
 */
export async function mayContinue(
  { mode, ui }: ExtensionContext,
  ask: Ask & AskedBoundary,
  style: BoundaryStyle,
  signal: AbortSignal,
  replies: Replies,
  agent?: AskingAgent,
): Promise<Reply> {
  const question = agent ? questionFor(agent, ask, style) : questionAbout(ask, style);
  try {
    const reply = mode === "tui" ? await askOnScreen(ui, question, signal, replies) : undefined;
    return reply ?? (await askInDialogs(ui, question, signal, replies));
  } catch {
    return ask.waits ? "unanswered" : false;
  }
}

type Dialogs = Pick<ExtensionUIContext, "confirm" | "select" | "input">;

/** Asks in Pi's own dialogs, which an RPC client shows. A dismissed dialog is a no. */
export async function askInDialogs(
  pis: Dialogs,
  question: Question,
  signal: AbortSignal,
  replies: Replies,
): Promise<Reply> {
  const ui = heardBy(replies, pis);
  const { entries } = question;
  if (question.style === "confirm" && entries.length === 2)
    return ui.confirm(question.title, question.message, { signal });
  const labels = entries.map(({ label }) => label);
  while (!signal.aborted) {
    const choice = await ui.select(`${question.title}\n${question.message}`, labels, { signal });
    const entry = entries.find(({ label }) => label === choice);
    if (!entry) return false;
    if (entry.reply !== undefined) return entry.reply;
    const more = await askAmount(ui, question, signal);
    if (more !== undefined) return { more };
  }
  return false;
}

/** An amount, or `undefined` to go back. */
async function askAmount(ui: Dialogs, question: Question, signal: AbortSignal): Promise<number | undefined> {
  // Pi's terminal does not show the placeholder.
  const { amountAsked, amountToUse, example } = question;
  let title = `${amountAsked}\n${amountToUse}`;
  while (!signal.aborted) {
    const text = await ui.input(title, example, { signal });
    if (text === undefined) return undefined;
    const amount = question.parseAmount(text.trim());
    if (amount !== undefined) return amount;
    title = `${question.notAnAmount(text)}\n${amountToUse}`;
  }
  return undefined;
}

/** The dialogs, with somebody who hears that they have closed. */
function heardBy(replies: Replies, ui: Dialogs): Dialogs {
  const heard = async <Answer>(answer: Promise<Answer>): Promise<Answer> => {
    try {
      return await answer;
    } finally {
      replies.repliedToUs();
    }
  };
  return {
    confirm: (...asked) => heard(ui.confirm(...asked)),
    select: (...asked) => heard(ui.select(...asked)),
    input: (...asked) => heard(ui.input(...asked)),
  };
}
