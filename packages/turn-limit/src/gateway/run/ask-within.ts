import type { Reply } from "../../core/governor/decision.ts";
import type { AdapterOptions } from "../../run/adapter-options.ts";

type AskPerson = NonNullable<AdapterOptions["ask"]>;

const LONGEST_TIMER = 2 ** 31 - 1;

/** Asks for as long as the agent waits, in milliseconds. Then nobody was there. */
export function askWithin(ask: AskPerson, hold: number): AskPerson {
  return async (question, signal, run) => {
    const over = new AbortController();
    const nobody = new Promise<Reply>((resolve) => {
      const timer = setTimeout(() => resolve("unanswered"), Math.min(hold, LONGEST_TIMER));
      over.signal.addEventListener("abort", () => clearTimeout(timer));
    });
    try {
      return await Promise.race([ask(question, AbortSignal.any([signal, over.signal]), run), nobody]);
    } finally {
      over.abort();
    }
  };
}
