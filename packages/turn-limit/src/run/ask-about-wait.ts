import type { AskPerson } from "./listing.ts";
import { untilAborted } from "./until-aborted.ts";
import type { Warnings } from "./warnings.ts";

/**
 * Asks about a limit that is waited for: nobody has to reply, so no reply, and failing to ask, is not a no. Only a reply ends
 * the wait before the limit starts over.
 */
export function askAboutWait(ask: AskPerson | undefined, warnings: Warnings): AskPerson {
  return async (question, signal, run) => {
    try {
      const reply = await ask?.(question, signal, run);
      if (reply !== undefined && reply !== "unanswered") return reply;
    } catch (error) {
      if (!signal.aborted) warnings.warn(`ask threw: ${error}. The run goes on waiting.`);
    }
    return untilAborted(signal, new Promise<undefined>(() => {}), () => undefined);
  };
}
