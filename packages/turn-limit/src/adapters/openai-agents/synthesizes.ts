import type { AdapterOptions } from "../shared/AdapterOptions.ts";

/** Can a run under these limits end with a tools-free turn? */
export function synthesizes(options: AdapterOptions): boolean {
  const { turns, steps, tokens, cost, time, repeats, tools = {}, limits = [] } = options;
  return [turns, steps, tokens, cost, time, repeats, ...Object.values(tools), ...limits].some(
    (budget) =>
      typeof budget === "object" &&
      (("onExhausted" in budget && budget.onExhausted === "synthesize") ||
        ("headless" in budget && budget.headless === "synthesize")),
  );
}
