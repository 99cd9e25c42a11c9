import { setTimeout as pause } from "node:timers/promises";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Outcome, Stop } from "turn-limit";
import { mayEndPi } from "../agents/session-place.ts";
import { stopReason } from "./announcer.ts";
import { saysNoMoreAtExit } from "./printed-reason.ts";

/** A run that may not end by itself. */
export interface EndingRun {
  end(): unknown;
}

const PATIENCE = 3;
const PAUSE_MS = 1_000;
const STUCK_MS = 5_000;
const LAST_WORDS_MS = 100;

/**
 * Stops what keeps an agent going without a budget: another extension that starts it again and again, or a tool that
 * cannot be aborted. With a UI each restart is delayed, so that a person can act; without one Pi ends. A session
 * inside another one ends nothing: it is neither its process nor its screen.
 */
export class RunawayGuard {
  #futile = 0;
  #stuck: NodeJS.Timeout | undefined;

  /** A person prompted. */
  prompted(): void {
    this.#futile = 0;
    this.cameToRest();
  }

  /** A run was aborted because of this decision. If it does not end by itself, it is ended. */
  aborted(ctx: ExtensionContext, why: Stop, run: EndingRun): void {
    clearTimeout(this.#stuck);
    if (!mayEndPi(ctx)) return;
    // Keeps Pi alive: a tool that waits for nothing in particular would let it end without a word.
    this.#stuck = setTimeout(() => {
      run.end();
      void endPi(endedBecause(why, "What is under way cannot be aborted"));
    }, STUCK_MS);
  }

  /** The aborted work has ended. */
  cameToRest(): void {
    clearTimeout(this.#stuck);
  }

  /** A run ended, because of this decision if there was one. */
  ended({ turns }: Outcome, stop: Stop | null, ctx: ExtensionContext): void {
    this.#futile = stop && turns === 0 ? this.#futile + 1 : 0;
    if (stop && this.#isRunaway && mayEndPi(ctx))
      void endPi(endedBecause(stop, "Another extension keeps starting the agent anyway"));
  }

  /** A run is about to be stopped. */
  async slowDown(): Promise<void> {
    if (this.#isRunaway) await pause(PAUSE_MS);
  }

  get #isRunaway(): boolean {
    return this.#futile >= PATIENCE;
  }
}

function endedBecause(stop: Stop, why: string): string {
  return `${stopReason(stop)} ${why}, so Pi ends here.`;
}

/** Ends Pi as a failure, and says why. Pi may still be writing its JSON stream. */
async function endPi(why: string): Promise<never> {
  console.error(why);
  saysNoMoreAtExit(1);
  await pause(LAST_WORDS_MS);
  process.exit(1);
}
