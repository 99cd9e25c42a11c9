import type { ExtensionContext } from "@earendil-works/pi-coding-agent";
import { abort } from "./brake.ts";

/** Has Pi let go of this session? Then its context can only throw. */
export function hasEnded(ctx: ExtensionContext): boolean {
  try {
    void ctx.signal;
    return false;
  } catch {
    return true;
  }
}

/**
 * Keeps a turn from being sent that no limit could be asked about. Pi goes on if a handler fails, so the run is aborted.
 * After the end of its session nothing can abort it any more: Pi aborts what is under way then, but not what another
 * extension makes it begin. Such a turn waits for good.
 */
export async function blockTurn(ctx: ExtensionContext): Promise<void> {
  if (hasEnded(ctx)) return new Promise(() => {});
  abort(ctx);
}
