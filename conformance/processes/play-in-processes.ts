import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inAnotherProcess } from "../../packages/turn-limit/test/helpers/in-another-process.ts";
import type { Contender, Left, Seen, Trial } from "../contender.ts";
import type { Part } from "./part.ts";

/** After so many processes nothing will end the run. */
const MOST = 6;

/** Plays a trial in several real processes. */
export async function playInProcesses(
  { limiter }: Contender,
  module: string,
  trial: Trial,
): Promise<Seen | string> {
  const folder = await mkdtemp(join(tmpdir(), "conformance-"));
  const script = new URL("part.ts", import.meta.url);
  const process = (earlier?: Left) => {
    const part: Part = { module, limiter, trial: trial.name, file: join(folder, "pools.db") };
    return inAnotherProcess<Left | string>(script, { ...part, earlier });
  };
  try {
    const first = await process();
    if (typeof first === "string" || trial.processes === "sub-agents") return first;
    if (trial.processes === "days") return together(first, await process());
    let left: Left | string = first;
    for (let count = 1; count < MOST && typeof left !== "string" && left.saved !== undefined; count += 1)
      left = await process(left);
    if (typeof left === "string" || left.saved === undefined) return left;
    return { ...left, reason: `none: ended by the trial's own guard after ${MOST} processes` };
  } finally {
    await rm(folder, { recursive: true, maxRetries: 5 });
  }
}

function together(first: Left, second: Left | string): Seen | string {
  if (typeof second === "string") return second;
  return {
    ...second,
    requests: first.requests + second.requests,
    executed: first.executed + second.executed,
    orphans: first.orphans + second.orphans,
  };
}
