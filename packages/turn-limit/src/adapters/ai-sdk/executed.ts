import type { GovernedRuns } from "../shared/GovernedRuns.ts";
import { type Execution, settled } from "../shared/settled.ts";
import { isStreamed, StreamedResults } from "./StreamedResults.ts";

/** Runs a tool call that may run, and returns what it does: a result, or several one after the other. */
export function executed(runs: GovernedRuns, { run, ...execution }: Execution): unknown {
  let streamed = undefined as StreamedResults | undefined;
  const result = settled(runs, {
    ...execution,
    run(signal) {
      const output = run(signal);
      if (!isStreamed(output)) return output;
      streamed = new StreamedResults(output);
      return streamed.last;
    },
  });
  return streamed ? streamed.passedOn(result) : result;
}
