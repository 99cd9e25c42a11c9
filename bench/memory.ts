import { createGovernor, type Governor } from "turn-limit";
import type { Result } from "./table.ts";

const runs = 100_000;

/** What a run under way takes in memory. */
export function memory(): Result[] {
  const gc = globalThis.gc;
  if (!gc) throw new Error("Memory can only be measured with node --expose-gc");
  const heap = () => {
    gc();
    return process.memoryUsage().heapUsed;
  };
  const governors: Governor[] = new Array(runs);
  const before = heap();
  for (let run = 0; run < runs; run++) governors[run] = underWay();
  const bytes = (heap() - before) / runs;
  if (governors.some(({ status }) => status !== "running")) throw new Error("A run is not under way");
  const what = `memory of a governed run, ${runs.toLocaleString("en")} at once`;
  return [{ what, measured: `${Math.round(bytes)} bytes` }];
}

function underWay(): Governor {
  const governor = createGovernor({ turns: 25 });
  governor.prompt();
  governor.beforeTurn();
  governor.turnEnded();
  return governor;
}
