import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import type { LimitSetting } from "../config/LimitSetting.ts";

const ENTRY = "turn-limit:set";

/**
 * A limit set by command lasts for the session: it is kept as a session entry, so that it survives
 * `/reload`, `/resume`, `/fork` and, as of the point gone back to, `/tree`.
 */
export function rememberLimit<T>(pi: ExtensionAPI, setting: LimitSetting<T>, value: T): void {
  pi.appendEntry(ENTRY, { [setting.key]: value });
}

/** The limit that was last set by command on this branch of the session, if any. */
export function recallLimit<T>(ctx: ExtensionContext, setting: LimitSetting<T>): T | undefined {
  for (const entry of ctx.sessionManager.getBranch().toReversed()) {
    if (entry.type !== "custom" || entry.customType !== ENTRY) continue;
    const value = setting.parseJson((entry.data as Record<string, unknown> | undefined)?.[setting.key]);
    if (value !== undefined) return value;
  }
  return undefined;
}
