import type { MastraLanguageModel } from "@mastra/core/agent";

/**
 * The model, with an error for an answer. An error that a processor throws reaches the caller as a copy without its
 * class; one of the model's arrives as it is, from `generate()` and in a stream.
 */
export function failing(model: MastraLanguageModel, error: Error): MastraLanguageModel {
  const fail = () => Promise.reject(error);
  return new Proxy(model, {
    get: (target, key) =>
      key === "doGenerate" || key === "doStream" ? fail : Reflect.get(target, key, target),
  });
}
