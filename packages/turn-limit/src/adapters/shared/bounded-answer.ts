import type { Run } from "../../run/run.ts";
import { untilAborted } from "../../run/until-aborted.ts";
import { eitherSignal } from "./either-signal.ts";

/** A run whose requests may be cut off. */
type Bounded = Pick<Run, "turn" | "view"> | OldDriver;
type OldDriver = { readonly signal: AbortSignal; readonly mayCutOff: boolean };

function signalOf(run: Pick<Run, "turn"> | OldDriver): AbortSignal {
  return "turn" in run ? run.turn.signal : run.signal;
}

/** Can the run be cut off in the middle of a turn, as things stand? Without a time limit it is not. */
export function mayCutOff(run: Bounded): boolean {
  return "view" in run ? run.view.timeLeft !== undefined : run.mayCutOff;
}

/** The answer to a request, or the one that stands for it when the run must end before it comes. */
export async function answerUntil<Answer>(
  run: Bounded,
  request: () => PromiseLike<Answer>,
  none: () => Answer,
): Promise<Answer> {
  const signal = signalOf(run);
  if (signal.aborted) return none();
  try {
    if (!mayCutOff(run)) return await request();
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
export function signalBeside(run: Bounded): (callers: AbortSignal | undefined) => AbortSignal {
  let known: { callers: AbortSignal; ours: AbortSignal; either: AbortSignal } | undefined;
  return (callers) => {
    const ours = signalOf(run);
    if (!callers) return ours;
    if (known?.callers !== callers || known.ours !== ours) {
      known = { callers, ours, either: eitherSignal(callers, ours) };
    }
    return known.either;
  };
}
