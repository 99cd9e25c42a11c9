/** The kinds of limits there are. */
export type Kind = "turns" | "steps" | "tokens" | "cost" | "time" | "tools" | "repeats";

/**
 * What a run does, and for which kinds of limits it counts: the one place where that is decided. Time passes in turns,
 * with all that happens in them and between them, unless a person is being waited for.
 *
 * - `turn`: a model request that the run had not made before
 * - `retry`: the same request once more, because it failed or its answer was thrown away
 * - `compaction`: a request with which the host shortens the transcript
 * - `nested`: what a tool call spends by itself, for example on a sub-agent
 * - `synthesis`: the tools-free last turn
 * - `call`: a tool call that runs, by itself or within another one
 * - `refusal`: a tool call that must not run
 * - `waiting`: a person is being waited for
 */
const COUNTED = {
  turn: ["turns", "tokens", "cost", "time"],
  retry: ["tokens", "cost", "time"],
  compaction: ["tokens", "cost"],
  nested: ["tokens", "cost"],
  synthesis: ["turns", "tokens", "cost", "time"],
  call: ["steps", "tools", "repeats"],
  refusal: [],
  waiting: [],
} as const satisfies Record<string, readonly Kind[]>;

/** Something that a run does. */
export type Activity = keyof typeof COUNTED;

/** Does the activity count for limits of this kind? */
export function counts(activity: Activity, kind: Kind): boolean {
  return (COUNTED[activity] as readonly Kind[]).includes(kind);
}
