import { adapters } from "./adapters.ts";
import { bundleSizes } from "./bundle-sizes.ts";
import { gateway } from "./gateway.ts";
import { governor } from "./governor.ts";
import { loop } from "./loop.ts";
import type { Part } from "./measurement.ts";
import { piRun } from "./pi-run.ts";
import { redis } from "./redis.ts";
import { sqlite } from "./sqlite.ts";
import { startUp } from "./start-up.ts";

/** The parts of the benchmark, by the names that `npm run bench -- <name>` takes. Together at most 15 minutes. */
export const parts: Record<string, Part> = {
  "start-up": { title: "Pi's start-up", seconds: 120, measure: startUp },
  "pi-run": { title: "A run in Pi", seconds: 120, measure: piRun },
  adapters: { title: "Adapters", seconds: 240, measure: adapters },
  loop: { title: "A loop written by hand", seconds: 40, measure: loop },
  governor: { title: "The governor alone", seconds: 60, measure: governor },
  redis: { title: "A pool on Redis", seconds: 60, measure: redis },
  sqlite: { title: "A pool in a SQLite file", seconds: 60, measure: sqlite },
  gateway: { title: "The gateway", seconds: 120, measure: gateway },
  sizes: { title: "Bundle sizes", seconds: 10, measure: bundleSizes },
};
