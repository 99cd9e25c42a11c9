import { piLimits } from "./pi-limits.ts";

/** Shows every limit. */
export const LIMITS_COMMAND = "limits";

/** Tells the agent to wrap up. */
export const WRAP_UP_COMMAND = "wrap-up";

/** Says when the model is told what it has left. */
export const TELL_COMMAND = "tell";

/** Opens the page of sessions and budgets. */
export const DASHBOARD_COMMAND = "dashboard";

/** Every slash command of this extension, those of the single limits included. */
export const OWN_COMMANDS: ReadonlySet<string> = new Set<string>([
  LIMITS_COMMAND,
  WRAP_UP_COMMAND,
  TELL_COMMAND,
  DASHBOARD_COMMAND,
  ...piLimits.flatMap((row) => ("command" in row ? [row.command] : [])),
]);
