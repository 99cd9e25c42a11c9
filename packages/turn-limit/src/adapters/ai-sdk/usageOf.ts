import type { LanguageModelUsage } from "ai";
import type { TurnEnd } from "../../governor/RequestStatus.ts";

/** What an answer took, as far as the provider says. */
export function usageOf(usage: LanguageModelUsage): Pick<TurnEnd, "usage"> {
  const { inputTokens, inputTokenDetails, outputTokens } = usage;
  if (inputTokens === undefined && outputTokens === undefined) return {};
  const { noCacheTokens, cacheReadTokens: cacheRead, cacheWriteTokens: cacheWrite } = inputTokenDetails;
  return {
    usage: {
      input: noCacheTokens ?? (inputTokens ?? 0) - (cacheRead ?? 0) - (cacheWrite ?? 0),
      output: outputTokens ?? 0,
      ...(cacheRead !== undefined && { cacheRead }),
      ...(cacheWrite !== undefined && { cacheWrite }),
    },
  };
}
