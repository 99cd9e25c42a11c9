import type { Ask, Reply } from "../../../core/governor/decision.ts";
import type { RunInfo } from "../../../run/run-info.ts";

/** A way to ask a person. `undefined`: nobody replied. The signal is aborted when the question is withdrawn. */
export type Way = (question: Ask, signal: AbortSignal, run: RunInfo) => Promise<Reply | undefined>;
