import { messageOf } from "../../core/errors/message-of.ts";
import type { Ask, Stop } from "../../core/governor/decision.ts";
import type { GovernorState } from "../../core/governor/state.ts";
import type { GovernorView } from "../../core/governor/view.ts";
import { waitingText } from "../../core/words.ts";
import type { Run } from "../../run/run.ts";
import type { Warnings } from "../../run/warnings.ts";

/** A run whose question nobody answered, with all that is needed to go on from it. */
export interface ParkableRun {
  readonly question: Ask;
  /** The agent's own session. */
  readonly session: string;
  readonly state: GovernorState;
  readonly view: GovernorView;
}

/** A run that is parked. */
export interface ParkedRun {
  /** How to go on with it, in a sentence. */
  readonly howToGoOn: string;
  /** Is it parked until its limit starts over? */
  readonly waits: boolean;
}

/**
 * Keeps a run, to go on from it later. Resolves with how to do that, in a sentence for the agent and the person.
 * `undefined`: it is not kept.
 */
export type Park = (run: ParkableRun) => Promise<string | undefined>;

/**
 * Parks a run that ends because nobody answered. Not before it ends: until then somebody elsewhere may still answer.
 */
export class Parking {
  readonly #park: Park | undefined;
  readonly #warnings: Warnings;
  /** The session of the agent that was started, as its requests say. */
  session: string | undefined;
  /** The question that nobody answered, and what the run knew when it was asked. */
  #unanswered: Omit<ParkableRun, "session"> | undefined;
  #parked: Promise<ParkedRun | undefined> | undefined;

  constructor(park: Park | undefined, warnings: Warnings) {
    this.#park = park;
    this.#warnings = warnings;
  }

  /** Nobody answered where the run asks, or it would wait for longer than the agent does. */
  unanswered(question: Ask, { state, view }: Pick<Run, "state" | "view">): void {
    if (this.#park) this.#unanswered = { question, state, view };
  }

  /**
   * Is a request held until the limit of this question starts over? The agent must not give it up before, where it waits for
   * `hold` milliseconds: then the run is parked at once.
   */
  mayHold(question: Ask, hold: number | undefined, run: Pick<Run, "state" | "view">): boolean {
    const { until = Infinity } = question.waits ?? {};
    if (!this.#park || until - Date.now() <= (hold ?? Infinity)) {
      if (!run.view.settings.canAsk) this.#warnings.warn(waitingText(question));
      return true;
    }
    this.unanswered(question, run);
    return false;
  }

  /** The run goes on. */
  goesOn(): void {
    this.#unanswered = undefined;
  }

  /** The run ends. `undefined`: it is not parked. */
  async ended(stop: Stop | null): Promise<ParkedRun | undefined> {
    const unanswered = this.#unanswered;
    if (stop?.outcome !== "stopped" || stop.limit !== unanswered?.question.limit) return undefined;
    this.#parked ??= this.#keep(unanswered);
    return this.#parked;
  }

  async #keep(unanswered: Omit<ParkableRun, "session">): Promise<ParkedRun | undefined> {
    try {
      const { session } = this;
      if (session === undefined) throw new Error("the agent has not said which session it is.");
      const howToGoOn = await this.#park?.({ ...unanswered, session });
      return howToGoOn === undefined ? undefined : { howToGoOn, waits: !!unanswered.question.waits };
    } catch (error) {
      this.#warnings.warn(`The run could not be parked, so it is stopped: ${messageOf(error)}`);
      return undefined;
    }
  }
}
