import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Ask } from "turn-limit";

/** Asks whether the run may go on. Dismissing the question, or not being able to ask it, is a no. */
export async function mayContinue(ctx: ExtensionContext, ask: Ask, dismissed: AbortSignal): Promise<boolean> {
  const turns = ask.used === 1 ? "1 turn" : `${ask.used} turns`;
  const signal = ctx.signal ? AbortSignal.any([ctx.signal, dismissed]) : dismissed;
  try {
    return await ctx.ui.confirm("Turn limit reached", `You've used ${turns}. Continue?`, { signal });
  } catch {
    return false;
  }
}
