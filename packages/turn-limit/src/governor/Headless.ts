import { InvalidLimit } from "../errors/InvalidLimit.ts";

/** What to do at a boundary when nobody can be asked. */
export type Headless = "stop" | "synthesize";

/** Returns `value` if it is a {@link Headless}, otherwise throws {@link InvalidLimit}. */
export function requireHeadless(value: unknown, setting = "turns"): Headless {
  if (value === "stop" || value === "synthesize") return value;
  throw new InvalidLimit(`${setting}.headless`, value, '"stop" or "synthesize"');
}
