import { gateway, type LanguageModel, wrapLanguageModel } from "ai";
import { answerUntil, streamUntil } from "../shared/answerUntil.ts";
import { cutOffSignals } from "../shared/cutOffSignals.ts";
import type { GovernedRuns } from "../shared/GovernedRuns.ts";
import { lastPart, type Model, silence, streamedSilence } from "./nobody.ts";

/**
 * The model, whose requests are cut off when the run must end. The call then ends as any other does, with what it has
 * by then.
 */
export function bounded(given: LanguageModel, runs: GovernedRuns): Model {
  const model = resolved(given);
  const { specificationVersion, provider, modelId, supportedUrls } = model;
  const signalBeside = cutOffSignals(runs);
  return {
    specificationVersion,
    provider,
    modelId,
    supportedUrls,
    doGenerate(request) {
      const bounded = { ...request, abortSignal: signalBeside(request.abortSignal) };
      return answerUntil(
        runs,
        () => model.doGenerate(bounded),
        () => silence("interrupted"),
      );
    },
    async doStream(request) {
      const { cutOff } = runs;
      const bounded = { ...request, abortSignal: signalBeside(request.abortSignal) };
      const answer = await answerUntil(
        runs,
        () => model.doStream(bounded),
        () => streamedSilence("interrupted"),
      );
      if (runs.governor.timeLeft === undefined) return answer;
      const stream = streamUntil(cutOff, answer.stream, {
        // Calls that are there by then get the refusal for a result, and so none is left without.
        lastPart: (callsTools) => lastPart(callsTools ? "tool-calls" : "interrupted"),
      });
      return { ...answer, stream };
    },
  };
}

function resolved(given: LanguageModel): Model {
  const model =
    typeof given === "string" ? (globalThis.AI_SDK_DEFAULT_PROVIDER ?? gateway).languageModel(given) : given;
  return model.specificationVersion === "v4" ? model : wrapLanguageModel({ model, middleware: {} });
}
