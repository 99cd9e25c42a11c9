import { isAmount } from "../../core/checks.ts";
import type { Usage } from "../../core/meter/usage.ts";

/** What a provider reports of an answer. */
export interface Report {
  /** Input tokens, those of the cache included. */
  totalInput?: Reported;
  /** Input tokens without those of the cache, where the provider says. Default: worked out. */
  input?: Reported;
  output: Reported;
  cacheRead?: Reported;
  cacheWrite?: Reported;
}

type Reported = number | null | undefined;

/** The usage of an answer, if its provider reports any. A number that cannot be right counts as not reported. */
export function reportedUsage(report: Report): { usage?: Usage } {
  const totalInput = valid(report.totalInput);
  const input = valid(report.input);
  const output = valid(report.output);
  if (totalInput === undefined && input === undefined && output === undefined) return {};
  const cacheRead = valid(report.cacheRead);
  const cacheWrite = valid(report.cacheWrite);
  const total = totalInput ?? 0;
  const uncached = total - (cacheRead ?? 0) - (cacheWrite ?? 0);
  return reported({
    // If there is less input than the cache took, the provider does not count the cache as input.
    input: input ?? (uncached < 0 ? total : uncached),
    output: output ?? 0,
    ...(cacheRead !== undefined && { cacheRead }),
    ...(cacheWrite !== undefined && { cacheWrite }),
  });
}

/** What a host says that an answer took, if it says anything. No answer takes nothing: who says so does not know. */
export function reported(usage: Usage | undefined): { usage?: Usage } {
  if (!usage) return {};
  const { input = 0, output = 0, cacheRead = 0, cacheWrite = 0, cost = 0 } = usage;
  const isNothing = input === 0 && output === 0 && cacheRead === 0 && cacheWrite === 0 && cost === 0;
  return isNothing ? {} : { usage };
}

function valid(amount: Reported): number | undefined {
  return isAmount(amount) ? amount : undefined;
}
