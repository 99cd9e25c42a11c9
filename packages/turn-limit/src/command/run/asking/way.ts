import type { RunInfo } from "../../../driver/run-info.ts";
import type { Ask, Reply } from "../../../governor/decision.ts";

/** A way to ask a person. `undefined`: nobody replied. The signal is aborted when the question is withdrawn. */
export type Way = (question: Ask, signal: AbortSignal, run: RunInfo) => Promise<Reply | undefined>;
