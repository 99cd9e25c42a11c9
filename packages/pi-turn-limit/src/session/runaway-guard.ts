import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { Outcome, Stop } from "turn-limit";
import { stopReason } from "./stop-message.ts";

const PATIENCE = 3;

/**
 * Ends Pi when another extension keeps starting an agent that has no budget left and nobody is there to
 * be asked. No request is sent, but Pi would never come to rest.
 */
export class RunawayGuard {
  #futile = 0;

  /** A person prompted. */
  prompted(): void {
    this.#futile = 0;
  }

  /** A run ended, because of this decision if there was one. */
  ended({ turns }: Outcome, stop: Stop | null, ctx: ExtensionContext): void {
    this.#futile = stop && turns === 0 && !ctx.hasUI ? this.#futile + 1 : 0;
    if (stop && this.#futile >= PATIENCE && isPisOwnProcess()) endPi(stop);
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
