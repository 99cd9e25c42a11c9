import type { Reply } from "../../core/governor/decision.ts";
import { LONGEST_TIMER } from "../../run/clock.ts";
import type { AdapterOptions } from "../../run/options.ts";
import type { Recognition } from "./recognition.ts";

type AskPerson = NonNullable<AdapterOptions["ask"]>;

/** Asks only if the version of the agent is known: how long another one waits for an answer is not. */
export function askOnlyIfVersionIsKnown(ask: AskPerson, recognition: Recognition): AskPerson {
  return (...asked) => (recognition.versionProblem === undefined ? ask(...asked) : "unanswered");
}

/** Asks for as long as the agent waits, in milliseconds. */
export function askWithin(ask: AskPerson, hold: number): AskPerson {
  return async (question, signal, run) => {
    const over = new AbortController();
    const unanswered = new Promise<Reply>((resolve) => {
      const timer = setTimeout(() => resolve("unanswered"), Math.min(hold, LONGEST_TIMER));
      over.signal.addEventListener("abort", () => clearTimeout(timer));
    });
    try {
      return await Promise.race([ask(question, AbortSignal.any([signal, over.signal]), run), unanswered]);
    } finally {
      over.abort();
    }
  };
}
