import type { MastraLanguageModel } from "@mastra/core/agent";
import { answerUntil, streamUntil } from "../shared/answerUntil.ts";
import { cutOffSignals } from "../shared/cutOffSignals.ts";
import type { GovernedRuns } from "../shared/GovernedRuns.ts";
import type { ToolPhase } from "./ToolPhase.ts";

type Send = (request: Request) => PromiseLike<Answer>;
interface Request {
  prompt: unknown;
  abortSignal?: AbortSignal;
}
interface Answer {
  stream: ReadableStream<Part>;
}
interface Part {
  type: string;
  finishReason?: string;
  usage?: Record<"inputTokens" | "outputTokens" | "totalTokens", undefined>;
}

const usage = { inputTokens: undefined, outputTokens: undefined, totalTokens: undefined };

/**
 * The model, whose requests are counted, and cut off when the run must end. The run then ends as any other does, with
 * what it has by then.
 */
export function bounded(
  model: MastraLanguageModel,
  runs: GovernedRuns,
  toolPhase: ToolPhase,
): MastraLanguageModel {
  const signalBeside = cutOffSignals(runs);
  const streamEnd = { lastPart, ended: (callsTools: boolean) => callsTools && toolPhase.opens() };
  let sent: unknown;

  async function answerTo(request: Request, send: Send): Promise<Answer> {
    // The host retries a request with the same prompt, and makes another one for the next.
    if (request.prompt !== sent) runs.requestSent();
    sent = request.prompt;
    const { cutOff } = runs;
    const bounded = { ...request, abortSignal: signalBeside(request.abortSignal) };
    const answer = await answerUntil(runs, () => send(bounded), nothing);
    // Not in a copy, which would not have what the host has attached to it.
    if (runs.governor.timeLeft !== undefined) answer.stream = streamUntil(cutOff, answer.stream, streamEnd);
    return answer;
  }

  // The host's own models are instances of classes that it recognises: a copy would not do.
  return new Proxy(model, {
    get(target, key) {
      const value = Reflect.get(target, key, target);
      if (typeof value !== "function") return value;
      const own: Send = value.bind(target);
      return key === "doGenerate" || key === "doStream" ? (request: Request) => answerTo(request, own) : own;
    },
  });
}

function lastPart(callsTools: boolean): Part {
  return { type: "finish", finishReason: callsTools ? "tool-calls" : "length", usage };
}

function nothing(): Answer {
  return {
    stream: new ReadableStream({
      start(controller) {
        controller.enqueue(lastPart(false));
        controller.close();
      },
    }),
  };
}
