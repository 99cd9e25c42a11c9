import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { type Ask, limitTitle, type Reply } from "turn-limit";
import type { BoundaryStyle } from "../config/LimitValues.ts";
import { askWithMenu } from "./boundary-menu.ts";
import { askedText, capitalised, wordsFor } from "./limit-words.ts";

/** Asks whether the run may go on. Dismissing the question, or not being able to ask it, is a no. */
export async function mayContinue(
  ctx: ExtensionContext,
  ask: Ask,
  style: BoundaryStyle,
  signal: AbortSignal,
): Promise<Reply> {
  const title = `${capitalised(limitTitle(ask.limit))} reached`;
  const message = askedText(ask);
  if (style === "menu") return askWithMenu(ctx.ui, { ...wordsFor(ask.limit), title, message }, signal);
  try {
    return await ctx.ui.confirm(title, `${message} Continue?`, { signal });
  } catch {
    return false;
  }
}
