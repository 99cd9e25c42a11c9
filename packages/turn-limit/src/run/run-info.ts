/** Which run it is: to tell runs apart that one adapter governs at the same time. */
export interface RunInfo {
  /** Unlike that of any other run: the host's own id of the run, where it has one. */
  readonly id: string;
  /** What the caller gave the host as the context of this run, where the host has such a thing. */
  readonly context: unknown;
}

/** The next run, with an id of its own unless the host has one. */
export function runInfo({ id = crypto.randomUUID(), context }: Partial<RunInfo> = {}): RunInfo {
  return Object.freeze({ id, context });
}
