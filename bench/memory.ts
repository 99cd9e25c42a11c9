import { createGovernor, type Governor } from "turn-limit";
import type { Result } from "./table.ts";

const runs = 100_000;

/** The memory that a run under way takes. */
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
  // Named once more, so that none of them is collected before the heap is measured.
  if (governors.length !== runs) throw new Error("A governor is missing");
  const what = `memory of a governed run, ${runs.toLocaleString("en")} at once`;
  return [{ what, measured: `${Math.round(bytes)} bytes` }];
}

function underWay(): Governor {
  const governor = createGovernor({ turns: 25 });
  governor.prompt();
  if (governor.beforeTurn().kind !== "proceed") throw new Error("A run is not under way");
  governor.turnEnded();
  return governor;
}
