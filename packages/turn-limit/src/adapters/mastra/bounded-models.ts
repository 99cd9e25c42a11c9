import type { MastraLanguageModel } from "@mastra/core/agent";
import type { ProcessInputStepResult } from "@mastra/core/processors";
import type { Driver } from "../../pools/old-driver/driver.ts";
import { answerUntil, signalBeside, streamUntil } from "../shared/bounded-answer.ts";
import type { ToolPhase } from "./tool-phase.ts";

type Given = NonNullable<ProcessInputStepResult["model"]>;
type Send = (request: Request) => PromiseLike<Answer>;
interface Request {
  prompt: readonly unknown[];
  abortSignal?: AbortSignal;
}
interface Answer {
  stream: ReadableStream<Part>;
}
interface Part {
  type: string;
  error?: Error;
  finishReason?: string;
  usage?: Record<"inputTokens" | "outputTokens" | "totalTokens", undefined>;
}

const usage = { inputTokens: undefined, outputTokens: undefined, totalTokens: undefined };

/** The models of a run, bounded. Usually it is one. */
export class BoundedModels {
  readonly #driver: Driver;
  readonly #toolPhase: ToolPhase;
  #latest: { given: Given; bounded: Given } | undefined;
  #message: string | undefined;

  constructor(driver: Driver, toolPhase: ToolPhase) {
    this.#driver = driver;
    this.#toolPhase = toolPhase;
  }

  /** The bounded form of the agent's model, or of the one that `prepareStep` wants instead. */
  async of(own: MastraLanguageModel, wanted: Given | undefined): Promise<Given> {
    const given = wanted ?? own;
    if (this.#latest?.given !== given) {
      const model = wanted ? await resolved(wanted) : own;
      this.#latest = { given, bounded: model ? this.#bounded(model) : given };
    }
    return this.#latest.bounded;
  }

  /** What the model is told in the requests of the turn that begins. It is not a part of the conversation. */
  tell(message: string | undefined): void {
    this.#message = message;
  }

  #bounded(model: MastraLanguageModel): MastraLanguageModel {
    return boundedModel(model, this.#driver, this.#toolPhase, () => this.#message);
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
export function boundedModel(
  model: MastraLanguageModel,
  driver: Driver,
  toolPhase: ToolPhase,
  message: () => string | undefined = () => undefined,
): MastraLanguageModel {
  const withOurSignal = signalBeside(driver);
  let sent: unknown;

  function lastPart(callsTools: boolean): Part {
    const error = driver.raisedError;
    if (error) return { type: "error", error };
    return { type: "finish", finishReason: callsTools ? "tool-calls" : "length", usage };
  }

  const streamEnd = { lastPart, ended: (callsTools: boolean) => callsTools && toolPhase.opens() };

  return withAnswers(model, async (request, send) => {
    // The host retries a request with the same prompt, and makes another one for the next.
    if (request.prompt !== sent) driver.requestSent();
    sent = request.prompt;
    const { signal } = driver;
    const told = withMessage(request, message());
    const { mayCutOff } = driver;
    const bounded = mayCutOff ? { ...told, abortSignal: withOurSignal(request.abortSignal) } : told;
    const answer = await answerUntil(
      driver,
      () => send(bounded),
      () => answerOf(lastPart(false)),
    );
    // Not in a copy: what the host has attached to the answer would be lost.
    if (mayCutOff) answer.stream = streamUntil(signal, answer.stream, streamEnd);
    return answer;
  });
}

/**
 * The model, with an error for an answer. An error that `prepareStep` throws reaches the caller as a copy without its
 * class. One in the model's answer arrives as it is, and is not retried.
 */
export function failingModel(model: MastraLanguageModel, error: Error): MastraLanguageModel {
  return withAnswers(model, async () => answerOf({ type: "error", error }));
}

function withMessage(request: Request, text: string | undefined): Request {
  if (text === undefined) return request;
  return { ...request, prompt: [...request.prompt, { role: "user", content: [{ type: "text", text }] }] };
}

function answerOf(part: Part): Answer {
  return {
    stream: new ReadableStream({
      start(controller) {
        controller.enqueue(part);
        controller.close();
      },
    }),
  };
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
