/** A number of things: `1 prompt`, `2 prompts`. */
export function countOf(count: number, thing: string): string {
  return `${whole(count)} ${thing}${count === 1 ? "" : "s"}`;
}

/** Words in a sentence: `turns, steps and cost`. */
export function listed(words: readonly string[], last: "and" | "or"): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(", ")} ${last} ${words.at(-1)}`;
}

/** `1,200`. By hand: the first use of a locale takes as long as the rest of a run. */
export function whole(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ",");
}
