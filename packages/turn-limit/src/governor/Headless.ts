import { InvalidLimit } from "../errors/InvalidLimit.ts";

/** What to do at the turn limit's boundary when nobody can be asked. */
export type Headless = "stop" | "synthesize";

/** Returns `value` if it is a {@link Headless}, otherwise throws {@link InvalidLimit}. */
export function requireHeadless(value: unknown): Headless {
  if (value === "stop" || value === "synthesize") return value;
  throw new InvalidLimit("turns.headless", value, '"stop" or "synthesize"');
}
