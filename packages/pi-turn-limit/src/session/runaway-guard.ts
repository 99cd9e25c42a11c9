import { setTimeout as pause } from "node:timers/promises";
import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Outcome, Stop } from "turn-limit";
import { stopReason } from "./stop-message.ts";

const PATIENCE = 3;
const PAUSE_MS = 1_000;
const STUCK_MS = 5_000;

/**
 * Stands up to what keeps an agent going that has no budget left: another extension that starts it again and again, or
 * a tool that does not let itself be aborted. With a UI a person gets a word in; without one Pi ends.
 */
export class RunawayGuard {
  #futile = 0;
  #stuck: NodeJS.Timeout | undefined;

  /** A person prompted. */
  prompted(): void {
    this.#futile = 0;
  }

  /** A run was aborted because of this decision. */
  aborted(stop: Stop, ctx: ExtensionContext): void {
    clearTimeout(this.#stuck);
    if (ctx.hasUI || !isPisOwnProcess()) return;
    this.#stuck = setTimeout(() => endPi(stop, "A tool does not let itself be aborted"), STUCK_MS).unref();
  }

  /** A run ended, because of this decision if there was one. */
  ended({ turns }: Outcome, stop: Stop | null, ctx: ExtensionContext): void {
    clearTimeout(this.#stuck);
    this.#futile = stop && turns === 0 ? this.#futile + 1 : 0;
    if (stop && this.#isRunaway && !ctx.hasUI && isPisOwnProcess())
      endPi(stop, "Another extension keeps starting the agent all the same");
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

function endPi(stop: Stop, why: string): never {
  console.error(`${stopReason(stop)} ${why}, so Pi ends here.`);
  process.exit(1);
}
