import { pause } from "../run/pause.ts";
import type { Timing } from "./channel.ts";
import { BadStatus } from "./requests.ts";

/** Sends something, and again if that fails and may not fail again. All of it has an end. */
export async function sending<Sent>(
  send: (signal: AbortSignal) => Promise<Sent>,
  closed: AbortSignal,
  { within, retryAfter }: Pick<Timing, "within" | "retryAfter">,
): Promise<Sent> {
  const late = AbortSignal.timeout(within);
  const signal = AbortSignal.any([closed, late]);
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await send(signal);
    } catch (error) {
      if (late.aborted && error === late.reason)
        throw new Error(`the server did not answer within ${within / 1_000} s`);
      const wait = retryAfter[attempt];
      if (wait === undefined || signal.aborted || (error instanceof BadStatus && error.isFinal)) throw error;
      await pause(wait, signal);
      if (signal.aborted) throw error;
    }
  }
}
