import type { Max, OnExhausted } from "turn-limit";

/** What to do at the turn limit's boundary when nobody can be asked. */
export type Headless = "stop" | "synthesize";

/** The step limit: off, or a budget with its policy for running out. */
export type Steps = "unlimited" | { max: number; onExhausted: OnExhausted };

/** Everything that can be configured about the limits. */
export interface LimitValues {
  turns: Max;
  grace: number;
  headless: Headless;
  /** Replaces the default wrap-up text; empty means the default. */
  wrapUpMessage: string;
  steps: Steps;
}

/** What one source says; it need not say everything. */
export type Claims = Partial<LimitValues>;

export type LimitKey = keyof LimitValues;
