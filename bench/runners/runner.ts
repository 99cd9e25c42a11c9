/** What keeps a run within its limits: nothing, the framework's own limiter, or turn-limit. */
export type Limiter = "none" | "native" | "ours";

/** Makes one run and says how many requests reached the model. */
export type Run = () => Promise<number>;

/** What the one tool does. */
export type Work = () => Promise<string>;

/** How long the runs are, and what limits them. */
export interface Setting {
  turns: number;
  limiter: Limiter;
  work: Work;
}

/** The real loop of a framework, around a model and a tool that take next to no time. */
export interface Runner<Adapter = never> {
  framework: string;
  /** The entry of turn-limit that adapts to it. */
  entry: string;
  /** The framework's own limiter, in words, if it has one. */
  native?: string;
  /** The run lengths to measure, in turns. A run of the longest takes about a second without a limiter, or less. */
  lengths: readonly number[];
  /**
   * Sets up runs in which the model calls the tool in every turn but the last, which is turn number `turns`: exactly
   * as many as the limiter allows, so it counts every turn and stops nothing. `adapter` is the entry, of the build to
   * measure.
   */
  prepare(setting: Setting, adapter: Adapter): Run;
}
