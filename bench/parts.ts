import { adapters } from "./adapters.ts";
import { bundleSizes } from "./bundle-sizes.ts";
import { dashboard } from "./dashboard.ts";
import { gateway } from "./gateway.ts";
import { governor } from "./governor.ts";
import { look } from "./look.ts";
import { loop } from "./loop.ts";
import type { Part } from "./measurement.ts";
import { piRun } from "./pi-run.ts";
import { redis } from "./redis.ts";
import { sqlite } from "./sqlite.ts";
import { startUp } from "./start-up.ts";

/** The parts of the benchmark, by the names that `npm run bench -- <name>` takes. Together at most 15 minutes. */
export const parts: Record<string, Part> = {
  "start-up": { title: "Pi's start-up", seconds: 180, measure: startUp },
  "pi-run": { title: "A run in Pi", seconds: 120, measure: piRun },
  adapters: { title: "Adapters", seconds: 150, measure: adapters },
  loop: { title: "A loop written by hand", seconds: 30, measure: loop },
  governor: { title: "The governor alone", seconds: 30, measure: governor },
  redis: { title: "A pool on Redis", seconds: 55, measure: redis },
  sqlite: { title: "A pool in a SQLite file", seconds: 75, measure: sqlite },
  look: { title: "A look at a pool", seconds: 60, measure: look },
  gateway: { title: "The gateway", seconds: 120, measure: gateway },
  dashboard: { title: "The dashboard", seconds: 70, measure: dashboard },
  sizes: { title: "Bundle sizes", seconds: 10, measure: bundleSizes },
};
