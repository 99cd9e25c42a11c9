import type { Listing } from "turn-limit/adapter";

/**
 * What keeps a run within its limits: nothing, the framework's own limiter, or turn-limit. `hooks` limits nothing either,
 * and is called wherever turn-limit is.
 */
export type Limiter = "none" | "native" | "hooks" | "ours";

/** Where the runs are listed while they work, to be given to an adapter: `{ listed }`. Empty: nowhere. */
export type Listed = { listed?: Listing };

/** Makes one run and says how many requests reached the model. */
export type Run = () => Promise<number>;

/** What the one tool does. */
export type Work = () => Promise<string>;

/** How long the runs are, and what limits them. */
export interface Setting {
  turns: number;
  limiter: Limiter;
  work: Work;
  listed: Listed;
}

/** The real loop of a framework, around a model and a tool that take next to no time. */
export interface Runner<Adapter = never> {
  framework: string;
  /** The entry of turn-limit that adapts to it. */
  entry: string;
  /** The framework's own limiter, in words, if it has one. */
  native?: string;
  /** The hooks of the framework that turn-limit needs, in words: empty ones show what they cost by themselves. */
  hooks?: string;
  /** Is what it costs that a run is seen from elsewhere measured with this one? */
  seen?: boolean;
  /** The run lengths to measure, in turns. A run of the longest takes about a second without a limiter, or less. */
  lengths: readonly number[];
  /**
   * Sets up runs in which the model calls the tool in every turn but the last, which is turn number `turns`: exactly
   * as many as the limiter allows, so it counts every turn and stops nothing. `adapter` is the entry, of the build to
   * measure.
   */
  prepare(setting: Setting, adapter: Adapter): Run;
}
