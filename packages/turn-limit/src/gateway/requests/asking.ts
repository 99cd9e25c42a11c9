import type { Ask, Reply } from "../../core/governor/decision.ts";
import { LONGEST_TIMER } from "../../run/clock.ts";
import type { AdapterOptions } from "../../run/options.ts";
import { untilAborted } from "../../run/until-aborted.ts";

type AskPerson = NonNullable<AdapterOptions["ask"]>;

/** What the run behind a question is asked and told. */
interface Asking {
  /** Is it known for how long the agent waits? Of one whose requests cannot be told apart it is not. */
  canAsk(): boolean;
  /** For how many milliseconds the request was held before the question. */
  heldFor(): number;
  /** The agent waits no longer. Is the question open all the same, because no request is held for it? */
  goesOnAsking(): boolean;
  /** Nobody replied. */
  unanswered(question: Ask): void;
}

/** Asks for as long as the agent waits for an answer, in milliseconds. */
export function askWithin(hold: number, ask: AskPerson, asking: Asking): AskPerson {
  let lastReply: Reply | undefined;
  return async (question, signal, run) => {
    if (!asking.canAsk()) return "unanswered";
    if (question.waits) return ask(question, signal, run);
    const over = new AbortController();
    const waited = () => {
      if (!asking.goesOnAsking()) over.abort();
    };
    const left = Math.max(0, hold - asking.heldFor());
    const timer = setTimeout(waited, Math.min(left, LONGEST_TIMER));
    timer.unref();
    const asked = Promise.resolve(ask(question, AbortSignal.any([signal, over.signal]), run));
    const reply = await untilAborted(over.signal, asked, () => "unanswered" as const).finally(() =>
      clearTimeout(timer),
    );
    // A model that was told to wrap up and goes on is not told again: that would never end.
    const isRepeated = reply === "wrap-up" && lastReply === "wrap-up";
    lastReply = reply;
    // A question that was withdrawn meanwhile is nobody's any more.
    if ((reply ?? "unanswered") === "unanswered" && !signal.aborted) asking.unanswered(question);
    return isRepeated ? "unanswered" : reply;
  };
}
