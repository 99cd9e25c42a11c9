/** What is measured. Calls are counted by tool, too. */
export type Measure = "turns" | "requests" | "steps" | "tokens" | "cost" | "time" | "calls";

/**
 * What a run does, and what it counts for: the one place where that is decided. Time passes in turns, with all that
 * happens in them and between them, unless the run waits for a person.
 *
 * - `turn`: a model request that the run had not made before
 * - `retry`: the same request once more, because it failed or its answer was thrown away
 * - `aside`: a request besides the turns, for example for a title, where the host says so before it is sent
 * - `compaction`: a request with which the host shortens the transcript
 * - `nested`: what a tool call spends by itself, for example on a sub-agent
 * - `synthesis`: the tools-free last turn
 * - `call`: a tool call that runs, by itself or within another one
 * - `refusal`: a tool call that must not run
 * - `waiting`: a person is asked, or approves something
 */
const COUNTED = {
  turn: row("turns", "requests", "tokens", "cost", "time"),
  retry: row("requests", "tokens", "cost", "time"),
  aside: row("requests", "tokens", "cost", "time"),
  compaction: row("tokens", "cost"),
  nested: row("tokens", "cost"),
  synthesis: row("turns", "requests", "tokens", "cost", "time"),
  call: row("steps", "calls"),
  refusal: row(),
  waiting: row(),
};

/** Something that a run does. */
export type Activity = keyof typeof COUNTED;

/** What the activity counts for. */
export function countedFor(activity: Activity): Readonly<Record<Measure, boolean>> {
  return COUNTED[activity];
}

function row(...measures: Measure[]): Readonly<Record<Measure, boolean>> {
  const has = (measure: Measure) => measures.includes(measure);
  return {
    turns: has("turns"),
    requests: has("requests"),
    steps: has("steps"),
    tokens: has("tokens"),
    cost: has("cost"),
    time: has("time"),
    calls: has("calls"),
  };
}
