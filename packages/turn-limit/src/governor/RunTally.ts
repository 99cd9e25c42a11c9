/** What a run has taken so far, over all its rounds, as plain data. */
export interface RunTally {
  turns: number;
  steps: number;
  rounds: number;
  /** Milliseconds, without those in which a person was waited for; nobody may have said. */
  time?: number;
  /** Did a limit make itself felt? */
  touched: boolean;
}

export function emptyTally(): RunTally {
  return { turns: 0, steps: 0, rounds: 0, touched: false };
}
