import type { GovernedRuns } from "./GovernedRuns.ts";

/** The answer to a request, or the one that stands for it when the run must end before it comes. */
export async function answerUntil<Answer>(
  runs: GovernedRuns,
  request: () => PromiseLike<Answer>,
  none: () => Answer,
): Promise<Answer> {
  const { cutOff } = runs;
  if (cutOff.aborted) return none();
  try {
    if (runs.governor.timeLeft === undefined) return await request();
    return await withoutWaiting(cutOff, request, none);
  } catch (error) {
    if (cutOff.aborted) return none();
    throw error;
  }
}

/** A provider may not heed the signal that it has. */
async function withoutWaiting<Answer>(
  cutOff: AbortSignal,
  request: () => PromiseLike<Answer>,
  none: () => Answer,
): Promise<Answer> {
  let cut = () => {};
  const end = new Promise<void>((resolve) => {
    cut = resolve;
  });
  cutOff.addEventListener("abort", cut);
  try {
    return await Promise.race([request(), end.then(none)]);
  } finally {
    cutOff.removeEventListener("abort", cut);
  }
}

/** How the stream of an answer ends. */
export interface StreamEnd<Part> {
  /** The part that ends it early. */
  lastPart(callsTools: boolean): Part;
  /** Is told when it has ended, however it has. */
  ended?(callsTools: boolean): void;
}

/** The stream of an answer, which ends early when the run must end before it does. */
export function streamUntil<Part extends { type: string }>(
  cutOff: AbortSignal,
  stream: ReadableStream<Part>,
  { lastPart, ended }: StreamEnd<Part>,
): ReadableStream<Part> {
  const reader = stream.getReader();
  let callsTools = false;
  let isOver = false;
  let cut = () => {};

  function end(): void {
    isOver = true;
    cutOff.removeEventListener("abort", cut);
    ended?.(callsTools);
  }

  return new ReadableStream<Part>({
    start(controller) {
      cut = () => {
        end();
        controller.enqueue(lastPart(callsTools));
        controller.close();
        reader.cancel(cutOff.reason).catch(() => {});
      };
      cutOff.addEventListener("abort", cut);
    },
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (isOver) return;
        if (done) {
          end();
          return controller.close();
        }
        callsTools ||= value.type === "tool-call";
        controller.enqueue(value);
      } catch (error) {
        if (isOver) return;
        end();
        throw error;
      }
    },
    cancel(reason) {
      end();
      return reader.cancel(reason);
    },
  });
}
