import { type Counter, type Histogram, type MeterProvider, metrics } from "@opentelemetry/api";

/** The metrics, for the SDK that is set up. */
export interface Metrics {
  readonly tokens: Histogram;
  readonly duration: Histogram;
  readonly runs: Counter;
  readonly questions: Counter;
  readonly grants: Counter;
  readonly stops: Counter;
}

export const SCOPE = "turn-limit";

// The boundaries that the conventions ask for.
const TOKENS = [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864];
const SECONDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];

/** Makes the metrics once for each SDK: it may be set up after the limits were made. */
export class Instruments {
  #provider: MeterProvider | undefined;
  #metrics: Metrics | undefined;

  current(): Metrics {
    const provider = metrics.getMeterProvider();
    if (this.#metrics && this.#provider === provider) return this.#metrics;
    this.#provider = provider;
    this.#metrics = madeBy(provider);
    return this.#metrics;
  }
}

function madeBy(provider: MeterProvider): Metrics {
  const meter = provider.getMeter(SCOPE);
  return {
    tokens: meter.createHistogram("gen_ai.client.token.usage", {
      description: "Tokens in and out of each request",
      unit: "{token}",
      advice: { explicitBucketBoundaries: TOKENS },
    }),
    duration: meter.createHistogram("gen_ai.client.operation.duration", {
      description: "How long each request took",
      unit: "s",
      advice: { explicitBucketBoundaries: SECONDS },
    }),
    runs: meter.createCounter("turn_limit.runs", { description: "Runs that ended", unit: "{run}" }),
    questions: meter.createCounter("turn_limit.questions", {
      description: "Questions at a limit",
      unit: "{question}",
    }),
    grants: meter.createCounter("turn_limit.grants", {
      description: "Replies that allowed more",
      unit: "{grant}",
    }),
    stops: meter.createCounter("turn_limit.stops", {
      description: "Runs that a limit ended",
      unit: "{run}",
    }),
  };
}
