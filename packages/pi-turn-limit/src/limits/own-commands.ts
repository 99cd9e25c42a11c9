import { piLimits } from "./pi-limits.ts";

/** Shows every limit. */
export const LIMITS_COMMAND = "limits";

/** Tells the agent to wrap up. */
export const WRAP_UP_COMMAND = "wrap-up";

/** Every slash command of this extension, those of the single limits included. */
export const OWN_COMMANDS: ReadonlySet<string> = new Set<string>([
  LIMITS_COMMAND,
  WRAP_UP_COMMAND,
  ...piLimits.flatMap((row) => ("command" in row ? [row.command] : [])),
]);
