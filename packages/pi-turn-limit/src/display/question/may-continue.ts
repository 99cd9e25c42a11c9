import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Ask, Reply } from "turn-limit";
import type { BoundaryStyle } from "../../limits/pi-limits.ts";
import { askInDialogs } from "./ask-in-dialogs.ts";
import { askOnScreen } from "./ask-on-screen.ts";
import { type AskingAgent, questionAbout, questionFor, type Replies } from "./question.ts";

/** Asks whether the run may go on, or that of an `agent` below. Dismissing the question, or not being able to ask it, is a no. */
export async function mayContinue(
  { mode, ui }: ExtensionContext,
  ask: Ask,
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
    return false;
  }
}
