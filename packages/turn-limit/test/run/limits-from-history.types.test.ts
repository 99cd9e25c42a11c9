import { expectTypeOf, test } from "vitest";
import type { GovernorSettings, SettingsFromHistory } from "../../src/index.ts";
import type { PoolOptions } from "../../src/pools/pool-options.ts";
import type { AdapterOptions } from "../../src/run/options.ts";
import type { RunSettings } from "../../src/run/run.ts";

test("every limit of a run but repeats can be a percentile, by itself or with its options", () => {
  const options: AdapterOptions = {
    turns: "p90",
    requests: "p50 up to 100",
    steps: { max: "p90 up to 40", onExhausted: "synthesize" },
    tokens: { max: "p90 up to 200k", reserve: 1_000, cacheReads: true },
    cost: "p75 up to $5",
    time: { max: "p99 up to 10m" },
    tools: { bash: "p90 up to 20", read: 50 },
  };
  expectTypeOf(options).toExtend<AdapterOptions>();
  expectTypeOf<{ turns: "p90" }>().toExtend<RunSettings>();
  expectTypeOf<{ turns: "p90" }>().toExtend<SettingsFromHistory>();
  expectTypeOf<{ repeats: "p90" }>().not.toExtend<AdapterOptions>();
});

test("other texts are not limits, and where nothing is chosen percentiles are none", () => {
  expectTypeOf<{ turns: "unlimted" }>().not.toExtend<AdapterOptions>();
  expectTypeOf<{ turns: "25" }>().not.toExtend<AdapterOptions>();
  expectTypeOf<{ turns: { max: "half" } }>().not.toExtend<AdapterOptions>();
  expectTypeOf<{ turns: "p90" }>().not.toExtend<GovernorSettings>();
  expectTypeOf<{ id: "a"; turns: "p90" }>().not.toExtend<PoolOptions>();
});
