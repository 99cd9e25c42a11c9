/** Where the agents below this process put their questions. Its sessions, one after the other, have the same place. */
export interface QuestionsPlace {
  readonly pool: string;
  /** Has a session begun to look there? Agents may be at work that it started, so the next one has to go on with it. */
  isWatched: boolean;
}

// On the process, not in the module: Pi loads the module again for each session.
const PLACE = Symbol.for("pi-turn-limit.questions");
const shared = globalThis as { [PLACE]?: QuestionsPlace };

export function questionsPlace(): QuestionsPlace {
  shared[PLACE] ??= { pool: `questions ${process.pid} ${Date.now()}`, isWatched: false };
  return shared[PLACE];
}
