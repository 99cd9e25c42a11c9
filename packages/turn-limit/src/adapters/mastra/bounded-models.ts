import type { MastraLanguageModel } from "@mastra/core/agent";
import type { ProcessInputStepResult } from "@mastra/core/processors";
import { boundedAnswer, streamOf } from "../shared/bounded-answer.ts";
import type { Progress } from "./progress.ts";

type Given = NonNullable<ProcessInputStepResult["model"]>;
type Send = (request: Request) => PromiseLike<Answer>;
interface Request {
  prompt: readonly unknown[];
  abortSignal?: AbortSignal | undefined;
}
interface Answer {
  stream: ReadableStream<Part>;
}
interface Part {
  type: string;
  error?: unknown;
  finishReason?: string;
  usage?: Record<"inputTokens" | "outputTokens" | "totalTokens", undefined>;
}

const usage = { inputTokens: undefined, outputTokens: undefined, totalTokens: undefined };

/** The models of a run, bounded. Usually it is one. */
export class BoundedModels {
  readonly #progress: Progress;
  #latest: { given: Given; bounded: Given } | undefined;

  constructor(progress: Progress) {
    this.#progress = progress;
  }

  /** The bounded form of the agent's model, or of the one that `prepareStep` wants instead. */
  async of(own: MastraLanguageModel, wanted: Given | undefined): Promise<Given> {
    const given = wanted ?? own;
    if (this.#latest?.given !== given) {
      const model = wanted ? await resolved(wanted) : own;
      this.#latest = { given, bounded: model ? boundedModel(model, this.#progress) : given };
    }
    return this.#latest.bounded;
  }
}

/** `undefined` for a model that the host is going to refuse. */
async function resolved(given: Given): Promise<MastraLanguageModel | undefined> {
  const { resolveModelConfig } = await import("@mastra/core/llm");
  const model = await resolveModelConfig(given);
  return model.specificationVersion === "v1" ? undefined : model;
}

/**
 * The model, with its requests counted. When the run must end in the middle of one, its answer ends: with what was said
 * by then, or with the limit's error if the limit raises.
 */
export function boundedModel(model: MastraLanguageModel, progress: Progress): MastraLanguageModel {
  const { agent } = progress;
  let sent: unknown;

  function lastPart(callsTools: boolean): Part {
    if (agent.raised) return { type: "error", error: agent.raised };
    return { type: "finish", finishReason: callsTools ? "tool-calls" : "length", usage };
  }

  const cutOff = {
    lastPart,
    answer: () => answerOf(lastPart(false)),
    ended: (callsTools: boolean) => callsTools && progress.toolsCalled(),
  };

  return withAnswers(model, (request, send) => {
    // The host retries a request with the same prompt, and makes another one for the next.
    if (request.prompt !== sent) agent.turn.sent();
    sent = request.prompt;
    return boundedAnswer(agent, request, send, cutOff);
  });
}

/**
 * The model, with an error for an answer. An error that `prepareStep` throws reaches the caller as a copy without its
 * class. One in the model's answer arrives as it is, and is not retried.
 */
export function failingModel(model: MastraLanguageModel, error: unknown): MastraLanguageModel {
  return withAnswers(model, async () => answerOf({ type: "error", error }));
}

function answerOf(part: Part): Answer {
  return { stream: streamOf(part) };
}

/** The model with other answers. A proxy, because the host recognises its own models by their classes. */
function withAnswers(
  model: MastraLanguageModel,
  answerTo: (request: Request, send: Send) => Promise<Answer>,
): MastraLanguageModel {
  return new Proxy(model, {
    get(target, key) {
      const value = Reflect.get(target, key, target);
      if (typeof value !== "function") return value;
      const own: Send = value.bind(target);
      return key === "doGenerate" || key === "doStream" ? (request: Request) => answerTo(request, own) : own;
    },
  });
}
