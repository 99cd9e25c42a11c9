import type { LimitKey } from "./LimitValues.ts";
import type { Setting } from "./Setting.ts";

/** Something a project's settings say that only the person's own may. */
export interface Beyond {
  readonly key: LimitKey;
  /** What it is, and why it is ignored, as the middle of a sentence. */
  readonly what: string;
  readonly why: string;
}

/** Is what a project says about a setting beyond what the person says? */
export function beyondOwn<Value>(
  key: LimitKey,
  { name, format, objection }: Setting<Value>,
  theirs: Value,
  yours: Value,
): Beyond[] {
  const why = objection(theirs, yours);
  return why === undefined ? [] : [{ key, what: `The ${name} ${format(theirs)}`, why }];
}
