import { errorOf } from "./failed-result.ts";
import { fingerprint, fingerprintOf } from "./fingerprint.ts";

/** What is found for a result that is no error. */
const NO_ERROR = fingerprint(undefined);

/** The errors of one tool in a row, as plain data. */
interface Streak {
  error: string;
  /** In how many turns. Several calls of one answer fail together: the model has read none of the errors yet. */
  times: number;
  /** It failed in the turn that is under way. */
  now: boolean;
  /** When the model was told, after how many times. 0: not yet. */
  told: number;
  /** It is told in the turn that is under way. */
  telling: boolean;
}

/** Everything {@link RepeatedErrors} knows, as plain data. */
export interface RepeatedErrorsState {
  streaks: [tool: string, Streak][];
  atTurn: [tool: string, Streak][];
  calls: [id: string, tool: string][];
}

/**
 * Knows in how many turns in a row a tool failed with the same error, whatever its arguments were. A call that succeeds
 * starts the row of its tool over.
 */
export class RepeatedErrors {
  #streaks: Map<string, Streak>;
  #atTurn: RepeatedErrorsState["atTurn"];
  /** The calls under way, by their ids. */
  readonly #calls: Map<string, string>;
  #last: string | undefined;

  constructor(state?: RepeatedErrorsState) {
    this.#streaks = new Map(state?.streaks.map(copied));
    this.#atTurn = state?.atTurn.map(copied) ?? [];
    this.#calls = new Map(state?.calls);
  }

  /** How often the tool has failed alike, and whether the model was told so in an earlier turn and tried again. */
  times(tool: string | undefined): { times: number; wasTold: boolean } {
    const streak = tool === undefined ? undefined : this.#streaks.get(tool);
    if (!streak) return { times: 0, wasTold: false };
    // Told, it may try once more: it may have understood.
    const hasTry = streak.told > 0 && !streak.telling && streak.times === streak.told;
    return { times: hasTry ? 0 : streak.times, wasTold: streak.told > 0 && !streak.telling };
  }

  /** A call of the tool was refused for its errors. */
  refused(tool: string): void {
    const streak = this.#streaks.get(tool);
    if (!streak || streak.told > 0) return;
    streak.told = streak.times;
    streak.telling = true;
  }

  began(id: string | undefined, tool: string | undefined): void {
    this.#last = tool;
    if (id !== undefined && tool !== undefined) this.#calls.set(id, tool);
  }

  /** `failed`: the host says that the result is an error. */
  ended(id: string | undefined, result: unknown, failed = false): void {
    const tool = id === undefined ? this.#last : this.#calls.get(id);
    if (id !== undefined) this.#calls.delete(id);
    if (tool === undefined) return;
    const print = fingerprintOf(() => errorOf(result, failed));
    if (print === undefined || print === NO_ERROR) {
      this.#streaks.delete(tool);
      return;
    }
    const streak = this.#streaks.get(tool);
    if (streak?.error !== print)
      this.#streaks.set(tool, { error: print, times: 1, now: true, told: 0, telling: false });
    else if (!streak.now) Object.assign(streak, { times: streak.times + 1, now: true });
  }

  turnBegins(): void {
    for (const streak of this.#streaks.values()) streak.now = streak.telling = false;
    this.#atTurn = [...this.#streaks].map(copied);
    this.#calls.clear();
  }

  /** The answer was thrown away, and the model does not know what came of its calls. */
  turnDiscarded(): void {
    this.#streaks = new Map(this.#atTurn.map(copied));
    this.#calls.clear();
  }

  toState(): RepeatedErrorsState {
    return {
      streaks: [...this.#streaks].map(copied),
      atTurn: this.#atTurn.map(copied),
      calls: [...this.#calls],
    };
  }
}

function copied([tool, streak]: [string, Streak]): [string, Streak] {
  return [tool, { ...streak }];
}
