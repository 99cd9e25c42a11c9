import { gateway, type LanguageModel, wrapLanguageModel } from "ai";
import { limitError } from "../../core/governor/decision.ts";
import type { Run } from "../../run/run.ts";
import { answerUntil, mayCutOff, signalBeside, streamUntil } from "../shared/bounded-answer.ts";

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
export function limitedModel(
  given: LanguageModel,
  run: Run,
  onRequest: (signal: AbortSignal | undefined) => void,
): Model {
  const model = resolveModel(given);
  const withSignal = signalBeside(run);

  function raisedError(): Error | undefined {
    const { stop } = run.view;
    return stop ? limitError(stop) : undefined;
  }

  function throwIfRaised(): void {
    const error = raisedError();
    if (error) throw error;
  }

  // Where nothing can be cut off, the request is the caller's, and so is its signal.
  const isLeftAlone = () => !mayCutOff(run) && !run.turn.signal.aborted;

  return {
    specificationVersion: model.specificationVersion,
    provider: model.provider,
    modelId: model.modelId,
    get supportedUrls() {
      return model.supportedUrls;
    },
    doGenerate(request) {
      onRequest(request.abortSignal);
      if (isLeftAlone()) return model.doGenerate(request);
      const limited = { ...request, abortSignal: withSignal(request.abortSignal) };
      return answerUntil(
        run,
        () => model.doGenerate(limited),
        () => {
          throwIfRaised();
          return emptyAnswer("interrupted");
        },
      );
    },
    async doStream(request) {
      onRequest(request.abortSignal);
      if (isLeftAlone()) return model.doStream(request);
      const { signal } = run.turn;
      const limited = { ...request, abortSignal: withSignal(request.abortSignal) };
      const answer = await answerUntil(
        run,
        () => model.doStream(limited),
        () => {
          throwIfRaised();
          return emptyStream("interrupted");
        },
      );
      const stream = streamUntil(signal, answer.stream, {
        lastPart(callsTools): Part {
          // The calls so far are refused, so each has a result. The next step throws the limit's error, if there is one.
          if (callsTools) return finishPart("tool-calls");
          const error = raisedError();
          return error ? { type: "error", error } : finishPart("interrupted");
        },
      });
      return { ...answer, stream };
    },
  };
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
  return {
    stream: new ReadableStream({
      start(controller) {
        controller.enqueue({ type: "stream-start", warnings: [] });
        controller.enqueue(finishPart(reason));
        controller.close();
      },
    }),
  };
}
