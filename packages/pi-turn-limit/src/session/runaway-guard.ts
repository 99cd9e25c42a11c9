import { setTimeout as pause } from "node:timers/promises";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Outcome, Stop } from "turn-limit";
import { stopReason } from "./stop-message.ts";

const PATIENCE = 3;
const PAUSE_MS = 1_000;

/**
 * Stands up to another extension that keeps starting an agent which has no budget left. No request is sent, but
 * Pi would never come to rest. With a UI it is slowed down, so that a person can get a word in; without one Pi ends.
 */
export class RunawayGuard {
  #futile = 0;

  /** A person prompted. */
  prompted(): void {
    this.#futile = 0;
  }

  /** A run ended, because of this decision if there was one. */
  ended({ turns }: Outcome, stop: Stop | null, ctx: ExtensionContext): void {
    this.#futile = stop && turns === 0 ? this.#futile + 1 : 0;
    if (stop && this.#isRunaway && !ctx.hasUI && isPisOwnProcess()) endPi(stop);
  }

  /** A run is about to be stopped. */
  async slowDown(): Promise<void> {
    if (this.#isRunaway) await pause(PAUSE_MS);
  }

  get #isRunaway(): boolean {
    return this.#futile >= PATIENCE;
  }
}

// Not where Pi is embedded: another program's process is not ours to end.
function isPisOwnProcess(): boolean {
  return process.title === "pi";
}

function endPi(stop: Stop): never {
  console.error(
    `${stopReason(stop)} Another extension keeps starting the agent all the same, so Pi ends here.`,
  );
  process.exit(1);
}
