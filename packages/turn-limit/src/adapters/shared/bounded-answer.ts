import type { Driver } from "../../pools/old-driver/driver.ts";
import { untilAborted } from "../../run/until-aborted.ts";
import { eitherSignal } from "./either-signal.ts";

/** The answer to a request, or the one that stands for it when the run must end before it comes. */
export async function answerUntil<Answer>(
  driver: Driver,
  request: () => PromiseLike<Answer>,
  none: () => Answer,
): Promise<Answer> {
  const { signal } = driver;
  if (signal.aborted) return none();
  try {
    if (!driver.mayCutOff) return await request();
    // A provider may ignore its signal.
    return await untilAborted(signal, request(), none);
  } catch (error) {
    if (signal.aborted) return none();
    throw error;
  }
}

/** How the stream of an answer ends. */
export interface StreamEnd<Part> {
  /** The part that ends it early. */
  lastPart(callsTools: boolean): Part;
  /** Called when it has ended, however it ended. */
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

/** Puts the signal of the run under way beside the caller's, which is usually the same in all requests of a run. */
export function signalBeside(driver: Driver): (callers: AbortSignal | undefined) => AbortSignal {
  let known: { callers: AbortSignal; ours: AbortSignal; either: AbortSignal } | undefined;
  return (callers) => {
    const ours = driver.signal;
    if (!callers) return ours;
    if (known?.callers !== callers || known.ours !== ours) {
      known = { callers, ours, either: eitherSignal(callers, ours) };
    }
    return known.either;
  };
}
