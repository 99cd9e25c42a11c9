import { gateway, type LanguageModel, wrapLanguageModel } from "ai";
import { boundedAnswer, streamOf } from "../shared/bounded-answer.ts";
import type { HostedAgent } from "../shared/hosted-agent.ts";

/** A model of the SDK's own version. */
type Model = Extract<LanguageModel, { specificationVersion: "v4" }>;
type Answer = Awaited<ReturnType<Model["doGenerate"]>>;
type StreamedAnswer = Awaited<ReturnType<Model["doStream"]>>;
type Part = StreamedAnswer["stream"] extends ReadableStream<infer P> ? P : never;
type FinishReason = Answer["finishReason"]["unified"];

/**
 * The model, but its requests are cut off when the run must end. The call then ends as usual, with what was said by
 * then. If the limit raises, the request fails with the limit's error. `onRequest` is told the SDK's signal of each.
 */
export function boundedModel(
  given: LanguageModel,
  agent: HostedAgent,
  onRequest: (signal: AbortSignal | undefined) => void,
): Model {
  const model = resolveModel(given);

  function unlessRaised<Result>(result: Result): Result {
    if (agent.raised) throw agent.raised;
    return result;
  }

  function lastPart(callsTools: boolean): Part {
    // The calls so far are refused, so each has a result. The next step throws the limit's error, if there is one.
    if (callsTools) return finishPart("tool-calls");
    const error = agent.raised;
    return error ? { type: "error", error } : finishPart("interrupted");
  }

  return new OtherAnswers(model, {
    doGenerate(request) {
      onRequest(request.abortSignal);
      const answer = () => unlessRaised(emptyAnswer("interrupted"));
      return boundedAnswer(agent, request, (sent) => model.doGenerate(sent), { answer, lastPart });
    },
    doStream(request) {
      onRequest(request.abortSignal);
      const answer = () => unlessRaised(emptyStream("interrupted"));
      return boundedAnswer(agent, request, (sent) => model.doStream(sent), { answer, lastPart });
    },
  });
}

/** A model with other answers. A class: an object with an accessor of its own keeps its run from being collected early. */
class OtherAnswers implements Model {
  readonly specificationVersion: Model["specificationVersion"];
  readonly provider: string;
  readonly modelId: string;
  readonly doGenerate: Model["doGenerate"];
  readonly doStream: Model["doStream"];
  readonly #model: Model;

  constructor(model: Model, { doGenerate, doStream }: Pick<Model, "doGenerate" | "doStream">) {
    this.specificationVersion = model.specificationVersion;
    this.provider = model.provider;
    this.modelId = model.modelId;
    this.doGenerate = doGenerate;
    this.doStream = doStream;
    this.#model = model;
  }

  get supportedUrls(): Model["supportedUrls"] {
    return this.#model.supportedUrls;
  }
}

/**
 * Takes the place of the model when the first turn must not begin. It sends no request and says nothing, so the call ends
 * as usual.
 */
export const stoppedModel: Model = {
  specificationVersion: "v4",
  provider: "turn-limit",
  modelId: "stopped",
  supportedUrls: {},
  doGenerate: async () => emptyAnswer("other"),
  doStream: async () => emptyStream("other"),
};

function resolveModel(given: LanguageModel): Model {
  const model =
    typeof given === "string" ? (globalThis.AI_SDK_DEFAULT_PROVIDER ?? gateway).languageModel(given) : given;
  return model.specificationVersion === "v4" ? model : wrapLanguageModel({ model, middleware: {} });
}

const usage: Answer["usage"] = {
  inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: undefined, text: undefined, reasoning: undefined },
};

function finishPart(unified: FinishReason): Extract<Part, { type: "finish" }> {
  return { type: "finish", finishReason: { unified, raw: "turn-limit" }, usage };
}

function emptyAnswer(reason: FinishReason): Answer {
  return { content: [], finishReason: finishPart(reason).finishReason, usage, warnings: [] };
}

function emptyStream(reason: FinishReason): StreamedAnswer {
  return { stream: streamOf<Part>({ type: "stream-start", warnings: [] }, finishPart(reason)) };
}
